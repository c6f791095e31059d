#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks that users who make warnings errors see none of our headers, also when they take them by -I.

  check_warnings.py [--quick]

The programs are the snippets of docs/guide, in which every public name is used, and tests/warnings/*.cpp. g++ compiles them with GNU_FLAGS
at -O0 and -O2, and one page at -Og and -O3, because what it warns of depends on what it inlines; clang with -Weverything less CLANG_EXCEPT.
A warning whose place is in the headers, or in the standard's on their behalf, is a finding; in tests/warnings any is. --quick is one level of
each compiler, and g++ reads one page only. A compiler that is not here is left out, and said to be. CXX names the g++.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import guide
from headers import ROOT, arguments

GNU_FLAGS = """-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Wuseless-cast -Wnull-dereference
    -Wnon-virtual-dtor -Wcast-align -Wduplicated-branches -Wfloat-equal -Wzero-as-null-pointer-constant -Woverloaded-virtual""".split()
# Of C++ before 20, of the layout that every class has, of indexed pointers (clang 16 cannot switch it off by place).
CLANG_EXCEPT = ["c++98-compat", "c++98-compat-pedantic", "c++20-compat", "padded", "unsafe-buffer-usage"]
CLANG_FLAGS = ["-Weverything", *(f"-Wno-{name}" for name in CLANG_EXCEPT)]
# Of classes with virtual functions in a program of one file, which is what a test is.
OF_TESTS = ["-Wno-weak-vtables"]
FEW = ("ecs",)  # pages: where g++ follows pointers furthest, and a minute at -O2
WARNING = re.compile(r"^(?P<file>[^\s:][^:\n]*):\d+:(?:\d+:)? (?P<what>(?:fatal )?error|warning): .*$", re.M)


def findings(command, source, text, folder, strict):
    """What the compiler says of a program that is not of the program itself."""
    path = pathlib.Path(folder) / "program.cpp" if text else source
    if text:
        path.write_text(text, encoding="utf-8")
    done = subprocess.run([*command, "-std=c++20", f"-I{ROOT / 'include'}", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, env={**os.environ, "LC_ALL": "C"})
    found = [match[0] for match in WARNING.finditer(done.stderr)
             if strict or match["what"] != "warning" or not match["file"].startswith("docs/guide/")]
    return found or ([f"{path} does not compile: {done.stderr[-2000:]}"] if done.returncode else [])


def main():
    quick = arguments(__doc__, "--quick").parse_args().quick
    gnu = os.environ.get("CXX") or "g++"
    clang = next((name for name in (f"clang++-{version}" for version in range(16, 22)) if shutil.which(name)), None)
    runs = []
    if shutil.which(gnu.split()[0]):
        runs += [([*gnu.split(), *GNU_FLAGS, level, "-S", "-o", "/dev/null"], pages, [])
                 for level, pages in ([("-O2", FEW)] if quick else [("-O0", None), ("-Og", FEW), ("-O2", None), ("-O3", FEW)])]
    if clang:
        runs += [([clang, *CLANG_FLAGS, "-fsyntax-only"], None, OF_TESTS)]  # its warnings come before it optimises
    wrong, pages = [], guide.pages()
    with tempfile.TemporaryDirectory() as folder:
        for command, names, more in runs:
            chosen = [name for name in pages if names is None or name in names]
            together = 3 if "-S" in command else len(chosen)  # an optimiser needs a gigabyte for more
            found = []
            for first in range(0, len(chosen), together):
                program = guide.as_program({name: pages[name] for name in chosen[first:first + together]})
                found += findings(command, None, program, folder, strict=False)
            for source in sorted((ROOT / "tests" / "warnings").glob("*.cpp")):
                found += findings([*command, *more], source, "", folder, strict=True)
            wrong += [f"{command[0]} {next((flag for flag in command if flag.startswith('-O')), '')}: {each}" for each in dict.fromkeys(found)]
    print("\n".join(wrong) if wrong else f"{len(runs)} ways to compile {len(pages)} pages of the guide: no warning of a header")
    if not clang or len(runs) < 2:
        print(f"left out: {'clang' if not clang else gnu}")
    return 1 if wrong or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
