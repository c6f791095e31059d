#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks that the cases of a source do not compile, each for the reason it states.

  usage: compile_fail.py SOURCE [CASE...] -- COMPILER FLAGS...

A case begins with a line "//=== name ===//" and is compiled with what stands above the first case. Its last paragraph is the body of
main(). Lines "// expect: words" directly below its name: the compiler's message must contain each of these words, as one phrase, case and
spacing apart. Where two compilers word it differently: "// expect: deleted function || call to deleted". A line "// lines: N" limits
the lines of the message, and "// flags: ..." adds options to the faulty source alone. Lines "// covers: ..." below these name what of
the headers refuses the code (tools/verify/compile_fail.py reads them). The lines that end in "// faulty" are the
fault: without them, and with those that end in "// control", the same case must compile, so that it cannot fail for another reason (a
typing error, a missing header).
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import headers

NAME = re.compile(r"//=== (\w+) ===//$")
MAIN = "int main() {"  # stands before the first line of a body, so that lines keep their numbers


def squeeze(text):
    return headers.squeeze(text).lower()


def cases(source):
    """{name: (lines of the case, with blank ones for what stands elsewhere)}: a message says the line of the source."""
    found, name = {None: []}, None
    for number, line in enumerate(pathlib.Path(source).read_text(encoding="utf-8").splitlines()):
        begins = NAME.match(line)
        if begins:
            name = begins[1]
            found[name] = found[None] + [""] * (number - len(found[None]))
        found[name].append(line)
    head = found.pop(None)
    for lines in found.values():
        first = last = max(number for number, line in enumerate(lines) if line)
        while lines[first - 1] and not re.match("//===|// (expect|lines|flags|covers):", lines[first - 1]):
            first -= 1
        lines[first] = MAIN + lines[first]
        lines.insert(last + 1, "}")  # not behind what ends in "// faulty"
    return found or {None: head}


def notes(lines, word):
    """What the lines "// word: ..." of a case say."""
    return [line[len(word) + 4:].strip() for line in lines if line.startswith(f"// {word}:")]


def covers(source):
    """{case: what it says that it meets}."""
    return {name: notes(lines, "covers") for name, lines in cases(source).items()}


def kept(line, dropped):
    if not line.endswith(f"// {dropped}"):
        return line
    return MAIN if line.startswith(MAIN) else ""


def compile_lines(command, source, lines, dropped):
    text = f'#line 1 "{source}"\n' + "\n".join(kept(line, dropped) for line in lines)
    return subprocess.run([*command, "-fsyntax-only", f"-I{os.path.dirname(source)}", "-xc++", "-"], input=text + "\n",
                          capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})


def precompiled(command, source, folder):
    """Options that read the source's common includes from a precompiled header of clang: reading them is nearly all that a case costs."""
    head = re.match(r"((?!//=== ).*\n)*#include .*\n", pathlib.Path(source).read_text(encoding="utf-8"))
    if not head or "clang" not in os.path.basename(command[0]):
        return []
    header = os.path.join(folder, "head.pch")
    made = subprocess.run([*command, f"-I{os.path.dirname(source)}", "-xc++-header", "-", "-o", header], input=head[0], text=True,
                          stderr=subprocess.DEVNULL)
    return ["-include-pch", header] if made.returncode == 0 else []


def check(source, name, command):
    """(None when the case holds, else what is wrong with it; what the compiler says of the faulty source)."""
    lines = cases(source).get(name, [])
    expected = [[squeeze(words) for words in line.split("||")] for line in notes(lines, "expect")]
    if not expected or any(not words for alternatives in expected for words in alternatives):
        return "a case needs a line '// expect: words that the compiler message must contain'", ""
    control = compile_lines(command, source, lines, "faulty")
    if control.returncode != 0:
        return "does not compile without its faulty lines, so it may fail for another reason than it states:\n" + control.stderr, ""
    faulty = compile_lines([*command, *" ".join(notes(lines, "flags")).split()], source, lines, "control")
    if faulty.returncode == 0:
        return "compiles, but must not; the lines that are wrong must end in '// faulty' (or what mends them in '// control')", ""
    if faulty.returncode < 0:
        return f"the compiler was killed by signal {-faulty.returncode}", ""
    message = squeeze(faulty.stderr)
    for alternatives in expected:
        if not any(words in message for words in alternatives):
            return f"is refused, but the message lacks '{' || '.join(alternatives)}':\n{faulty.stderr}", faulty.stderr
    written, limit = len(faulty.stderr.splitlines()), min(map(int, notes(lines, "lines")), default=None)
    if limit is not None and written > limit:
        return f"is refused, but in {written} lines, more than {limit}:\n{faulty.stderr}", faulty.stderr
    return None, faulty.stderr


def main():
    if "--" not in sys.argv[2:4] or sys.argv[-1] == "--":
        print(__doc__)
        return 0 if sys.argv[1:] in (["--help"], ["-h"]) else 2
    split = sys.argv.index("--")
    source, command, failed = sys.argv[1], sys.argv[split + 1:], False
    with tempfile.TemporaryDirectory() as folder:
        command += precompiled(command, source, folder)
        for name in sys.argv[2:split] or cases(source):
            wrong, _ = check(source, name, command)
            failed = failed or wrong
            print(f"{source}: {name}: {wrong or 'refused as stated'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
