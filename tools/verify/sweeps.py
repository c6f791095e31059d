# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What throws.py and alloc.py share: running test programs that report what they swept, and reading the reports.

A program whose environment has SLOTWISE_SWEEP_REPORT appends a line for each sweep to the file named there (tests/support/sweep.hpp):
    throws <tab> function <tab> throw points <tab> test case        noexcept <tab> function <tab> 0 <tab> test case
    alloc <tab> container <tab> setting <tab> case
"""
import argparse
import pathlib
import re
import sys

import proof


class Failed(Exception):
    """A promise that does not hold; what is wrong, one line each."""

    def __init__(self, *lines):
        super().__init__("\n".join(lines))


def arguments(description):
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the same checks on the programs of build/dev, if they are there")
    parser.add_argument("--programs", type=pathlib.Path, help="run the programs slotwise_test_<folder> of this folder, not own ones")
    options = parser.parse_args()
    if options.quick and options.programs is None and (proof.ROOT / "build" / "dev" / "tests").is_dir():
        options.programs = proof.ROOT / "build" / "dev" / "tests"
    return options


def sources(pattern):
    """Test sources that match, by folder; also those that include a header of test cases that matches."""
    named = re.compile(pattern)
    found, headers = {}, {}

    def sweeps(path, seen=()):
        if path not in headers:
            text = path.read_text()
            included = [(path.parent / name, proof.TESTS / name) for name in re.findall(r'^\s*#\s*include "([^"]+)"', text, re.M)]
            headers[path] = bool(named.search(text)) or any(
                sweeps(each, (*seen, path)) for pair in included for each in pair
                if each.is_file() and each.parent.name != "support" and each not in seen and "TEST_CASE" in each.read_text())
        return headers[path]

    for folder in proof.FOLDERS:
        chosen = [path for path in sorted((proof.TESTS / folder).glob("*.cpp")) if sweeps(path)]
        if chosen:
            found[folder] = chosen
    return found


def build(name, chosen):
    """One program a folder in build/proof/<name>; sources that did not change since are not compiled again."""
    programs = proof.Programs(name)
    objects, work = {}, []
    for folder, paths in chosen.items():
        objects[folder] = [programs.folder / f"{folder}_{path.stem}.o" for path in paths]
        work += list(zip(paths, objects[folder]))

    def compile_one(item):
        source, target = item
        listing = target.with_suffix(".d")
        if target.exists() and listing.exists():
            parts = listing.read_text().replace("\\\n", " ").split(":", 1)[1].split()
            if all(pathlib.Path(part).exists() and pathlib.Path(part).stat().st_mtime <= target.stat().st_mtime for part in parts):
                return None
        include = [f"-I{proof.INCLUDE}", f"-I{proof.TESTS}"]
        result = proof.run([programs.compiler, *programs.flags, *include, "-MMD", "-c", source, "-o", target])
        return None if result.ok else result.output

    programs.main()
    broken = [f"{proof.relative(item[0])} does not compile:\n{output[:2000]}"
              for item, output in proof.parallel(compile_one, work) if output]
    if broken:
        raise Failed(*broken)
    for folder, parts in objects.items():
        program = programs.folder / f"slotwise_test_{folder}"
        result = proof.run([programs.compiler, *parts, *programs.main(), *programs.link, "-o", program])
        if not result.ok:
            raise Failed(f"{program.name} does not link:\n{result.output[:2000]}")
    return programs.folder


def run(folder, selection, report, timeout=1800):
    """Runs all programs slotwise_test_* of the folder on the selected cases. Returns the lines of the report, as lists of fields."""
    report.parent.mkdir(parents=True, exist_ok=True)
    if report.exists():
        report.unlink()
    programs = sorted(path for path in folder.glob("slotwise_test_*") if path.suffix in ("", ".exe") and path.is_file())
    if not programs:
        raise Failed(f"no program slotwise_test_* in {folder}; build the tests first")
    failed = []
    for program, result in proof.parallel(
            lambda each: proof.run([each, selection], env={"SLOTWISE_SWEEP_REPORT": str(report.resolve())}, timeout=timeout), programs):
        nothing = re.search(r"No test cases matched|No tests ran", result.output)
        if not result.ok and not nothing:
            failed.append(f"{program.name} {selection} ended with {result.code}:\n{result.output[-2000:]}")
    if failed:
        raise Failed(*failed)
    return read(report)


def read(report):
    lines = report.read_text().splitlines() if report.exists() else []
    if not lines:
        raise Failed("no program reported a sweep; is SLOTWISE_SWEEP_REPORT asked for by the tests (tests/support/sweep.hpp)?")
    return [line.split("\t") for line in lines]


def exceptions(path):
    """Lines `name: reason` of a text file; {name: reason}. # begins a comment."""
    listed = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, separator, reason = line.partition(": ")
        if not separator or len(reason.strip()) < 10:
            raise Failed(f"{path.name}:{number}: write `name: reason`, with a reason")
        listed[name.strip()] = reason.strip()
    return listed


def main(check):
    """Runs check() -> summary line; what it says is wrong goes to stderr, and 1 is returned."""
    try:
        print(check())
    except Failed as failure:
        print(failure, file=sys.stderr)
        print(f"{pathlib.Path(sys.argv[0]).stem}: FAILED, {len(str(failure).splitlines())} lines above")
        return 1
    return 0
