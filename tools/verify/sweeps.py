#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Proofs by running the unit programs: every point that may throw, every allocator setting, every state of tiny worlds, every order.

  sweeps.py throws|alloc|versions|repeat [RUNS] [--programs DIR]      programs: those of build/dev, which tools/dev builds

  throws     Every public function that changes something is made to throw at every step, or is noexcept. The test programs say which
             functions they swept, and how many steps threw. It fails when a test case fails, when a function has no sweep (throws.py asks
             libclang for them, and has those that are excused), when in some sweep nothing threw, and when a sweep names a function that there
             is not. Sweeps of a derived class count for what it inherits publicly.
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
import throws

SETTINGS = 16
ALLOCATE = ("SlotMap", "DenseSlotMap", "BasicSoaSlotMap", "SecondaryMap", "SparseSecondaryMap", "IndexMap", "IdentityMap", "BasicAnySlotMap", "HandlePool", "SetStorage",
            "MapStorage", "BasicAnySetStorage", "BasicAnyMapStorage", "HashIndex", "TSSStorage", "TSDStorage", "BasicAnyTSSStorage", "BasicAnyTSDStorage", "BasicBitColumn", "BasicTickColumn", "BasicSoaVector", "BasicAnyRows",
            "EntityIndex", "SparseSet", "SparseMap", "SwitchMap", "EventQueue", "RelationMap")
# Every container that issues handles. MapStorage and AnyMapStorage share SetStorage's engine; MapStorage has its own long walks.
ISSUE_HANDLES = ("SlotDirectory", "SlotMap", "DenseSlotMap", "SoaSlotMap", "HandlePool", "SetStorage", "MapStorage", "TSSStorage", "TSDStorage",
                 "EntityIndex", "ArchetypeStore")


def unit_programs(folder):
    programs = sorted(path for path in folder.glob("slotwise_test_*") if path.suffix in ("", ".exe") and path.is_file())
    if not programs:
        proof.die(f"no program slotwise_test_* in {folder}; build the tests first", code=1)
    return programs


def run(folder, selection, report, timeout=1800):
    """Runs all programs slotwise_test_* of the folder on the selected cases. (The lines of the report, as lists of fields; what failed)"""
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    failed = []
    for program, result in proof.parallel(
            lambda each: proof.run([each, selection], env={"SLOTWISE_SWEEP_REPORT": str(report.resolve())}, timeout=timeout), unit_programs(folder)):
        if not result.ok and not re.search(r"No test cases matched|No tests ran", result.output):
            failed.append(f"{program.name} {selection} ended with {result.code}:\n{result.output[-2000:]}")
    lines = report.read_text().splitlines() if report.exists() else []
    if not lines:
        failed.append("no program reported a sweep; is SLOTWISE_SWEEP_REPORT asked for by the tests (tests/support/sweep.hpp)?")
    return [line.split("\t") for line in lines], failed


def alloc(lines, containers=ALLOCATE):
    """(the summary, what is wrong)"""
    cases = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for _, container, setting, operation, count in (line for line in lines if line[0] == "alloc"):
        cases[container][setting][operation] += int(count)
    wrong = [f"{name}: no program reports it" for name in containers if name not in cases]
    for container, settings in sorted(cases.items()):
        if len(settings) != SETTINGS:
            wrong.append(f"{container}: {len(settings)} of {SETTINGS} settings")
        operations = {operation for counts in settings.values() for operation in counts}
        for setting, counts in sorted(settings.items()):
            wrong += [f"{container}, {setting}: no case of `{operation}`" for operation in sorted(operations) if not counts[operation]]
    total = sum(count for settings in cases.values() for counts in settings.values() for count in counts.values())
    return f"alloc: {SETTINGS} settings x {total // SETTINGS} cases over {len(cases)} containers, {len(wrong)} failures", wrong


def versions(lines, containers=ISSUE_HANDLES):
    """(the summary, what is wrong)"""
    worlds, states, stale = collections.Counter(), collections.Counter(), collections.Counter()
    for _, world, seen, probes in (line for line in lines if line[0] == "versions"):
        container = re.sub("^Basic", "", world.split()[0])
        worlds[container] += 1
        states[container] += int(seen)
        stale[container] += int(probes)
    return (f"versions: {sum(worlds.values())} worlds, {sum(states.values())} states, {sum(stale.values())} stale handles asked for, "
            "0 resolve"), [f"no world of {container} asked for a stale handle" for container in containers if not stale[container]]


def repeat(folder, runs, seed):
    """(the summary, what is wrong)"""
    # Without the programs of further types: the same cases, and the longest.
    programs, seeds = [path for path in unit_programs(folder) if not path.stem.endswith("_rest")], random.Random(seed)
    wrong, cases = [], 0
    for (program, own), result in proof.parallel(lambda job: proof.run([job[0], "--order", "rand", "--rng-seed", job[1]]),
                                                 [(program, seeds.randrange(1, 2 ** 31)) for _ in range(runs) for program in programs]):
        summary = re.search(r"in (\d+) test cases?\)", result.output)
        if result.ok and summary:
            cases += int(summary.group(1))
        else:
            wrong.append(f"{program.name} --order rand --rng-seed {own}: {result.output[-2000:]}")
    return (f"repeat: {runs} shuffled runs of {len(programs)} programs from seed {seed}, {cases} cases, {len(wrong)} failures",
            wrong if cases else [*wrong, "no case ran"])


def main():
    parser = proof.arguments(__doc__, "--quick")  # no other than the long form
    parser.add_argument("command", choices=("throws", "alloc", "versions", "repeat"))
    parser.add_argument("runs", nargs="?", type=int, default=50)
    parser.add_argument("--programs", type=pathlib.Path, default=proof.ROOT / "build" / "dev" / "tests", help="their folder")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 2 ** 31), help="of repeat")
    given = parser.parse_args()
    if given.command == "repeat":
        summary, wrong = repeat(given.programs, given.runs, given.seed)
    else:
        tag = "[allocators]" if given.command == "alloc" else f"[{given.command}]"
        lines, failed = run(given.programs, tag, proof.BUILD / given.command / "report.txt")
        judge = {"alloc": alloc, "versions": versions, "throws": lambda lines: throws.judge(throws.Headers(proof.INCLUDE), lines)}[given.command]
        summary, wrong = judge(lines)
        wrong = failed + wrong
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    print(f"{given.command}: FAILED, {len(wrong)} findings above" if wrong else summary)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
