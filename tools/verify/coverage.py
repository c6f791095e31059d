#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Which lines of include/ the tests execute: clang's source-based coverage.

  coverage.py [--quick]

Builds every unit, fuzz and bare program in build/proof/coverage, runs them, and writes build/proof/coverage/coverage.txt, every line that nothing
executed. A line of a template counts when any instantiation executes it. The bar leaves room for what no program can execute, or clang cannot see executed: consteval
functions, what follows a SLOTWISE_ASSUME, bytes of other machines, and refusals of the system. --quick: the fuzz bodies over their corpus and
the tests of the lowest folders alone, and a lower bar: shows that this works.
"""
import collections
import os
import pathlib
import re
import shutil
import sys

import proof
import suite
from headers import code

FOLDER = proof.BUILD / "coverage"
QUICK = (*suite.QUICK, "slotwise_test_config", "slotwise_test_core", "slotwise_test_memory", "slotwise_test_slots")
GOAL, QUICK_GOAL = 99.0, 85.0


def build(quick):
    # Relocated counters live in the profile itself (%c below): what a process has counted stays when it ends by abort(), and the
    # children of death tests count in the file of the test. Atomic, because some tests have several threads.
    flags = "-fprofile-instr-generate -fcoverage-mapping -fprofile-update=atomic -mllvm -runtime-counter-relocation"
    world = suite.World("coverage", proof.clang(), flags, "-O0")
    if not suite.build(world, list(QUICK) if quick else ["all"]):  # of the tests: with targets the examples are left out
        proof.die("the build with coverage failed", code=1)


def execute(quick):
    """Runs all programs; the profile of each in a file of its own, which its death tests' children share."""
    profiles = FOLDER / "profiles"
    shutil.rmtree(profiles, ignore_errors=True)
    profiles.mkdir()
    tests = FOLDER / "tests"
    programs = sorted(path for path in tests.glob("slotwise_*") if path.is_file() and os.access(path, os.X_OK) and path.suffix == ""
                      and (not quick or path.name in QUICK))

    def one(program):
        arguments = []
        if program.name.startswith("slotwise_fuzz_"):
            family = program.name.rsplit("_", 1)[1]
            arguments = [proof.TESTS / "fuzz" / "corpus" / family, "--random", "50" if quick else "300", "1"]
        proof.must([program, *arguments], f"{program.name} failed under coverage:",
                   env={"LLVM_PROFILE_FILE": f"{profiles}/{program.name}-%p%c.profraw"})

    for program, _ in proof.parallel(one, programs):
        proof.must([proof.clang("llvm-profdata"), "merge", "-sparse", "-o", FOLDER / f"{program.name}.profdata",
                    *sorted(profiles.glob(f"{program.name}-*.profraw"))], "llvm-profdata:")
    return programs


def executed(programs):
    """{header: {line: whether a program executed it}}, by `llvm-cov show`, which adds instantiations up. Each program is asked by itself: of several,
    llvm-cov takes a function's counts from the first that names it, also where that one never calls it."""
    lines = collections.defaultdict(dict)

    def one(program):
        return proof.must([proof.clang("llvm-cov"), "show", f"-instr-profile={FOLDER / program.name}.profdata", "-format=text",
                           "-show-instantiations=false", "-show-expansions=false", program, proof.INCLUDE], "llvm-cov:")

    for _, shown in proof.parallel(one, programs):
        current = None
        for line in shown.splitlines():
            if line.endswith(":") and line.startswith("/"):
                current = line[:-1]
            counted = re.match(r"\s*(\d+)\|\s*([\d.]+[kMGTE]?)\|", line)
            if counted and current:
                number = int(counted[1])
                lines[current][number] = lines[current].get(number, False) or counted[2] != "0"
    return lines


def main():
    given = proof.arguments(__doc__, "--quick").parse_args()
    goal = QUICK_GOAL if given.quick else GOAL
    build(given.quick)
    programs = execute(given.quick)
    missing, done = [], 0
    for path, counts in sorted(executed(programs).items()):
        source = code(pathlib.Path(path).read_text(encoding="utf-8")).splitlines()
        # What a program never uses it knows as one region, comments and lines of the preprocessor and all.
        counts = {number: count for number, count in counts.items() if source[number - 1].strip() and not source[number - 1].lstrip().startswith("#")}
        done += sum(counts.values())
        missing += [f"{proof.relative(path)}:{number}: {source[number - 1].strip()}" for number, count in sorted(counts.items()) if not count]
    (FOLDER / "coverage.txt").write_text("\n".join(missing) + "\n", encoding="utf-8")
    reached = 100 * done / max(1, done + len(missing))
    if reached < goal:
        print(*missing[:40], sep="\n")
    print(f"coverage: {reached:.2f} % of {done + len(missing)} lines, by {len(programs)} programs (bar: {goal:g} %); what is missing: {FOLDER / 'coverage.txt'}")
    return 1 if reached < goal or not done else 0


if __name__ == "__main__":
    sys.exit(main())
