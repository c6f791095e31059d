#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Writes the test cases of a Catch2 program, version 2 or 3, as a file for ctest: one test a case, named PREFIX + its name.

  discover_tests.py [--cases N] PROGRAM PREFIX OUTPUT [ARGUMENTS OF EACH RUN]

--cases N: N cases a test, because a program with sanitizers takes half a second to start. Catch2's own script takes a semicolon in a
name for the end of it, and our names are sentences. A program without a test case is an error.
"""
import argparse
import pathlib
import re
import subprocess
import sys


def names_of(program):
    # Version 3 lists bare names when told to be quiet; version 2 has an option for it and answers with their number, at most 255.
    for options in (["--list-test-names-only"], ["--list-tests", "--verbosity", "quiet"]):
        result = subprocess.run([program, *options], capture_output=True, text=True)
        names = [line for line in result.stdout.splitlines() if line.strip()]
        if names and result.returncode in (0, len(names), 255):
            return names
    sys.exit(f"{program} lists no test case:\n{result.stdout}{result.stderr}")


def quoted(text):
    """As a bracket argument of CMake, in which nothing has a meaning."""
    return f"[==[{text}]==]"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--cases", type=int, default=1)
    parser.add_argument("program")
    parser.add_argument("prefix")
    parser.add_argument("output")
    parser.add_argument("arguments", nargs="*")
    given = parser.parse_args()
    names = names_of(given.program)
    lines = []
    for first in range(0, len(names), given.cases):
        group = names[first:first + given.cases]
        wanted = ",".join(re.sub(r"([\\,\[\]])", r"\\\1", name) for name in group)  # these have a meaning in a test specification
        more = f" and {len(group) - 1} more" if len(group) > 1 else ""
        test = quoted(given.prefix + group[0] + more)
        lines.append(f"add_test({test} {' '.join(quoted(word) for word in [given.program, wanted, *given.arguments])})")
        lines.append(f"set_tests_properties({test} PROPERTIES LABELS unit)")
    pathlib.Path(given.output).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
