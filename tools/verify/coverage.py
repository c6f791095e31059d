#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Which lines and branches of include/ the tests execute: clang's source-based coverage.

  coverage.py [--quick]

Builds every unit, fuzz and bare program in build/proof/coverage, runs them, and writes
build/proof/coverage/coverage.txt (every line and branch that nothing executed). A branch of a template counts as taken when any instantiation takes it; a
condition that the compiler folds is none. The bars leave room for what no program can execute, or clang cannot see executed: consteval
functions, what follows a SLOTWISE_ASSUME, bytes of other machines, and refusals of the system. --quick: the fuzz bodies over their corpus and
the tests of the lowest folders alone, and lower bars: shows that this works.
"""
import collections
import json
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
GOAL, QUICK_GOAL = (99.0, 97.0), (85.0, 75.0)  # per cent of lines, of branches


def build(quick):
    # Relocated counters live in the profile itself (%c below): what a process has counted stays when it ends by abort(), and the
    # children of death tests count in the file of the test. Atomic, because branches are told by differences of counters: one count
    # lost by the tests with several threads made branches look untaken.
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


def cov(tool, program, *options):
    return proof.must([proof.clang("llvm-cov"), tool, f"-instr-profile={FOLDER / program.name}.profdata", *options, program, proof.INCLUDE],
                      "llvm-cov:")


def add_lines(text, lines):
    """Adds `llvm-cov show`, which adds instantiations up, to {file: {line: whether it was executed}}."""
    current = None
    for line in text.splitlines():
        if line.endswith(":") and line.startswith("/"):
            current = line[:-1]
        match = re.match(r"\s*(\d+)\|\s*([\d.]+[kMGTE]?)\|", line)
        if match and current:
            number = int(match.group(1))
            lines[current][number] = lines[current].get(number, False) or match.group(2) != "0"


def add_branches(exported, branches):
    """Adds `llvm-cov export` to {(file, line, column, end line, end column): [taken, not taken]}, over all instantiations."""
    for unit in exported["data"]:
        for function in unit["functions"]:
            for l1, c1, l2, c2, true, false, file_id, _, kind in function.get("branches", []):
                name = function["filenames"][file_id]
                if name.startswith(str(proof.INCLUDE)):
                    branches[name, l1, c1, l2, c2][0] += true
                    branches[name, l1, c1, l2, c2][1] += false


def counts(programs):
    """Lines and branches over all programs. Each is asked by itself: of several, llvm-cov takes a function's counts from the first that
    names it, also where that one never calls it."""
    lines, branches = collections.defaultdict(dict), collections.defaultdict(lambda: [0, 0])

    def one(program):
        return (cov("show", program, "-format=text", "-show-instantiations=false", "-show-expansions=false"),
                cov("export", program, "-format=text", "-skip-expansions"))

    for _, (shown, exported) in proof.parallel(one, programs):
        add_lines(shown, lines)
        add_branches(json.loads(exported[exported.index("{"):]), branches)
    if not lines or not branches:
        proof.die("llvm-cov shows nothing", code=1)
    return lines, branches, {path: code(pathlib.Path(path).read_text(encoding="utf-8")).splitlines() for path in lines}


def missing(lines, branches, source):
    """(what nothing executed, one a line; lines executed and all; halves of branches taken and all)"""
    report, line_counts, branch_counts = [], [0, 0], [0, 0]
    for path, counts_of in lines.items():
        for number, count in counts_of.items():
            text = source[path][number - 1].strip()
            if text and not text.startswith("#"):  # what a program never uses it knows as one region, comments and all
                line_counts = [line_counts[0] + bool(count), line_counts[1] + 1]
                if not count:
                    report.append(f"{proof.relative(path)}:{number}: never executed: {text}")
    for (path, line, column, end, end_column), (true, false) in branches.items():
        if lines.get(path, {}).get(line, 0) and true == 0 and false == 0:
            continue  # folded: a condition that is a constant in every instantiation
        if source[path][line - 1].rstrip().endswith("= default;"):
            continue  # clang counts one side only of comparisons that it has written itself
        branch_counts = [branch_counts[0] + (true > 0) + (false > 0), branch_counts[1] + 2]
        if not true or not false:
            text = source[path][line - 1][column - 1:end_column - 1 if end == line else None]
            never = "never" if true == 0 and false == 0 else "never true" if true == 0 else "never false"
            report.append(f"{proof.relative(path)}:{line}:{column}: {never}: {text.strip()}")
    return sorted(report), line_counts, branch_counts


def main():
    given = proof.arguments(__doc__, "--quick").parse_args()
    goals = QUICK_GOAL if given.quick else GOAL
    build(given.quick)
    programs = execute(given.quick)
    report, *figures = missing(*counts(programs))
    (FOLDER / "coverage.txt").write_text("\n".join(report) + "\n", encoding="utf-8")
    reached = [100 * part / whole for part, whole in figures]
    if reached[0] < goals[0] or reached[1] < goals[1]:
        print("\n".join(report[:40]))
    print(f"  {len(programs)} programs; what is missing: {FOLDER / 'coverage.txt'}")
    print("coverage: " + ", ".join(f"{name} {percent:.2f} % ({part} of {whole}; bar {goal:g} %)" for name, percent, (part, whole), goal
                                   in zip(("lines", "branches"), reached, figures, goals)))
    return 1 if reached[0] < goals[0] or reached[1] < goals[1] else 0


if __name__ == "__main__":
    sys.exit(main())
