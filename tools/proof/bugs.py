#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""bugs.py [PART-OF-A-NAME] [--fit | --quick [--seed N] | --list]: what a person could write wrong, and whether the tests see it.

tests/bugs/<folder>.txt holds named bugs: an excerpt of a header and what somebody could have written there instead, and why. Each is
put into a copy of include/, the named test cases are compiled against it and run: they must fail, crash or not come to an end, or
a static_assert of the tests must fail; and the same program passes without the bug. So each case is shown to look at what it names.

    == a lookup that compares only the index
    why: the version check looks like a duplicate of the liveness check
    in: slots/slot_directory.hpp
    by: slots/slot_directory.cpp "any two numbers may be asked, whatever the slot is"
    --- old
    whole lines of the header, which occur in it once
    --- new
    the lines that stand there instead

Several pairs of old and new make one bug. `by:` takes the beginning of test cases' names (* at its front: a part of them).
`with: FLAGS` compiles with more flags, as -fsanitize=address where a bug only touches what it must not.

--fit, one of the unit tests: all excerpts are there once, all test cases too; nothing is compiled. --quick, for every build: they
fit, and three bugs are caught, chosen by --seed (the day of the year). Environment: CXX, SLOTWISE_JOBS. Exit status 1 when a bug
survives, or proves nothing; each is named.
"""
import argparse
import dataclasses
import datetime
import hashlib
import pathlib
import random
import re
import shlex
import shutil
import sys
import threading

import proof

TIMEOUT = 60  # seconds for the named cases; without a bug they take less than ten
QUICK = 3
CHEAP = ("core/", "memory/", "slots/")  # sources that compile in a few seconds
CAUGHT = {"check": "by a failed check", "static": "by a static_assert", "crash": "by a crash", "timeout": "by a timeout"}
# A test case of Catch, up to the brace that ends it: what clang-format leaves at the first column.
CASE = re.compile(r"^((?:[A-Z_]+_)?TEST_CASE(?:_SIG)?\(.*?\) \{(?: [^\n]*\}\n|[^\n]*\n.*?^\}\n))", re.M | re.S)
# What a compiler says of a check of the tests that it makes itself.
STATIC = re.compile("static.assert(ion)?( expression)? (failed|is not an integral constant)|non-constant condition for static assertion")
# A bug may take all memory or loop for ever; address space that is only reserved is not counted.
LIMITED = ["sh", "-c", 'ulimit -c 0; ulimit -d 6000000; exec "$@"', "sh"]


class BadBug(Exception):
    """What is wrong with a bug's description, or why it proves nothing."""


@dataclasses.dataclass(eq=False)
class Bug:
    where: str  # file:line
    name: str
    why: str = ""
    header: str = ""
    source: str = ""
    cases: str = ""
    flags: tuple = ()
    edits: list = dataclasses.field(default_factory=list)  # [old, new]

    def named(self, text):
        """Whether a string in this text is one of the names."""
        name = self.cases.strip("*")
        strings = re.findall(r'"((?:[^"\\\n]|\\.)*)"', re.sub(r'"\s*\n\s*"', "", text))
        return any(name in string if self.cases.startswith("*") else string.startswith(name) for string in strings)

    def pattern(self):
        """What Catch is given: names that begin so. Commas and brackets have a meaning there."""
        return re.sub(r'([,\[\]"\\])', r"\\\1", self.cases) + ("" if self.cases.endswith("*") else "*")


