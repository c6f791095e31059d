#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Mutation sweep: small faults are put into the headers, one at a time; a test must fail for each of them.

    mutate.py [FOLDER|FILE...]        all mutants of these folders or headers (map, keyed/hash_index.hpp); default: map keyed
    mutate.py --sample N [--seed S]   N of them, chosen by S
    mutate.py --quick                 a sample against the replay programs of tests/fuzz alone: shows within a minute that this works
    mutate.py --list                  names them
    mutate.py --budget SECONDS        of tests (by their time without a mutant) a mutant must survive at most; default: 60
    mutate.py --root DIR --goal SHARE   of another repository, for tests/tools/mutate_test.py

All mutants are compiled once, into a copy of the headers, and a number chooses one at run time (mutants.py): a mutant costs a run of
tests and no compile, and every kill is by a test, not by the compiler. Tests are the replay programs of tests/fuzz and the test cases
of the folder (tests/map for map), in build/proof/mutate. Each of them is run once with all mutants off to record which mutants it
reaches; a mutant is then run with the tests that reach it, quickest first, until one fails, crashes or takes ten times its time and
five seconds. What is left is listed in build/proof/mutate/report.txt and report.json.

Mutants that cannot change what the library does (a guess at a capacity, a prefetch) are in mutate_equivalent.txt, by code and not by
line, with the reason. They are run as well: one that a test kills is not equivalent, and one that names no mutant is stale; both fail.
Stale ones of the headers looked at are seen by --sample and --quick as well; lines that are no more, by check_headers.py layout.
"""
import collections
import dataclasses
import json
import pathlib
import random
import re
import shutil
import sys
import time

import mutants
import proof
from headers import EQUIVALENT, read_equivalents, squeeze, write

FLAGS = ["-std=c++20", "-w", "-Wno-c++11-narrowing", "-fconstexpr-steps=100000000", "-ferror-limit=0", "-DSLOTWISE_CHECK_LEVEL=2"]
REPLAY, UNIT = "-O1", "-O0"  # replay runs for each mutant; a test case for few, and its compile would take five times as long
GOAL = 0.90        # of all mutants of a folder
QUICK_GOAL = 0.60  # of a sample, by the replay programs alone
QUICK = 40  # of 12, one in ten samples falls below by chance
CCACHE = ["ccache"] if shutil.which("ccache") else []
BATCH = 2.0  # seconds of test cases that are run in one process before one looks whether the mutant is dead
MEMORY = 3 << 30   # a mutant that allocates without end must not take the machine with it

SWITCH = """// Which mutant is on; included before everything else.
#ifndef SLOTWISE_MUTANT
#define SLOTWISE_MUTANT
namespace slotwise_mutant {
extern int active;
extern unsigned char* reached;
[[gnu::always_inline]] inline constexpr bool on(int id) noexcept {
    if (__builtin_is_constant_evaluated()) return false;
    if (reached != nullptr) reached[id] = 1;
    return active == id;
}
} // namespace slotwise_mutant
#endif
"""
RUNTIME = """#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
namespace slotwise_mutant {
int active = -1;
unsigned char* reached = nullptr;
namespace {
// Before any constructor of a test. What is reached is written to a shared mapping: children and crashes count.
__attribute__((constructor(101))) void start() {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (const char* id = std::getenv("SLOTWISE_MUTANT")) {
        active = std::atoi(id);
        const rlimit bytes{MEMORY, MEMORY};
        setrlimit(RLIMIT_DATA, &bytes);
    }
    if (const char* path = std::getenv("SLOTWISE_MUTANT_REACHED")) {
        const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
        void* map = file >= 0 && ftruncate(file, SIZE) == 0 ? mmap(nullptr, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
        if (map == MAP_FAILED) std::_Exit(99);
        reached = static_cast<unsigned char*>(map);
    }
}
} // namespace
} // namespace slotwise_mutant
"""


def names_of(program):
    """The test cases of a program of Catch2."""
    # Version 3 lists bare names when told to be quiet; version 2 has an option for it and answers with their number, at most 255.
    for options in (["--list-test-names-only"], ["--list-tests", "--verbosity", "quiet"]):
        result = proof.run([program, *options])
        names = [line for line in result.output.splitlines() if line.strip()]
        if names and result.code in (0, len(names), 255):
            return names
    proof.die(f"{program} lists no test case:", result.output)


@dataclasses.dataclass
class Case:
    """Something to run: a test case of a Catch2 program, or a replay program with its input."""
    program: pathlib.Path
    arguments: list
    name: str = ""   # of a test case; several are run in one process
    seconds: float = 0.0
    reached: frozenset = frozenset()


@dataclasses.dataclass
class Verdict:
    point: mutants.Point
    state: str  # killed, survived, never reached
    by: str = ""
    how: str = ""  # failed, crashed, timeout; of a survivor: not all run

    def row(self):
        point = self.point
        return {"file": point.file, "line": point.line, "change": point.change, "code": point.code, "state": self.state, "by": self.by,
                "how": self.how}


class Sweep:
    """One folder: its mutants, the programs that may kill them."""

    def __init__(self, folder, points, given, part):
        self.folder, self.given, self.include, self.tests = folder, given, given.include, given.tests
        self.all_points, self.points = list(points), {point.id: point for point in points}
        self.work = given.work / (folder + ("-part" if part else ""))
        self.mutated, self.switch = self.work / "include", self.work / "switch.hpp"
        self.spans, self.not_compilable = {}, []
        self.compiler = proof.clang()

    # --- the copy of the headers ---

    def write_headers(self):
        for source in sorted((self.include / "slotwise").rglob("*.hpp")):
            name = str(source.relative_to(self.include / "slotwise"))
            text = mutants.read(source)
            points = [point for point in self.points.values() if point.file == name]
            if points:
                text, self.spans[name] = mutants.render(text, points)
            write(self.mutated / "slotwise" / name, text, "latin-1")

    def drop(self, ids):
        self.not_compilable += [self.points.pop(number) for number in ids if number in self.points]

    def blamed(self, output):
        """The innermost mutant at the place of each error; where there is none, of the notes that follow it."""
        guilty, stuck = set(), []
        for error in re.split(r"^(?=[^:\n]+:\d+:\d+: (?:fatal error|error): )", output, flags=re.M)[1:]:
            places = re.findall(r"^([^:\n]+):(\d+):(\d+): (?:fatal error|error|note): ", error, re.M)
            found = next(filter(None, (self.mutant_at(path, int(row), int(column)) for path, row, column in places)), None)
            if found:
                guilty.add(found)
            else:
                stuck.append(error.split("\n")[0])
        return guilty, stuck

    def mutant_at(self, path, row, column):
        try:
            name = str(pathlib.Path(path).resolve().relative_to((self.mutated / "slotwise").resolve()))
        except ValueError:
            return None
        if name not in self.spans:
            return None
        lines = mutants.read(self.mutated / "slotwise" / name).split("\n")
        at = sum(len(line) + 1 for line in lines[:row - 1]) + column - 1
        around = [(end - begin, number) for begin, end, number in self.spans[name] if begin <= at < end]
        # Without one around it: the place is the head of something with mutants in it, such as a call.
        inside = [(begin, number) for begin, _, number in self.spans[name] if at <= begin < at + len(lines[row - 1]) - column]
        return min(around)[1] if around else min(inside)[1] if inside else None

    # --- compiling ---

    def base(self):
        return [self.compiler, *FLAGS, f"-DSLOTWISE_CATCH2_VERSION={self.version}", f"-I{self.mutated}", f"-I{self.tests}"]

    def head(self, source):
        """What a source begins with: the switch; for a test of Catch2 in a precompiled header."""
        return ["-include-pch", self.work / "begin.pch"] if source in self.sources else ["-include", self.switch]

    def prepare(self):
        self.work.mkdir(parents=True, exist_ok=True)
        write(self.switch, SWITCH)
        self.catch = proof.Programs("mutate/catch", compiler=self.compiler, flags=("-std=c++20", "-O1", "-w"))
        self.version = self.catch.version
        self.sources = [] if self.given.quick else sorted((self.tests / self.folder).glob("*.cpp"))
        if self.sources:
            begin = self.work / "begin.hpp"
            write(begin, f'#include "{self.switch}"\n#include "support/catch.hpp"\n')
            proof.must([*self.base(), "-x", "c++-header", begin, "-o", self.work / "begin.pch"], "cannot precompile Catch2:")
        # Which of the replay programs include a header of this folder, the compiler says.
        names = [str(self.mutated / "slotwise" / point.file) for point in self.all_points]
        self.fuzz = []
        for source, read in proof.parallel(lambda source: proof.must([*self.base(), "-MM", source]), (self.tests / "fuzz").glob("*.cpp")):
            if any(name in read for name in names):
                self.fuzz.append(source)
        self.fuzz.sort()

    def check_syntax(self):
        """Takes out the mutants that do not compile, until all sources do."""
        sources = [*self.fuzz, *self.sources]
        if not sources:
            proof.die(f"no tests for {self.folder}")
        left = sources
        while left:
            begun = time.monotonic()
            guilty, stuck, broken = set(), [], []  # a source without an error stays so: there will be fewer mutants
            for source, result in proof.parallel(
                    lambda source: proof.run([*self.base(), *self.head(source), "-fsyntax-only", source]), left):
                if not result.ok:
                    broken.append(source)
                    more, without = self.blamed(result.output)
                    guilty |= more
                    stuck += without or ([] if more else [result.output[-1500:]])
            if broken and not guilty:
                proof.die(f"{self.folder}: errors that no mutant can be blamed for:", *stuck[:5])
            self.say(f"{len(left)} sources read, {len(guilty)} mutants do not compile ({time.monotonic() - begun:.0f} s)")
            self.drop(guilty)
            self.write_headers()
            left = broken
        return sources

    def program(self, source):
        """Compiles a source, by ccache where it is here: (the program, a Result)."""
        path = self.work / "programs" / f"{source.parent.name}_{source.stem}"
        path.parent.mkdir(exist_ok=True)
        level, runner = (UNIT if self.given.quick else REPLAY, []) if source in self.fuzz else (UNIT, self.catch.main())
        result = proof.run([*CCACHE, *self.base(), level, *self.head(source), "-c", source, "-o", path.with_suffix(".o")])
        if result.ok:
            result = proof.run([self.compiler, path.with_suffix(".o"), self.runtime, *runner, "-o", path])
            path.with_suffix(".o").unlink()
        return path, result

    def build(self):
        sources = self.check_syntax()
        begun = time.monotonic()
        write(self.work / "runtime.cpp", RUNTIME.replace("MEMORY", str(MEMORY)).replace("SIZE", str(max(point.id for point in self.all_points) + 1)))
        self.runtime = self.work / "runtime.o"
        proof.must([self.compiler, *FLAGS, "-c", self.work / "runtime.cpp", "-o", self.runtime], "cannot compile the switch:")
        if self.sources:
            self.catch.main()  # once, before several ask for it
        programs = []
        for source, (program, result) in proof.parallel(self.program, sources):
            if not result.ok:
                proof.die(f"cannot compile {source} with mutants:", result.output[-3000:])
            programs.append((source, program))
        self.say(f"{len(sources)} programs compiled ({time.monotonic() - begun:.0f} s)")
        return programs

    # --- running ---

    def cases(self, made):
        """What there is to run of a program, each with the mutants it reaches and its time."""
        source, program = made
        if source in self.fuzz:
            corpus = self.tests / "fuzz" / "corpus" / source.stem
            cases = [Case(program, [str(corpus)])] * corpus.is_dir() + [Case(program, ["--random", count, "1"]) for count in ("20", "200")]
        else:
            cases = [Case(program, [], name) for name in names_of(program)]
        for number, case in enumerate(cases):
            self.record(case, program.with_suffix(f".{number}.reached"))
        return cases

    def command(self, cases):
        if not cases[0].name:
            return [cases[0].program, *cases[0].arguments]
        names = ",".join(re.sub(r"([\\,\[\]])", r"\\\1", case.name) for case in cases)
        return [cases[0].program, names, "--abort"]

    def record(self, case, path):
        begun = time.monotonic()
        result = proof.run(self.command([case]), timeout=900, env={"SLOTWISE_MUTANT_REACHED": str(path)})
        case.seconds = time.monotonic() - begun
        if not result.ok:
            self.red.append(f"{case.program.name} {case.name or case.arguments} ({result.code}): {result.output[-300:]}")
            return
        case.reached = frozenset(at for at, byte in enumerate(path.read_bytes()) if byte)
        path.unlink()

    def batches(self, number):
        """The cases that reach a mutant, quickest first, those of one program together while they are quick."""
        cases = sorted((case for case in self.run_cases if number in case.reached), key=lambda case: case.seconds)
        out = []
        for case in cases:
            last = out[-1] if out else None
            if last and case.name and last[0].name and last[0].program == case.program and len(last) < 100 and \
                    sum(each.seconds for each in last) + case.seconds <= BATCH:
                last.append(case)
            else:
                out.append([case])
        return out

    def judge(self, number):
        """Runs a mutant."""
        point, spent = self.points[number], 0.0
        batches = self.batches(number)
        for batch in batches:
            seconds = sum(case.seconds for case in batch)
            spent += seconds
            if spent > self.given.budget:
                return Verdict(point, "survived", how="not all run")
            result = proof.run(self.command(batch), timeout=10 * seconds + 5, env={"SLOTWISE_MUTANT": str(number)})
            if not result.ok:
                how = "timeout" if result.code == 124 else "crashed" if result.code < 0 else "failed"
                place = re.search(r"tests/(\S+?:\d+)", result.output)
                return Verdict(point, "killed", place[1] if place else f"{batch[0].program.name} {batch[0].name}", how)
        return Verdict(point, "survived" if batches else "never reached")

    def say(self, text):
        print(f"mutate: {self.folder}: {text}", file=sys.stderr, flush=True)

    def run(self):
        """The verdicts over all mutants that compile."""
        self.write_headers()
        self.prepare()
        programs = self.build()
        begun = time.monotonic()
        self.run_cases, self.red = [], []
        for _, cases in proof.parallel(self.cases, programs):
            self.run_cases += cases
        if self.red:
            proof.die(f"{self.folder}: red without a mutant", *self.red)
        self.say(f"{len(self.run_cases)} test cases and replays, {sum(case.seconds for case in self.run_cases):.0f} s without a mutant")
        verdicts = []
        for _, verdict in proof.parallel(self.judge, sorted(self.points)):
            verdicts.append(verdict)
            if len(verdicts) % 100 == 0:
                killed = sum(each.state == "killed" for each in verdicts)
                self.say(f"{len(verdicts)} of {len(self.points)}, {killed} killed ({time.monotonic() - begun:.0f} s)")
        return sorted(verdicts, key=lambda verdict: verdict.point.id)


# --- equivalent mutants ---

def covers(entry, point):
    file, code, change = entry
    return (file, squeeze(code)) == (point.file, squeeze(point.code)) and change in ("any", point.change)


def stale(equivalents, every, include):
    """Those that name no mutant: of the headers looked at, and of headers that are no more."""
    return [f"listed as equivalent and names no mutant: {': '.join(each)}" for each in equivalents
            if not any(covers(each, point) for point in every.get(each[0], ()))
            and (each[0] in every or not (include / "slotwise" / each[0]).is_file())]


# --- the choice ---

def choose(given):
    """{folder: points}, whether that is not all of them, and all of each header looked at: {file: points}."""
    root, names = given.include / "slotwise", collections.defaultdict(list)
    for word in given.what or ("map", "keyed"):
        word = re.sub(r"^(.*/)?slotwise/", "", word.rstrip("/"))
        files = sorted((root / word).glob("*.hpp")) if (root / word).is_dir() else [root / word]
        if not files or not all(file.is_file() for file in files):
            proof.die(f"{word} is no folder and no header of {root}")
        names[word.split("/")[0]] += [str(file.relative_to(root)) for file in files]
    chosen, every = {}, {name: [] for each in names.values() for name in each}
    for folder in names:
        found = mutants.find(given.include, names[folder])
        chosen[folder] = found.points
        for point in found.points:
            every[point.file].append(point)
        for name, reason in found.without.items():
            print(f"mutate: {name} is left out: {reason}", file=sys.stderr)
        print(f"mutate: {folder}: {len(found.points)} places; {found.checks} checks (SLOTWISE_EXPECT) are left out: death tests are for them",
              file=sys.stderr)
    if given.sample:
        all_points = [(folder, point) for folder, points in chosen.items() for point in points]
        picked = random.Random(given.seed).sample(all_points, min(given.sample, len(all_points)))
        chosen = {folder: [point for where, point in picked if where == folder] for folder in chosen}
    part = bool(given.sample or any("/" in word for word in given.what))
    return {folder: sorted(points, key=lambda point: point.id) for folder, points in chosen.items() if points}, part, every


# --- the report ---

def report(sweep, verdicts, equivalents, wrong):
    """(what there is to count, the lines of the report); an equivalent mutant that was killed is wrong."""
    tally, by_file = collections.Counter(not_compilable=len(sweep.not_compilable)), collections.defaultdict(collections.Counter)
    for verdict in verdicts:
        entry = next((each for each in equivalents if covers(each, verdict.point)), None)
        if entry and verdict.state != "killed":
            verdict.state = "equivalent"
        elif entry and entry[2] != "any":
            wrong.append(f"listed as equivalent and killed by {verdict.by}: {verdict.point.where}: {verdict.point.change}")
        tally.update([verdict.state, verdict.how])
        by_file[verdict.point.file].update([verdict.state])
    tally["counted"] = len(verdicts) - tally["equivalent"]
    text = [f"{sweep.folder}: {tally['killed']} of {tally['counted']} killed ({100 * share(tally):.1f} %): {tally['failed']} by a failed test, "
            f"{tally['crashed']} by a crash, {tally['timeout']} by time; {tally['not all run']} survivors did not meet their slowest tests"]
    for state in ("survived", "never reached", "equivalent"):
        text += [f"  {state}: {each.point.where}: {each.point.change}\n      {each.point.code}" for each in verdicts if each.state == state]
    text += [f"  not compilable: {point.where}: {point.change}" for point in sweep.not_compilable]
    return tally, text + [f"  {name}: {counts['killed']} of {counts.total() - counts['equivalent']}" for name, counts in by_file.items()]


def share(tally):
    return tally["killed"] / tally["counted"] if tally["counted"] else 0.0


def main():
    parser = proof.arguments(__doc__, "--quick", "--list")
    parser.add_argument("what", nargs="*")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--root", type=pathlib.Path, default=proof.ROOT)
    parser.add_argument("--budget", type=float, default=60)
    parser.add_argument("--goal", type=float, default=0)
    given = parser.parse_args()
    given.tests, given.work = given.root.resolve() / "tests", given.root.resolve() / "build" / "proof" / "mutate"
    if given.quick and not given.sample:
        given.sample = QUICK
    # The headers as they are now: somebody may be writing in them while this runs.
    original = given.work / "original" / "-".join(re.findall(r"\w+", " ".join([*given.what, str(given.sample)])))
    shutil.rmtree(original, ignore_errors=True)
    shutil.copytree(given.root.resolve() / "include" / "slotwise", original / "slotwise")
    given.include = original
    chosen, part, every = choose(given)
    if given.list or not chosen:
        for point in (point for points in chosen.values() for point in points):
            print(f"{point.where}: {point.change}".encode("latin-1").decode(errors="replace"))
        print(f"mutate: {sum(map(len, chosen.values()))} mutants")
        return 0 if chosen else 1
    equivalents, tallies, rows, text = read_equivalents(given.root / EQUIVALENT), {}, [], []
    wrong = stale(equivalents, every, given.include)
    for folder, points in chosen.items():
        sweep = Sweep(folder, points, given, part)
        verdicts = sweep.run()
        tallies[folder], lines = report(sweep, verdicts, equivalents, wrong)
        rows += [verdict.row() for verdict in verdicts]
        text += lines
    name = given.work / ("report-part" if part else "report")
    name.with_suffix(".txt").write_text("\n".join(text + wrong) + "\n", encoding="latin-1")
    name.with_suffix(".json").write_text(json.dumps({"mutants": rows}, indent=1))
    for line in wrong:
        print(f"mutate: {line}")
    goal, total = given.goal or (QUICK_GOAL if given.quick else GOAL), sum(tallies.values(), collections.Counter())
    # Of a sample of a few, the whole is judged; of all mutants, each folder.
    missed = ["the sample"] * (share(total) < goal) if part else [folder for folder, tally in tallies.items() if share(tally) < goal]
    for folder in missed:
        print(f"mutate: {folder} is below {100 * goal:.0f} %; see {name}.txt")
    figures = ", ".join(f"{folder} {each['killed']} of {each['counted']} killed ({100 * share(each):.1f} %)" for folder, each in tallies.items())
    print(f"mutate: {figures}; {total['never reached']} never reached, {total['equivalent']} equivalent, {total['not_compilable']} not compilable")
    return 1 if missed or wrong or not total["counted"] else 0


if __name__ == "__main__":
    sys.exit(main())
