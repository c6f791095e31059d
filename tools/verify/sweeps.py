#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Proofs by running the unit programs: every allocator setting, every state of tiny worlds, every order; throws.py has one more.

  sweeps.py alloc|versions|repeat [RUNS] [--programs DIR]      programs: those of build/dev, which tools/dev builds

  alloc      The test cases [allocators] run the matrix of tests/support/whole.hpp: 16 settings (copy, move, swap, always equal) x copies,
             moves, assignments, swap, assignment to itself x empty and full source and target x equal and unequal allocators, and check
             which allocator ends where, the contents, whose memory it is, and what allocates. It fails when a case fails, when a
             container reports nothing, and when a setting or operation is left out.
  versions   With versions of 1 to 4 bits every wrap, retirement and version floor is met, and no stale handle may resolve in any state.
             It fails when a case [versions] fails, and when a container that issues handles has reported no world.
  repeat     RUNS times (50) every program, its cases in a new random order and with a new seed each time: what depends on the order or on
             what an earlier case left behind fails. ctest repeats and shuffles processes, which share nothing. A
             failure names its program and seed, and is never tried again.

A program whose environment has SLOTWISE_SWEEP_REPORT appends a line for each sweep to the file named there (tests/support/sweep.hpp):
    throws <tab> function <tab> throw points <tab> test case        noexcept <tab> function <tab> 0 <tab> test case
    alloc <tab> container <tab> setting <tab> operation <tab> cases     versions <tab> world <tab> states <tab> stale handles
"""
import collections
import pathlib
import random
import re
import sys

import proof
import headers

SETTINGS = 16
ALLOCATE = ("SlotMap", "DenseSlotMap", "BasicSoaSlotMap", "SecondaryMap", "SparseSecondaryMap", "IndexMap", "IdentityMap", "BasicAnySlotMap", "HandlePool", "SetStorage",
            "MapStorage", "BasicAnySetStorage", "BasicAnyMapStorage", "HashIndex", "TSSStorage", "TSDStorage", "BasicAnyTSSStorage", "BasicAnyTSDStorage", "BasicBitColumn", "BasicTickColumn", "BasicSoaVector", "BasicAnyRows",
            "EntityIndex", "SparseSet", "SparseMap", "SwitchMap", "EventQueue", "RelationMap")
# Every container that issues handles. MapStorage and AnyMapStorage share SetStorage's core; MapStorage has its own long walks.
ISSUE_HANDLES = ("SlotDirectory", "SlotMap", "DenseSlotMap", "SoaSlotMap", "HandlePool", "SetStorage", "MapStorage", "TSSStorage", "TSDStorage",
                 "EntityIndex", "ArchetypeStore")


class Failed(Exception):
    """A promise that does not hold; what is wrong, one line each."""

    def __init__(self, *lines):
        super().__init__("\n".join(lines))


def parser(description):
    made = proof.arguments(description, "--quick")  # no other than the long form
    made.add_argument("--programs", type=pathlib.Path, default=proof.ROOT / "build" / "dev" / "tests",
                      help="run the programs slotwise_test_<folder> of this folder")
    return made


def unit_programs(folder):
    programs = sorted(path for path in folder.glob("slotwise_test_*") if path.suffix in ("", ".exe") and path.is_file())
    if not programs:
        raise Failed(f"no program slotwise_test_* in {folder}; build the tests first")
    return programs


def run(folder, selection, report, timeout=1800):
    """Runs all programs slotwise_test_* of the folder on the selected cases. Returns the lines of the report, as lists of fields."""
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    failed = []
    for program, result in proof.parallel(
            lambda each: proof.run([each, selection], env={"SLOTWISE_SWEEP_REPORT": str(report.resolve())}, timeout=timeout), unit_programs(folder)):
        nothing = re.search(r"No test cases matched|No tests ran", result.output)
        if not result.ok and not nothing:
            failed.append(f"{program.name} {selection} ended with {result.code}:\n{result.output[-2000:]}")
    if failed:
        raise Failed(*failed)
    lines = report.read_text().splitlines() if report.exists() else []
    if not lines:
        raise Failed("no program reported a sweep; is SLOTWISE_SWEEP_REPORT asked for by the tests (tests/support/sweep.hpp)?")
    return [line.split("\t") for line in lines]


def exceptions(path):
    """Lines `name: reason` of a text file; {name: reason}. # begins a comment."""
    listed = {}
    for number, _, line in headers.listed(path):
        name, separator, reason = line.partition(": ")
        if not separator or len(reason.strip()) < 10:
            raise Failed(f"{path.name}:{number}: write `name: reason`, with a reason")
        listed[name.strip()] = reason.strip()
    return listed


