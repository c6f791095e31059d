# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""compile_time: what a header costs to include, for every header of ours that needs no other library and for those of the rivals."""

from tools.compiling import Absent, compile_seconds, find_compiler, including, preprocessed_lines
from tools.programs import progress
from tools.results import ROOT
from tools.tables import Listing

INCLUDES = [("slotwise/fwd.hpp", 0.06), ("slotwise/core/handle.hpp", 0.06), ("slotwise/map/slot_map.hpp", 0.45),
            ("slotwise/slotwise.hpp", 0.9)]
STANDARD_INCLUDES = ["vector", "memory", "unordered_map"]
RIVAL_INCLUDES = ["plf_colony.h", "boost/unordered/unordered_flat_map.hpp", "tsl/robin_map.h", "tsl/hopscotch_map.h",
                  "absl/container/flat_hash_map.h", "absl/container/node_hash_map.h"]


def our_headers():
    return sorted(str(path.relative_to(ROOT / "include")) for path in (ROOT / "include").rglob("*.hpp"))


def include_line(compiler, header, repetitions):
    """Lines, and seconds at -O0 and -O2, as cells."""
    text = including(header)
    return [str(preprocessed_lines(compiler, text)),
            *(f"{compile_seconds(compiler, text, repetitions, level):.2f}" for level in ("-O0", "-O2"))]


def includes_table(repetitions):
    compiler = find_compiler()
    bars, lines, absent = dict(INCLUDES), [], []
    headers = our_headers() + STANDARD_INCLUDES + RIVAL_INCLUDES
    for number, header in enumerate([None, *headers]):
        progress(f"[{number}/{len(headers)}] compile_time: {header}")
        bar = f"{bars[header]:.2f}" if header in bars else ""
        try:
            times = repetitions if bar else min(repetitions, 3)  # a hundred headers: only a promise is worth more of them
            lines.append([header or "(an empty file)", *include_line(compiler, header, times), bar])
        except Absent as missing:
            absent.append(f"{header} is left out: {missing} was not found.")
    progress("")
    return Listing("compile_time", "lines that the preprocessor leaves of a file with one #include, and seconds of CPU time to compile it; "
                   f"{compiler} -std=c++20, the bar is for -O0", ["header", "lines", "-O0", "-O2", "bar"], lines, absent)
