# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What programs with many small containers pay: a hundred element types in one file (seconds, bytes of instructions), a debug build
(nanoseconds), a container of one element (bytes, allocations). Sources are in bench/small; times of a debug build are medians."""

import pathlib
import subprocess
import tempfile

from tools.compiling import call, code_size, find_compiler, listing, role_of
from tools.results import ROOT
from tools.tables import Listing, short

FOLDER = ROOT / "bench" / "small"
BASE = "unordered_map"  # the bars are ratios to it


def many_types_table(compiler):
    sources = sorted(FOLDER.glob("*.cpp"), key=lambda source: (source.stem != BASE, source.stem))
    base = {}
    def line_of(source):
        cells = [f"{role_of(source)}: {short(source.stem)}"]
        for level in ("-O0", "-O2"):
            size, seconds = code_size(compiler, source, level)
            first = base.setdefault(level, (size, seconds))
            cells += [f"{seconds:.1f} ({seconds / first[1]:.2f}x)", f"{size} ({size / first[0]:.2f}x)"]
        return cells
    return Listing("many_types", f"a hundred element types in one file: seconds of CPU time, bytes of instructions; {compiler} -std=c++20 "
                   "-DNDEBUG, bars 1.0x and 1.2x", ["container", "seconds -O0", "bytes -O0", "seconds -O2", "bytes -O2"],
                   *listing("many_types", sources, line_of))


def program_lines(compiler, name, level):
    """The words of each line that bench/small/run/NAME.cpp prints."""
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / name
        call(compiler, level, FOLDER / "run" / f"{name}.cpp", "-o", made)
        return [line.split() for line in subprocess.run([made], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()]


def small_tables():
    compiler = find_compiler()
    return [many_types_table(compiler),
            *(Listing(f"debug_build {level}", f"ns an element, 10,000 elements of 16 bytes; {compiler} -std=c++20 {level}",
                      ["operation", "container", "ns"], program_lines(compiler, "unoptimised", level), []) for level in ("-O0", "-O2")),
            Listing("one_element", "a container of one element, names with bytes of key and value",
                    ["container", "sizeof", "bytes allocated", "allocations"], program_lines(compiler, "one_element", "-O2"), [])]
