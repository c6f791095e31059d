#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Runs the exhaustive worlds of tiny versions: with 1 to 4 bits every wrap, retirement and version floor is met, and no stale handle
may resolve in any state.

  versions.py [--programs DIR]

The cases are tagged [versions] and report what they walked (tests/support/sweep.hpp). Fails when a case fails, and when a container that
issues handles has reported no world.
"""
import argparse
import collections
import pathlib
import re
import sys
import tempfile

import proof

# Every container that issues handles. MapStorage and AnyMapStorage share SetStorage's core; MapStorage has its own long walks.
CONTAINERS = ("SlotDirectory", "SlotMap", "DenseSlotMap", "SoaSlotMap", "SetStorage", "MapStorage", "TSSStorage", "TSDStorage")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--programs", default=proof.ROOT / "build" / "dev" / "tests", type=pathlib.Path)
    given = parser.parse_args()
    programs = [given.programs / f"slotwise_test_{folder}" for folder in ("slots", "map", "keyed", "series")]
    for program in programs:
        if not program.exists():
            proof.die(f"{program} is not built; tools/dev test builds it")
    failed, cases = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report"
        for program, result in proof.parallel(lambda program: proof.run([program, "[versions]"], env={"SLOTWISE_SWEEP_REPORT": report}),
                                              programs):
            summary = re.search(r"in (\d+) test cases?\)", result.output)
            cases += int(summary.group(1)) if summary else 0
            if not result.ok or not summary:
                failed.append(program.name)
                print(result.output[-3000:])
        lines = [line.split("\t") for line in report.read_text().splitlines()] if report.exists() else []
    worlds, states, stale = collections.Counter(), collections.Counter(), collections.Counter()
    for kind, world, seen, probes in (line for line in lines if line[0] == "versions"):
        container = re.sub("^Basic", "", world.split()[0])
        worlds[container] += 1
        states[container] += int(seen)
        stale[container] += int(probes)
    for container in sorted(worlds):
        print(f"  {container}: {worlds[container]} worlds, {states[container]} states, {stale[container]} stale handles asked for")
    missing = [container for container in CONTAINERS if stale[container] == 0]
    if missing:
        print(f"no world of {', '.join(missing)} asked for a stale handle")
    print(f"versions: {sum(worlds.values())} worlds in {cases} cases, {sum(states.values())} states, "
          f"{sum(stale.values())} stale handles asked for, {'0 resolve' if not failed else 'FAILED in ' + ', '.join(failed)}")
    sys.exit(1 if failed or missing else 0)


if __name__ == "__main__":
    main()
