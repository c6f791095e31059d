#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks that the cases of tests/compile_fail do not compile, each for the reason it states.

  compile_fail.py SOURCE [CASE...] -- COMPILER FLAGS...
  compile_fail.py [--quick] [--only WORDS]

A case begins with a line "//=== name ===//" and is compiled with what stands above the first case. Its last paragraph is the body of
main(). Lines "// expect: words" directly below its name: the compiler's message must contain each of these words, as one phrase, case and
spacing apart. Where two compilers word it differently: "// expect: deleted function || call to deleted". A line "// lines: N" limits
the lines of the message, and "// flags: ..." adds options to the faulty source alone. The lines that end in "// faulty" are the
fault: without them, and with those that end in "// control", the same case must compile, so that it cannot fail for another reason (a
typing error, a missing header).

Without a source every case is compiled with g++ and clang++, or those whose source and name contain WORDS, and each message of a static_assert
in the headers must be expected by a case. --quick asks the latter only, and compiles nothing.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import headers

sys.path.append(str(headers.ROOT / "tools" / "verify"))
import proof  # noqa: E402

NEVER_FIRST = "handlelayout: user_bits must leave room"  # follows from the three before it, and clang stops at the first
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
        while lines[first - 1] and not re.match("//===|// (expect|lines|flags):", lines[first - 1]):
            first -= 1
        lines[first] = MAIN + lines[first]
        lines.insert(last + 1, "}")  # not behind what ends in "// faulty"
    return found or {None: head}


def notes(lines, word):
    """What the lines "// word: ..." of a case say."""
    return [line[len(word) + 4:].strip() for line in lines if line.startswith(f"// {word}:")]


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
    """None when the case holds, else what is wrong with it."""
    lines = cases(source).get(name, [])
    expected = [[squeeze(words) for words in line.split("||")] for line in notes(lines, "expect")]
    if not expected or any(not words for alternatives in expected for words in alternatives):
        return "a case needs a line '// expect: words that the compiler message must contain'"
    control = compile_lines(command, source, lines, "faulty")
    if control.returncode != 0:
        return "does not compile without its faulty lines, so it may fail for another reason than it states:\n" + control.stderr
    faulty = compile_lines([*command, *" ".join(notes(lines, "flags")).split()], source, lines, "control")
    if faulty.returncode == 0:
        return "compiles, but must not; the lines that are wrong must end in '// faulty' (or what mends them in '// control')"
    if faulty.returncode < 0:
        return f"the compiler was killed by signal {-faulty.returncode}"
    message = squeeze(faulty.stderr)
    for alternatives in expected:
        if not any(words in message for words in alternatives):
            return f"is refused, but the message lacks '{' || '.join(alternatives)}':\n{faulty.stderr}"
    written, limit = len(faulty.stderr.splitlines()), min(map(int, notes(lines, "lines")), default=None)
    if limit is not None and written > limit:
        return f"is refused, but in {written} lines, more than {limit}:\n{faulty.stderr}"
    return None


def expected_by_none(sources):
    """The messages of static_asserts in the headers that no case expects."""
    phrases = [squeeze(words) for source in sources for lines in cases(source).values() for line in notes(lines, "expect") for words in line.split("||")]
    for name, text in headers.texts().items():
        for begin, _, inside in headers.calls(headers.code(text), "static_assert"):
            message = squeeze(headers.words(inside))
            if message and not message.startswith(NEVER_FIRST) and not any(len(each) > 9 and (each in message or message in each) for each in phrases):
                yield f"{name}:{headers.line_of(text, begin)}: no case of tests/compile_fail expects: {message}"


def every(options):
    """All cases by both compilers, a source at a time."""
    sources = sorted((proof.TESTS / "compile_fail").glob("*.cpp"))
    wrong, jobs = list(expected_by_none(sources)), []
    for source in sources if not options.quick else ():
        chosen = [name for name in cases(source) if options.only in f"{source.name} {name}"]
        jobs += [(source, chosen, compiler) for compiler in (proof.gcc(), proof.clang()) if chosen]

    def one(job):
        source, chosen, compiler = job
        with tempfile.TemporaryDirectory() as folder:
            command = [compiler, "-std=c++20", f"-I{proof.INCLUDE}"]
            command += precompiled(command, source, folder)
            return [f"{source.name} {name} ({compiler}): {said}" for name in chosen if (said := check(str(source), name, command))]

    wrong += [each for _, found in proof.parallel(one, jobs) for each in found]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"compile_fail: {sum(len(cases(source)) for source in sources)} cases, {sum(len(chosen) for _, chosen, _ in jobs)} compilations, {len(wrong)} findings")
    return 1 if wrong or not sources else 0


def main():
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = headers.arguments(__doc__, "--quick")
    parser.add_argument("--only", default="", metavar="WORDS")
    parser.add_argument("source", nargs="?")
    parser.add_argument("case", nargs="*")
    options, command, failed = parser.parse_args(sys.argv[1:split]), sys.argv[split + 1:], False
    if options.source is None:
        return every(options)
    if not command:
        parser.error("a source needs a compiler: SOURCE -- g++ -std=c++20")
    with tempfile.TemporaryDirectory() as folder:
        command += precompiled(command, options.source, folder)
        for name in options.case or cases(options.source):
            wrong = check(options.source, name, command)
            failed = failed or wrong
            print(f"{options.source}: {name}: {wrong or 'refused as stated'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