def read_bugs(path):
    bugs, part = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path.name}:{number}"
        if line.startswith("== "):
            bugs.append(Bug(where, line[3:].strip()))
            part = None
        elif line in ("--- old", "--- new"):
            part = line[4:]
            if not bugs or (part == "new") != (len(bugs[-1].edits) != 0 and len(bugs[-1].edits[-1]) == 1):
                raise BadBug(f"{where}: `--- old` and `--- new` come in pairs, after a line `== name`")
            bugs[-1].edits.append([[]]) if part == "old" else bugs[-1].edits[-1].append([])
        elif part is not None:
            bugs[-1].edits[-1][-1].append(line)
        elif line.strip() and not line.startswith("#"):
            key, _, value = line.partition(":")
            value = value.strip()
            by = re.fullmatch(r'(\S+)\s+"(.+)"', value) if key == "by" else None
            if not bugs or key not in ("why", "in", "by", "with") or not value or (key == "by" and by is None):
                raise BadBug(f"{where}: expected `== name`, `why: ...`, `in: header`, `by: source \"test case\"` or `with: flags`")
            if key == "why":
                bugs[-1].why = value
            elif key == "in":
                bugs[-1].header = value
            elif key == "with":
                bugs[-1].flags = tuple(shlex.split(value))
            else:
                bugs[-1].source, bugs[-1].cases = by.groups()
    for bug in bugs:
        if not (bug.why and bug.header and bug.source and bug.edits and len(bug.edits[-1]) == 2):
            raise BadBug(f"{bug.where}: `{bug.name}` lacks why, in, by, old or new")
        for edit in bug.edits:  # blank lines at the end only part it from the next bug
            edit[:] = ["\n".join(lines).rstrip("\n") for lines in edit]
            if edit[0] == edit[1] or not edit[0].strip():
                raise BadBug(f"{bug.where}: `{bug.name}` changes nothing")
    return bugs


def patched(bug, text):
    """The header with the bug in it."""
    lined = f"\n{text}\n"
    for old, new in bug.edits:
        count = lined.count(f"\n{old}\n")
        if count != 1:
            raise BadBug(f"the bug's text is not in {bug.header}: update it" if count == 0 else
                         f"the bug's text is in {bug.header} {count} times: make it longer, so that it is there once")
        lined = lined.replace(f"\n{old}\n", f"\n{new}\n" if new else "\n")
    return lined[1:-1]


