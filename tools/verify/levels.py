#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Every check of the headers has a death test, and fires at its level and above only.

  levels.py [--quick]

Reads every SLOTWISE_EXPECT and SLOTWISE_EXPECT_DEBUG of the headers and runs tests/config/levels.cpp, which
misuses the library once for each of them, compiled at the levels none, fast and debug. At each level exactly the checks of that
level must fire: known by file and line, so that two checks with the same words count twice. --quick compiles the level debug only.
"""
import dataclasses
import os
import re
import sys

import proof
import headers

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
        text = headers.code(text)
        for macro, level in MACROS.items() if "define SLOTWISE_EXPECT(" not in text else ():
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
    for words, header, line in FIRED.findall(ran.output):
        header = os.path.normpath(header)
        known = [check for check in found if check.header == header and check.first <= int(line) <= check.last]
        if len(known) != 1:
            wrong.append(f"no check of the headers, but it fired: {header}:{line} {words}")
        fired.update(known)
    return fired, wrong


def main():
    found = checks()
    levels = [2] if proof.arguments(__doc__, "--quick").parse_args().quick else [0, 1, 2]
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
    print(*wrong, sep="\n", end="\n" if wrong else "")
    fire = ", ".join(f"{LEVELS[level]} fires {len(results[level][0])}" for level in levels)
    print(f"levels: {len(found)} checks, {len(tested)} with a death test; {fire}")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main())
