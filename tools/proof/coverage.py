#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Which lines and branches of include/ the tests execute: clang's source-based coverage.

  coverage.py [--quick] [--lines PERCENT] [--branches PERCENT]

Builds every unit, fuzz and bare program in build/proof/coverage, runs them, and writes build/proof/coverage/html/index.html and
coverage.txt (every line and branch that nothing executed). A branch of a template counts as taken when any instantiation takes it; a
condition that the compiler folds is none. coverage_exclude.txt lists what cannot be executed, each with its reason; an entry that no
longer matches, or whose lines are executed after all, is an error. --quick: without random and exhaustive cases, for CI.
"""
import argparse
import collections
import json
import os
import re
import shutil
import sys

import proof
import suite

EXCLUDED = proof.ROOT / "tools" / "proof" / "coverage_exclude.txt"
FOLDER = proof.BUILD / "coverage"
LONG = "~[versions]"  # exhaustive worlds: the short form goes without


def build():
    world = suite.World("coverage", proof.clang(), "-fprofile-instr-generate -fcoverage-mapping", "-O0")
    if not suite.build(world, []):
        proof.die("the build with coverage failed", code=1)


def execute(quick):
    """Runs all programs; the profile of each process in a file of its own, death tests' children as well."""
    profiles = FOLDER / "profiles"
    shutil.rmtree(profiles, ignore_errors=True)
    profiles.mkdir()
    tests = FOLDER / "tests"
    programs = sorted(path for path in tests.glob("slotwise_*") if path.is_file() and os.access(path, os.X_OK) and path.suffix == "")

    def one(program):
        arguments = []
        if program.name.startswith("slotwise_test_") and quick:
            arguments = [LONG]
        if program.name.startswith("slotwise_fuzz_"):
            family = program.name.rsplit("_", 1)[1]
            arguments = [proof.TESTS / "fuzz" / "corpus" / family, "--random", "50" if quick else "300", "1"]
        return proof.run([program, *arguments], env={"LLVM_PROFILE_FILE": f"{profiles}/{program.name}-%p.profraw"})

    for program, result in proof.parallel(one, programs):
        if not result.ok:
            print(result.output[-3000:])
            proof.die(f"{program.name} failed under coverage", code=1)
    merged = FOLDER / "merged.profdata"
    result = proof.run([proof.clang("llvm-profdata"), "merge", "-sparse", "-o", merged, *sorted(profiles.glob("*.profraw"))])
    if not result.ok:
        proof.die("llvm-profdata:", result.output)
    return merged, programs


def cov(tool, merged, programs, *options):
    objects = [programs[0], *[word for program in programs[1:] for word in ("-object", program)]]
    return proof.run([proof.clang("llvm-cov"), tool, f"-instr-profile={merged}", *options, *objects, proof.INCLUDE])


def line_counts(text):
    """{file: {line: count}} of `llvm-cov show`, which adds instantiations up."""
    files, current = collections.defaultdict(dict), None
    for line in text.splitlines():
        if line.endswith(":") and line.startswith("/"):
            current = line[:-1]
        match = re.match(r"\s*(\d+)\|\s*([\d.]+[kMGTE]?)\|", line)
        if match and current:
            files[current][int(match.group(1))] = 0 if match.group(2) == "0" else 1
    return files


def branch_counts(exported):
    """{(file, line, column, end line, end column): [taken, not taken]} over all instantiations."""
    branches = collections.defaultdict(lambda: [0, 0])
    for unit in exported["data"]:
        for function in unit["functions"]:
            for l1, c1, l2, c2, true, false, file_id, _, kind in function.get("branches", []):
                name = function["filenames"][file_id]
                if name.startswith(str(proof.INCLUDE)):
                    branches[name, l1, c1, l2, c2][0] += true
                    branches[name, l1, c1, l2, c2][1] += false
    return branches