def alloc(lines, containers=ALLOCATE):
    """(settings, cases, containers); raises Failed with all that is wrong."""
    cases = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for line in lines:
        if line[0] == "alloc":
            _, container, setting, operation, count = line
            cases[container][setting][operation] += int(count)
    wrong = [f"{name}: no program reports it" for name in containers if name not in cases]
    for container, settings in sorted(cases.items()):
        if len(settings) != SETTINGS:
            wrong.append(f"{container}: {len(settings)} of {SETTINGS} settings")
        operations = {operation for counts in settings.values() for operation in counts}
        for setting, counts in sorted(settings.items()):
            wrong += [f"{container}, {setting}: no case of `{operation}`" for operation in sorted(operations) if not counts[operation]]
    if wrong:
        raise Failed(*wrong)
    total = sum(count for settings in cases.values() for counts in settings.values() for count in counts.values())
    return f"alloc: {SETTINGS} settings x {total // SETTINGS} cases over {len(cases)} containers, 0 failures"


def versions(lines, containers=ISSUE_HANDLES):
    """The figures; raises Failed when a container has asked for no stale handle."""
    worlds, states, stale = collections.Counter(), collections.Counter(), collections.Counter()
    for _, world, seen, probes in (line for line in lines if line[0] == "versions"):
        container = re.sub("^Basic", "", world.split()[0])
        worlds[container] += 1
        states[container] += int(seen)
        stale[container] += int(probes)
    missing = [container for container in containers if stale[container] == 0]
    if missing:
        raise Failed(f"no world of {', '.join(missing)} asked for a stale handle")
    return (f"versions: {sum(worlds.values())} worlds, {sum(states.values())} states, {sum(stale.values())} stale handles asked for, "
            "0 resolve")


def repeat(folder, runs, seed):
    # Without the programs of further types: the same cases, and the longest.
    programs, seeds = [path for path in unit_programs(folder) if not path.stem.endswith("_rest")], random.Random(seed)
    failures = cases = 0
    for (program, own), result in proof.parallel(lambda job: proof.run([job[0], "--order", "rand", "--rng-seed", job[1]]),
                                                 [(program, seeds.randrange(1, 2 ** 31)) for _ in range(runs) for program in programs]):
        summary = re.search(r"in (\d+) test cases?\)", result.output)
        if result.ok and summary:
            cases += int(summary.group(1))
        else:
            failures += 1
            print(f"{program.name} --order rand --rng-seed {own}: {result.output[-2000:]}", flush=True)
    figures = f"repeat: {runs} shuffled runs of {len(programs)} programs from seed {seed}, {cases} cases, {failures} failures"
    if failures or not cases:
        raise Failed(figures)
    return figures


def ended(name, check):
    """Runs check() -> summary line; what it says is wrong goes to stderr, and 1 is returned."""
    try:
        print(check())
    except Failed as failure:
        print(failure, file=sys.stderr)
        print(f"{name}: FAILED, {len(str(failure).splitlines())} lines above")
        return 1
    return 0


def main():
    arguments = parser(__doc__)
    arguments.add_argument("command", choices=("alloc", "versions", "repeat"))
    arguments.add_argument("runs", nargs="?", type=int, default=50)
    arguments.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 2 ** 31), help="of repeat")
    given = arguments.parse_args()
    if given.command == "repeat":
        return ended("repeat", lambda: repeat(given.programs, given.runs, given.seed))
    tag, judge = {"alloc": ("[allocators]", alloc), "versions": ("[versions]", versions)}[given.command]
    return ended(given.command, lambda: judge(run(given.programs, tag, proof.BUILD / given.command / "report.txt")))


if __name__ == "__main__":
    sys.exit(main())
