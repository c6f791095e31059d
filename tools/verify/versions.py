#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Runs the exhaustive worlds of tiny versions: with 1 to 4 bits every wrap, retirement and version floor is met, and no stale handle
may resolve in any state.

  versions.py [--programs DIR]

The cases are tagged [versions] and report what they walked (tests/support/sweep.hpp). Fails when a case fails, and when a container that
issues handles has reported no world.
"""
import collections
import re

import proof
import sweeps

# Every container that issues handles. MapStorage and AnyMapStorage share SetStorage's core; MapStorage has its own long walks.
CONTAINERS = ("SlotDirectory", "SlotMap", "DenseSlotMap", "SoaSlotMap", "SetStorage", "MapStorage", "TSSStorage", "TSDStorage")


def main():
    options = sweeps.arguments(__doc__)

    def check():
        folder = options.programs or proof.ROOT / "build" / "dev" / "tests"
        worlds, states, stale = collections.Counter(), collections.Counter(), collections.Counter()
        for kind, world, seen, probes in (line for line in sweeps.run(folder, "[versions]", proof.BUILD / "versions" / "report.txt")
                                          if line[0] == "versions"):
            container = re.sub("^Basic", "", world.split()[0])
            worlds[container] += 1
            states[container] += int(seen)
            stale[container] += int(probes)
        for container in sorted(worlds):
            print(f"  {container}: {worlds[container]} worlds, {states[container]} states, {stale[container]} stale handles asked for")
        missing = [container for container in CONTAINERS if stale[container] == 0]
        if missing:
            raise sweeps.Failed(f"no world of {', '.join(missing)} asked for a stale handle")
        return (f"versions: {sum(worlds.values())} worlds, {sum(states.values())} states, {sum(stale.values())} stale handles asked for, "
                "0 resolve")

    return sweeps.main(check)


if __name__ == "__main__":
    raise SystemExit(main())
