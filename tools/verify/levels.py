#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Every check of the headers has a death test, and fires at its level and above only.

  levels.py [--quick]
  levels.py --cost [--rounds 9] [--bar 3] [--quick]

The first form reads every SLOTWISE_EXPECT and SLOTWISE_EXPECT_DEBUG from the headers and runs tests/config/levels.cpp, which
misuses the library once for each of them, compiled at the levels none, fast and debug. At each level exactly the checks of that
level must fire: known by file and line, so that two checks with the same words count twice. --quick compiles the level debug only.

The second form measures what `fast` costs against `none`: the slotwise contenders of bench/slot_map and bench/keyed are built
both ways (-O3 -DNDEBUG) and run by turns on one core, and the medians of their usual rows are compared. The geometric mean of the
ratios must not be above the bar (percent). The machine must be idle. --quick takes two rounds of the rows of a demonstration: it shows
that this works, not what the checks cost.
"""
import dataclasses
import pathlib
import re
import sys

import proof
import headers

sys.path.insert(0, str(proof.ROOT / "bench"))
from tools.programs import Runner, default_core  # noqa: E402  those of the benches, behind the line above
from tools.questions import QUESTIONS  # noqa: E402
from tools.results import Results, geometric_mean  # noqa: E402
from tools.tables import row_name  # noqa: E402

SOURCE = proof.TESTS / "config" / "levels.cpp"
LEVELS = ("none", "fast", "debug")
MACROS = {"SLOTWISE_EXPECT": 1, "SLOTWISE_EXPECT_DEBUG": 2}
FIRED = re.compile(r"slotwise: (.*) \(\S*slotwise/(\S+\.hpp):(\d+)\)")


@dataclasses.dataclass(frozen=True)
class Check:
    header: str
    first: int  # its lines; compilers differ in which of them __LINE__ is
    last: int
    level: int
    words: str

    def __str__(self):
        return f'{self.header}:{self.first} "{self.words}"'


def checks():
    found = []
    for name, text in headers.texts().items():
        if name == "config/assert.hpp":
            continue  # defines the macros
        text = headers.code(text)
        for macro, level in MACROS.items():
            for begin, end, inside in headers.calls(text, macro):
                found.append(Check(name, headers.line_of(text, begin), headers.line_of(text, end), level, headers.words(inside)))
    return found


def fired_at(level, found):
    """The checks that fired in the table of misuses, compiled at a level; and what went wrong."""
    programs = proof.Programs(f"levels_{LEVELS[level]}", flags=("-std=c++20", "-O0", f"-DSLOTWISE_CHECK_LEVEL={level}"))
    program = programs.folder / "levels"
    built = programs.compile([SOURCE], program)
    if not built.ok:
        return set(), [f"does not compile at level {LEVELS[level]}:\n{built.output}"]
    ran = proof.run([program, "-s", "-r", "xml"], timeout=900)
    wrong = [] if ran.ok else [f"tests/config/levels.cpp fails at level {LEVELS[level]}:\n{ran.output[-4000:]}"]
    fired = set()
    for words, header, line in FIRED.findall(re.sub(r"\w+/\.\./", "", ran.output)):
        header = header.split("slotwise/")[-1]
        known = [check for check in found if check.header == header and check.first <= int(line) <= check.last]
        if len(known) != 1:
            wrong.append(f"no check of the headers, but it fired: {header}:{line} {words}")
        fired.update(known)
    return fired, wrong


def prove(quick):
    found = checks()
    levels = [2] if quick else [0, 1, 2]
    results = dict(proof.parallel(lambda level: fired_at(level, found), levels))
    wrong, tested = [], results[2][0]
    for level in levels:
        fired, trouble = results[level]
        wrong += trouble
        for check in found:
            if level == 2 and check not in fired:
                wrong.append(f"no death test in tests/config/levels.cpp: {check}")
            elif level < 2 and check in tested and (check in fired) != (check.level <= level):
                wrong.append(f"{'fires' if check in fired else 'does not fire'} at level {LEVELS[level]}: {check}")
    wrong += [f"a check says nothing: {check}" for check in found if not check.words]
    for line in wrong:
        print(f"levels: {line}", file=sys.stderr)
    fire = "/".join(str(len(results[level][0])) for level in levels)
    print(f"levels: {len(found)} checks, {len(tested)} with a death test; {'/'.join(LEVELS[level] for level in levels)} fire {fire}")
    return 1 if wrong or not found else 0


CONTENDERS = {"slot_map": ("slot_map.cpp", "dense_slot_map.cpp", "soa_slot_map.cpp"), "keyed": ("slotwise_map.cpp",)}
COMPARED = (0, 1)  # none, fast


def build_bench(job):
    question, level = job
    folder = proof.BUILD / f"cost_{LEVELS[level]}"
    folder.mkdir(parents=True, exist_ok=True)
    sources = [proof.ROOT / "bench" / question / name for name in ("main.cpp", *CONTENDERS[question])]
    proof.must([proof.gcc(), "-std=c++20", "-O3", "-DNDEBUG", f"-DSLOTWISE_CHECK_LEVEL={level}", f"-I{proof.INCLUDE}",
                f"-I{proof.ROOT / 'bench'}", *sources, "-lbenchmark", "-lpthread", "-o", folder / f"bench_{question}"],
               f"bench/{question} does not build at level {LEVELS[level]} (Google Benchmark is needed):", code=3)
    return folder


class ByProgram(dict):
    """{folder of a program: Results}, for a Runner of both programs, which take turns."""

    def add(self, report):
        self[str(pathlib.Path(report["context"]["executable"]).parent)].add(report)


def cost(rounds, bar, quick):
    jobs = [(question, level) for question in CONTENDERS for level in COMPARED]
    folders = {level: folder for (_, level), folder in proof.parallel(build_bench, jobs)}
    runner, ratios = Runner(folders[0], rounds, default_core(), folders[1]), []
    for question in CONTENDERS:
        chosen = QUESTIONS[question].quick if quick else QUESTIONS[question].usual
        both = ByProgram({str(folder): Results() for folder in folders.values()})
        runner.run(question, lambda row, contender: "memory" not in row.op and chosen(row), both)
        none, fast = (both[str(folders[level])] for level in COMPARED)
        for key, contender in ((key, contender) for key in none.rows for contender in none.rows[key]):
            ratios.append(fast.get(key, contender) / none.get(key, contender))
            print(f"{question:9} {row_name(key):40} {contender:30} none {none.get(key, contender):8.2f}  fast {fast.get(key, contender):8.2f}  "
                  f"{100 * (ratios[-1] - 1):+6.1f} %")
    if not ratios:
        proof.die("no row was measured", code=1)
    mean = 100 * (geometric_mean(ratios) - 1)
    print(f"levels: fast costs {mean:+.1f} % against none, the geometric mean of {len(ratios)} rows, {rounds} rounds; bar {bar:g} %")
    return 1 if mean > bar else 0


def main():
    parser = proof.arguments(__doc__, "--quick", "--cost")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--bar", type=float, default=3)
    options = parser.parse_args()
    if options.cost:
        return cost(2 if options.quick else options.rounds, options.bar, options.quick)
    return prove(options.quick)


if __name__ == "__main__":
    sys.exit(main())