class Bench:
    """Where bugs are tried: a tree with include/ and tests/, and a folder to work in."""

    def __init__(self, root=proof.ROOT, work=proof.BUILD / "bugs", programs=None):
        self.include, self.tests, self.work = root / "include", root / "tests", work
        self.programs = programs or proof.Programs("bugs")
        self.headers = sorted(path for path in self.include.rglob("*") if path.is_file())
        self.sound = {}  # (source, cases, flags) -> the program without a bug, or the error
        self.passed = {}  # the same -> None or the error
        self.lock = threading.Lock()
        self.locks = {}

    def read(self):
        bugs = [bug for path in sorted((self.tests / "bugs").glob("*.txt")) for bug in read_bugs(path)]
        seen = set()
        for bug in bugs:
            if bug.name in seen:
                raise BadBug(f"{bug.where}: two bugs are called `{bug.name}`")
            seen.add(bug.name)
        return bugs

    #=== without compiling ===#

    def test_text(self, path, seen=None):
        """The source and the headers of the tests that it includes, as one text; `seen` gets each by its path."""
        seen = {} if seen is None else seen
        if path in seen or not path.is_file():
            return ""
        text = seen[path] = path.read_text()
        for name in re.findall(r'^#include "([^"]+)"', text, re.M):
            text += self.test_text(path.parent / name, seen) + self.test_text(self.tests / name, seen)
        return text

    def check(self, bug):
        """Whether header, excerpts, source and test case are there; the header with the bug. @throws BadBug"""
        header, source = self.include / "slotwise" / bug.header, self.tests / bug.source
        if not header.is_file():
            raise BadBug(f"there is no header {bug.header}")
        text = patched(bug, header.read_text())
        if not source.is_file():
            raise BadBug(f"there is no source tests/{bug.source}")
        if not bug.named(self.test_text(source)):
            raise BadBug(f"tests/{bug.source} has no test case `{bug.cases}`")
        return text

    #=== compiling and running ===#

    def once(self, cache, key, make):
        """make() for the first who asks, who else asks waits for it."""
        with self.lock:
            lock = self.locks.setdefault((id(cache), key), threading.Lock())
        with lock:
            if key not in cache:
                cache[key] = make()
        return cache[key]

    def speed(self, flags):
        """Catch2 is compiled once for each set of flags."""
        source, compiler = self.tests / "support" / "catch.hpp", self.programs.compiler
        if "clang" in str(compiler) or not source.is_file():
            return []

        def make():
            key = hashlib.sha256(repr((str(compiler), self.programs.flags, flags)).encode()).hexdigest()[:16]
            header = self.work / f"precompiled-{key}.hpp"
            target = pathlib.Path(f"{header}.gch")
            if not target.exists():
                header.parent.mkdir(parents=True, exist_ok=True)
                header.write_text(f'#include "{source}"\n')
                part = target.with_suffix(".part")
                result = proof.run([compiler, *self.programs.flags, *flags, "-x", "c++-header", header, "-o", part])
                if not result.ok:
                    proof.die("cannot precompile tests/support/catch.hpp:", result.output)
                part.rename(target)
            return ["-Winvalid-pch", "-include", header]

        return self.once(self.sound, ("precompiled", flags), make)

    def trimmed(self, bug):
        """The source with no other cases than the named ones, in a tree of its own; a case costs seconds of compilation. The source
        itself where the cases cannot be told, because they are made by macros."""

        def make():
            digest = hashlib.sha256(repr((bug.source, bug.cases)).encode()).hexdigest()[:12]
            folder = self.work / "trimmed" / digest
            shutil.rmtree(folder, ignore_errors=True)
            closure, kept = {}, 0
            self.test_text(self.tests / bug.source, closure)
            for path, text in closure.items():
                parts = CASE.split(text)
                for i in range(1, len(parts), 2):
                    if bug.named(parts[i]):
                        kept += 1
                    else:
                        parts[i] = "\n" * parts[i].count("\n")
                if len(parts) > 1 or path == self.tests / bug.source:
                    copy = folder / path.relative_to(self.tests)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    copy.write_text(f'#line 1 "{path}"\n' + "".join(parts))
            return folder if kept else None

        folder = self.once(self.sound, ("trimmed", bug.source, bug.cases), make)
        source = self.tests / bug.source
        return [source] if folder is None else [folder / bug.source, f"-I{folder}", "-iquote", source.parent]

    def compile(self, bug, output, include):
        source, *flags = self.trimmed(bug)
        return self.programs.compile([source], output, include=include, extra=[*bug.flags, *flags, *self.speed(bug.flags)])

    def run(self, bug, program):
        limits = [] if any(flag.startswith("-fsanitize") for flag in bug.flags) else LIMITED  # sanitizers reserve much and use little
        return proof.run([*limits, program, bug.pattern()], timeout=TIMEOUT, cwd=program.parent,
                         env={"ASAN_OPTIONS": "hard_rss_limit_mb=6000"})

    def sound_program(self, bug):
        """The program without the bug; kept, as long as no header and no test has changed."""
        made_of = (str(self.programs.compiler), self.programs.flags, bug.source, bug.cases, bug.flags)
        program = self.work / "sound" / hashlib.sha256(repr(made_of).encode()).hexdigest()[:16]
        digest = hashlib.sha256()
        for path in [*self.headers, *sorted(self.tests.rglob("*.hpp")), self.tests / bug.source]:
            digest.update(path.read_bytes())
        key = program.with_suffix(".key")
        if not (program.exists() and key.exists() and key.read_text() == digest.hexdigest()):
            program.parent.mkdir(parents=True, exist_ok=True)
            key.write_text("")
            result = self.compile(bug, program, self.include)
            if not result.ok:
                return f"tests/{bug.source} does not compile without the bug:\n{result.output[-2000:]}"
            key.write_text(digest.hexdigest())
        return program

    def sound_run(self, bug):
        program = self.once(self.sound, (bug.source, bug.cases, bug.flags), lambda: self.sound_program(bug))
        if isinstance(program, str):
            return program
        result = self.run(bug, program)
        passed = re.search(r"All tests passed \((\d+) assertions? in (\d+) test cases?\)", result.output)
        if result.ok and passed and int(passed[1]) > 0:
            return None
        if "No test cases matched" in result.output or "No tests ran" in result.output:
            return f"no test case of tests/{bug.source} is called `{bug.cases}`"
        return f"the test fails or checks nothing without the bug:\n{result.output[-2000:]}"

    def sound_error(self, bug):
        """What is wrong with the test without the bug, or None; compiled and run once."""
        return self.once(self.passed, (bug.source, bug.cases, bug.flags), lambda: self.sound_run(bug))

    def farm(self, bug, text, folder):
        """include/ as links, with one header of its own. Links of files: a header's "../x" starts where it was found."""
        for header in self.headers:
            link = folder / "include" / header.relative_to(self.include)
            link.parent.mkdir(parents=True, exist_ok=True)
            if header == self.include / "slotwise" / bug.header:
                link.write_text(text)
            else:
                link.symlink_to(header)
        return folder / "include"

    def try_bug(self, bug):
        """A key of CAUGHT, or "survives". @throws BadBug when it proves nothing"""
        text = self.check(bug)
        error = self.sound_error(bug)
        if error:
            raise BadBug(error)
        folder = self.work / "bug" / hashlib.sha256(bug.name.encode()).hexdigest()[:12]
        shutil.rmtree(folder, ignore_errors=True)
        program = folder / "program"
        compiled = self.compile(bug, program, self.farm(bug, text, folder))
        if not compiled.ok:
            errors = [line for line in compiled.output.splitlines() if "error:" in line or "undefined" in line]
            asserts = [line for line in errors if line.startswith(f"{self.tests}/") and STATIC.search(line)]
            if asserts and all(line in asserts or "constant expression" in line for line in errors):
                return "static"
            raise BadBug("killed by the compiler: not a bug that somebody could commit\n" + "\n".join(errors[:4]))
        result = self.run(bug, program)
        shutil.rmtree(folder)
        if result.ok:
            return "survives"
        if result.code == 124:
            return "timeout"
        return "crash" if result.code < 0 or "Sanitizer" in result.output else "check"


