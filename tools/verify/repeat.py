#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Runs every unit program again and again, its cases in a new random order and with a new seed each time.

  repeat.py [RUNS] [--seed S] [--programs DIR]

What depends on the order of test cases or on what an earlier one left behind fails here. A failure names its program and seed, and is
never tried again. 50 runs unless said otherwise.
"""
import argparse
import pathlib
import random
import re
import sys
import time

import proof


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("runs", nargs="?", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 2 ** 31))
    parser.add_argument("--programs", default=proof.ROOT / "build" / "dev" / "tests", type=pathlib.Path)
    given = parser.parse_args()
    programs = sorted(path for path in given.programs.glob("slotwise_test_*") if path.is_file() and path.suffix == "")
    if not programs or given.runs < 1:
        proof.die("no unit program is built; tools/dev test builds them")
    seeds = random.Random(given.seed)
    runs = [(program, seeds.randrange(1, 2 ** 31)) for _ in range(given.runs) for program in programs]
    started, failures, cases = time.time(), 0, 0

    def one(run):
        program, seed = run
        return proof.run([program, "--order", "rand", "--rng-seed", seed])

    for done, ((program, seed), result) in enumerate(proof.parallel(one, runs), 1):
        summary = re.search(r"in (\d+) test cases?\)", result.output)
        if result.ok and summary:
            cases += int(summary.group(1))
        else:
            failures += 1
            print(f"{program.name} --order rand --rng-seed {seed}: {result.output[-2000:]}", flush=True)
        if done % (10 * len(programs)) == 0:
            print(f"  {done // len(programs)} runs, {failures} failures, {time.time() - started:.0f} s", flush=True)
    print(f"repeat: {given.runs} shuffled runs of {len(programs)} programs from seed {given.seed}, {cases} cases, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