def exclusions():
    """Blocks `== file`, `why: reason`, then the text of the excluded lines as they stand, one or several."""
    blocks, current = [], None
    for line in EXCLUDED.read_text(encoding="utf-8").splitlines() if EXCLUDED.exists() else []:
        if line.startswith("#"):
            continue
        if line.startswith("== "):
            current = {"file": line[3:].strip(), "why": "", "lines": []}
            blocks.append(current)
        elif line.startswith("why: ") and current:
            current["why"] = line[5:].strip()
        elif line.strip() and current:
            current["lines"].append(line.strip())
    return blocks


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--lines", type=float, default=100.0)
    parser.add_argument("--branches", type=float, default=97.0)
    given = parser.parse_args()
    build()
    merged, programs = execute(given.quick)
    shown = cov("show", merged, programs, "-format=text", "-show-instantiations=false", "-show-expansions=false")
    lines = line_counts(shown.output)
    exported = cov("export", merged, programs, "-format=text", "-skip-expansions")
    branches = branch_counts(json.loads(exported.output[exported.output.index("{"):]))
    page = cov("show", merged, programs, "-format=html", f"-output-dir={FOLDER / 'html'}", "-show-instantiations=false",
               "-project-title=slotwise")
    if not lines or not branches or not page.ok:
        proof.die("llvm-cov shows nothing:", shown.output[-1000:], page.output[-1000:], code=1)

    wrong, excused = [], set()
    for block in exclusions():
        path = str(proof.INCLUDE / "slotwise" / block["file"])
        text = [line.strip() for line in open(path, encoding="utf-8")] if os.path.exists(path) else []
        if not block["why"] or not block["lines"]:
            wrong.append(f"coverage_exclude.txt: {block['file']}: no reason, or no line")
        for excluded in block["lines"]:
            found = [number for number, line in enumerate(text, 1) if line == excluded]
            if not found:
                wrong.append(f"coverage_exclude.txt: {block['file']} has no line '{excluded}'")
            excused.update((path, number) for number in found)

    report, covered, total, used = [], 0, 0, set()
    source = {path: open(path, encoding="utf-8").read().splitlines() for path in lines}
    for path, counts in sorted(lines.items()):
        for number, count in sorted(counts.items()):
            total += 1
            if count:
                covered += 1
            elif (path, number) in excused:
                covered += 1
                used.add((path, number))
            else:
                report.append(f"{proof.relative(path)}:{number}: never executed: {source[path][number - 1].strip()}")
    taken = all_branches = 0
    for (path, line, column, end, end_column), (true, false) in sorted(branches.items()):
        if lines.get(path, {}).get(line, 0) and true == 0 and false == 0:
            continue  # folded: a condition that is a constant in every instantiation
        if (path, line) in excused:
            used.add((path, line))
            continue
        all_branches += 2
        taken += (true > 0) + (false > 0)
        if true == 0 or false == 0:
            code = source[path][line - 1][column - 1:end_column - 1 if end == line else None] if path in source else ""
            never = "never" if true == 0 and false == 0 else "never true" if true == 0 else "never false"
            report.append(f"{proof.relative(path)}:{line}:{column}: {never}: {code.strip()}")
    for path, number in sorted(excused - used):
        wrong.append(f"coverage_exclude.txt: {proof.relative(path)}:{number} is executed after all: {source.get(path, {number: ''})[number - 1]}")
    (FOLDER / "coverage.txt").write_text("\n".join(sorted(report)) + "\n", encoding="utf-8")
    line_percent, branch_percent = 100 * covered / total, 100 * taken / all_branches
    for line in wrong:
        print(line)
    if line_percent < given.lines or branch_percent < given.branches:
        print("\n".join(sorted(report)[:40]))
    print(f"  {len(lines)} headers, {len(programs)} programs; pages: {FOLDER / 'html' / 'index.html'}; what is missing: {FOLDER / 'coverage.txt'}")
    print(f"coverage: lines {line_percent:.2f} % ({covered} of {total}, {len(used)} excluded with a reason), "
          f"branches {branch_percent:.2f} % ({taken} of {all_branches})")
    sys.exit(1 if wrong or line_percent < given.lines or branch_percent < given.branches else 0)


if __name__ == "__main__":
    main()