def select(bugs, pattern):
    return [bug for bug in bugs if pattern.lower() in f"{bug.where.split('.')[0]}: {bug.name}".lower()]


def run_all(bench, bugs):
    """The bugs of each verdict; prints one line a bug."""
    verdicts = {"survives": [], "error": [], **{key: [] for key in CAUGHT}}

    def attempt(bug):
        try:
            return bench.try_bug(bug), ""
        except BadBug as error:
            return "error", str(error)

    # First the programs without bugs, one of each: several bugs would wait for the same one.
    sound = {(bug.source, bug.cases, bug.flags): bug for bug in bugs if (bench.tests / bug.source).is_file()}
    for _ in proof.parallel(bench.sound_error, sound.values()):
        pass
    for bug, (verdict, error) in proof.parallel(attempt, bugs):
        verdicts[verdict].append(bug)
        line = {"survives": "SURVIVES", "error": "ERROR"}.get(verdict, "caught " + CAUGHT.get(verdict, ""))
        print(f"{line:24} {bug.where}: {bug.name}", flush=True)
        if verdict == "survives":
            print(f"  tests/{bug.source} \"{bug.cases}\" passes although {bug.header} has this bug")
        if error:
            print("  " + error.replace("\n", "\n  "))
    return verdicts


def main(argv=None, bench=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="?", default="", help="only bugs with this in `folder: name`")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=datetime.date.today().timetuple().tm_yday)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args(argv)
    bench = bench or Bench()
    try:
        bugs = bench.read()
    except BadBug as error:
        print(error, "bugs: the descriptions cannot be read", sep="\n")
        return 1
    chosen = select(bugs, arguments.pattern)
    if arguments.list:
        for bug in chosen:
            print(f"{bug.where.split('.')[0]}: {bug.name}\n    {bug.why}\n    {bug.header}, by tests/{bug.source} \"{bug.cases}\"")
        print(f"bugs: {len(chosen)} listed")
        return 0 if chosen else 1
    if not chosen:
        print(f"bugs: no bug has `{arguments.pattern}` in its name")
        return 1
    text = ""
    if arguments.fit or arguments.quick:
        wrong = 0
        for bug in chosen:
            try:
                bench.check(bug)
            except BadBug as error:
                wrong += 1
                print(f"ERROR {bug.where}: {bug.name}\n  {error}")
        if wrong:
            print(f"bugs: {wrong} of {len(chosen)} descriptions do not fit the headers or tests")
            return 1
        if arguments.fit:
            print(f"bugs: {len(chosen)} descriptions fit")
            return 0
        text = f"{len(chosen)} descriptions fit; seed {arguments.seed}: "
        cheap = [bug for bug in chosen if bug.source.startswith(CHEAP) and not bug.flags] or chosen
        chosen = random.Random(arguments.seed).sample(cheap, min(QUICK, len(cheap)))
    verdicts = run_all(bench, chosen)
    caught = sum(len(verdicts[key]) for key in CAUGHT)
    how = ", ".join(f"{len(verdicts[key])} {words}" for key, words in CAUGHT.items())
    rest = f", {len(verdicts['survives'])} survive, {len(verdicts['error'])} prove nothing" if caught != len(chosen) else ""
    print(f"bugs: {text}{caught} of {len(chosen)} caught ({how}){rest}")
    return 0 if caught == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
