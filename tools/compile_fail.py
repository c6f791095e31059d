#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks that a source does not compile, and for the reason it states.

  compile_fail.py SOURCE -- COMPILER FLAGS...

The first line of SOURCE is a comment "// expect: words"; the compiler's message must contain these words, as one phrase,
case and spacing apart. Where two compilers word it differently: "// expect: deleted function || call to deleted". More lines
"// expect: ..." directly below ask for more phrases; lines "// covers: ..." below these name what of the headers refuses the code
(tools/proof/compile_fail.py reads them). The faulty code stands under #ifndef SLOTWISE_COMPILE_FAIL_CONTROL:
with that macro defined the same source must compile, so that a case cannot fail for another reason (a typing error, a missing header).
"""
import os
import subprocess
import sys


def squeeze(text):
    return " ".join(text.split()).lower()


def expectations(source):
    found = []
    with open(source, encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("// expect:"):
                break
            found.append([squeeze(words) for words in line[len("// expect:"):].split("||")])
    return found


def covers(source):
    """What the case says that it meets: the lines "// covers:" below the expectations."""
    found = []
    with open(source, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("// covers:"):
                found.append(line[len("// covers:"):].strip())
            elif not line.startswith("// expect:"):
                break
    return found


def compile_source(command, source, *flags):
    return subprocess.run([*command, "-fsyntax-only", *flags, source], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})


def check(source, command):
    """(None when the case holds, else what is wrong with it; what the compiler says of the faulty source)."""
    expected = expectations(source)
    if not expected or any(not words for alternatives in expected for words in alternatives):
        return "the first line must be '// expect: words that the compiler message must contain'", ""
    control = compile_source(command, source, "-DSLOTWISE_COMPILE_FAIL_CONTROL")
    if control.returncode != 0:
        return "does not compile with SLOTWISE_COMPILE_FAIL_CONTROL, so it may fail for another reason than it states:\n" + control.stderr, ""
    faulty = compile_source(command, source)
    if faulty.returncode == 0:
        return "compiles, but must not; the faulty line must stand under #ifndef SLOTWISE_COMPILE_FAIL_CONTROL", ""
    if faulty.returncode < 0:
        return f"the compiler was killed by signal {-faulty.returncode}", ""
    message = squeeze(faulty.stderr)
    for alternatives in expected:
        if not any(words in message for words in alternatives):
            return f"is refused, but the message lacks '{' || '.join(alternatives)}':\n{faulty.stderr}", faulty.stderr
    return None, faulty.stderr


def main():
    if len(sys.argv) < 4 or sys.argv[2] != "--":
        print(__doc__)
        return 2
    wrong, _ = check(sys.argv[1], sys.argv[3:])
    if wrong:
        print(f"{sys.argv[1]}: {wrong}")
        return 1
    print(f"{sys.argv[1]}: refused as stated")
    return 0


if __name__ == "__main__":
    sys.exit(main())
