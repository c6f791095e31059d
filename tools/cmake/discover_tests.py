#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Writes the test cases of a Catch2 program, version 2 or 3, as a file for ctest: one test a case, named PREFIX + its name.

  discover_tests.py PROGRAM PREFIX OUTPUT [ARGUMENTS OF EACH RUN]

Catch2's own script takes a semicolon in a name for the end of it, and our names are sentences. A program without a test case is
an error.
"""
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
    program, prefix, output, *arguments = sys.argv[1:]
    lines = []
    for name in names_of(program):
        wanted = re.sub(r"([\\,\[\]])", r"\\\1", name)  # these have a meaning in a test specification
        test = quoted(prefix + name)
        lines.append(f"add_test({test} {' '.join(quoted(word) for word in [program, wanted, *arguments])})")
        lines.append(f"set_tests_properties({test} PROPERTIES LABELS unit)")
    pathlib.Path(output).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
