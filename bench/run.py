#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Runs the bench programs, checks that all contenders agree on the result, and prints one table a question.

  bench/run.py iteration --quick --build build/release   one size, under a minute
  bench/run.py slot_map                                  every row
  bench/run.py keyed --n 6e5,8e5,1e6                     geometric means over these sizes
  bench/run.py bars                                      the promised ratios, each with its measured value: pass or miss
  bench/run.py bars keyed                                those of one question

Every group of rows that is compared (one operation, element size and n) runs in one process, its contenders interleaved at
random; a number is the median of the repetitions. Exit status 1 when checksums differ, 2 when something is missing.
"""

import argparse
import json
import math
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEVEL = 0.05  # ratios closer to 1 than this are called level


class Failure(Exception):
    """Something that must end the run with a message: (message, exit status)."""


# ---------------------------------------------------------------- rows and results


class Row:
    """One line of a table: operation, element bytes, n and perhaps the percentage of live elements."""

    pattern = re.compile(r"^(?P<op>\w+)/bytes:(?P<bytes>\d+)/n:(?P<n>\d+)(?:/live:(?P<live>\d+))?/(?P<contender>[^/]+)")

    def __init__(self, match):
        self.op = match["op"]
        self.bytes = int(match["bytes"])
        self.n = int(match["n"])
        self.live = None if match["live"] is None else int(match["live"])

    @staticmethod
    def parse(name):
        match = Row.pattern.match(name)
        if match is None:
            raise Failure(f"benchmark with an unexpected name: {name}", 2)
        return Row(match), match["contender"]

    @property
    def key(self):
        return (self.op, self.bytes, self.n, self.live)

    @property
    def group(self):
        return (self.op, self.bytes, self.n)


def power(n):
    exponent = len(str(n)) - 1
    return f"1e{exponent}" if n == 10**exponent else str(n)


class Results:
    """rows[key][contender] = (median, role); units are ns or bytes an item."""

    def __init__(self):
        self.rows = {}
        self.mismatches = []
        self.context = {}
        self.raw = []

    def get(self, key, contender):
        entry = self.rows.get(key, {}).get(contender)
        return None if entry is None else entry[0]

    def ratio(self, key, ours, other):
        a, b = self.get(key, ours), self.get(key, other)
        return None if a is None or not b else a / b

    def add(self, report):
        self.context = report["context"]
        self.raw.append(report)
        samples = {}
        for run in report["benchmarks"]:
            if run.get("run_type") != "iteration":
                continue
            if run.get("error_occurred"):
                raise Failure(f"{run['name']}: {run.get('error_message')}", 1)
            row, contender = Row.parse(run["name"])
            value = run["value"] if "value" in run else run["real_time"] / run["items"]
            cell = samples.setdefault(row.key, {}).setdefault(contender, ([], set(), run.get("label", "")))
            cell[0].append(value)
            cell[1].add(run["checksum"])
        for key, cells in samples.items():
            sums = set().union(*(cell[1] for cell in cells.values()))
            if len(sums) != 1:
                self.mismatches.append((key, {name: sorted(cell[1]) for name, cell in cells.items()}))
            into = self.rows.setdefault(key, {})
            for name, cell in cells.items():
                into[name] = (statistics.median(cell[0]), cell[2])


# ---------------------------------------------------------------- running the programs


class Runner:
    def __init__(self, build, repetitions, core):
        self.build = pathlib.Path(build)
        self.repetitions = repetitions
        self.core = core

    def program(self, question):
        for folder in (self.build / "bench", self.build / "bench" / question, self.build):
            path = folder / f"bench_{question}"
            if path.is_file() and os.access(path, os.X_OK):
                return path
        raise Failure(
            f"bench_{question} is not in {self.build}: build the release preset with SLOTWISE_BUILD_BENCH on "
            "(needs Google Benchmark: package libbenchmark-dev), or name another folder with --build",
            2,
        )

    def pin(self):
        if self.core is not None:
            os.sched_setaffinity(0, {self.core})

    def call(self, arguments):
        done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              preexec_fn=self.pin if self.core is not None else None)
        if done.returncode != 0:
            raise Failure(f"{arguments[0]} failed with status {done.returncode}:\n{done.stderr[-2000:]}", 1)
        return done.stdout

    def names(self, question):
        lines = self.call([str(self.program(question)), "--benchmark_list_tests=true"]).splitlines()
        return [line for line in lines if "/bytes:" in line]

    def run(self, question, wanted, results):
        """Runs the benchmarks whose (row, contender) satisfy wanted, one process a group."""
        groups = {}
        for name in self.names(question):
            row, contender = Row.parse(name)
            if wanted(row, contender):
                groups.setdefault(row.group, []).append(name)
        if not groups:
            raise Failure(f"bench_{question} has no benchmark for the rows asked for", 2)
        for number, (group, names) in enumerate(groups.items(), 1):
            progress(f"[{number}/{len(groups)}] {question}: {group[0]} {group[1]} B n={power(group[2])}")
            with tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder) / "out.json"
                chosen = "^(" + "|".join(re.escape(name) for name in names) + ")$"
                self.call([
                    str(self.program(question)),
                    f"--benchmark_filter={chosen}",
                    f"--benchmark_repetitions={1 if 'memory' in (question, group[0].split('_')[0]) else self.repetitions}",
                    "--benchmark_enable_random_interleaving=true",
                    f"--benchmark_out={out}",
                    "--benchmark_out_format=json",
                ])
                results.add(json.loads(out.read_text()))
        progress("")


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


# ---------------------------------------------------------------- the questions

SHORT = {
    "vector": "vector",
    "vector_unchecked": "vector unchecked",
    "vector_of_field": "vector, field",
    "plain_arrays": "plain arrays",
    "article_slot_map": "article slot map",
    "plf_colony": "plf::colony",
    "plf_colony_unchecked": "plf::colony unchecked",
    "unordered_map": "unordered_map",
    "SlotMap.for_each": "SlotMap for_each",
    "SlotMap.iterator": "SlotMap iterator",
    "SlotMap_reserve.for_each": "SlotMap reserve for_each",
    "SoaSlotMap.column": "SoaSlotMap column",
    "SlotMap_reserve": "SlotMap reserve",
    "SlotMap_lifo": "SlotMap lifo",
    "SlotMap_fifo": "SlotMap fifo",
    "SlotMap_lowest": "SlotMap lowest",
    "boost_flat_map": "boost flat_map",
    "robin_map": "tsl::robin_map",
    "slotwise_map": "MapStorage",
    "slotwise_map.iterator": "MapStorage iterator",
    "slotwise_map_boost_index": "boost index",
    "slotwise_map_robin_index": "robin index",
    "slotwise_map_portable_index": "portable index",
    "writes_only": "writes only",
    "writes_and_stamps": "writes and stamps",
    "dirty_list": "dirty list",
    "by_hand": "sets kept by hand",
}


def short(contender):
    return SHORT.get(contender, contender)


class Question:
    def __init__(self, unit, ours, limit, ratios, quick, usual=lambda row: True, means_over=None):
        self.unit = unit
        self.ours = ours  # the contender that "ours" stands for in the ratio columns
        self.limit = limit
        self.ratios = ratios  # further (title, ours, other)
        self.quick = quick  # the rows of --quick
        self.usual = usual  # the rows run without --bytes and --n
        self.means_over = means_over  # means over the sizes, each with its ratio to this contender; None: a line a row


# A table that doubles is between half and completely full: no single size is fair to all, six of them are.
KEYED_SIZES = (55_000, 65_000, 80_000, 100_000, 120_000, 160_000)
KEYED_OPERATIONS = ["insert", "insert_reserved", "find_hit", "find_hit_dependent", "find_miss", "erase_insert", "erase_all",
                    "iterate", "clear", "memory"]
KEYED_QUICK = ("insert", "find_hit", "find_miss", "erase_insert", "iterate", "memory", "insert_string", "find_hit_string")

SERIES_QUICK = ("write_1000", "write_18_percent", "set", "churn_1000", "capture_1000", "apply_1000", "fan_out_100")

QUESTIONS = {
    "iteration": Question(
        "ns per live element", "SlotMap.for_each", "vector",
        [("iterator / plf::colony", "SlotMap.iterator", "plf_colony"), ("Dense / vector", "DenseSlotMap", "vector"),
         ("Soa / vector of field", "SoaSlotMap.column", "vector_of_field")],
        lambda row: row.n == 100_000 and (row.bytes == 16 or (row.bytes == 4 and row.live == 100))),
    "slot_map": Question(
        "ns per operation", "SlotMap", "plain_arrays",
        [("reserve / limit", "SlotMap_reserve", "plain_arrays"), ("Dense / limit", "DenseSlotMap", "plain_arrays")],
        lambda row: row.n == 100_000 and row.bytes == 16),
    "memory": Question("bytes per element, payload included", "SlotMap", "vector", [], lambda row: row.bytes == 16),
    "observers": Question(
        "ns per erase+insert pair", "none_attached", "no_observers", [], lambda row: row.bytes == 16),
    "keyed": Question(
        "ns per operation (memory: bytes per element)", "slotwise_map", "vector", [],
        lambda row: row.n in (65_000, 100_000) and row.op in KEYED_QUICK, lambda row: row.n in KEYED_SIZES, "boost_flat_map"),
    "series": Question(
        "ns per write, change or slot, the window's share included", "adaptive", "writes_only",
        [("adaptive / dirty list", "adaptive", "dirty_list"), ("adaptive / bitmap", "adaptive", "bitmap"),
         ("adaptive / writes and stamps", "adaptive", "writes_and_stamps")],
        lambda row: row.n == 100_000 and row.op in SERIES_QUICK),
}


def number(value):
    if value is None:
        return "-"
    if value < 0.995:
        return f"{value:.2f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def verdict(ratio):
    if ratio is None:
        return "-"
    if ratio < 1 - LEVEL:
        return f"{ratio:.2f} win"
    if ratio > 1 + LEVEL:
        return f"{ratio:.2f} LOSS"
    return f"{ratio:.2f} level"


def times(ratio):
    return "-" if ratio is None else f"{ratio:.2f}x"


def markdown(head, lines):
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    def text(cells):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"
    return "\n".join([text(head), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(text, lines)])


def summary(question, results, key):
    """The cells that say how a row went: best rival and ratios, as (title, text)."""
    rivals = [(value, contender) for contender, (value, role) in results.rows[key].items() if role == "rival"]
    best = min(rivals)[1] if rivals else None
    ours = question.ours
    cells = [
        ("best rival", "-" if best is None else short(best)),
        ("ours / best rival", verdict(results.ratio(key, ours, best))),
        ("ours / limit", times(results.ratio(key, ours, question.limit))),
        ("ours / plf::colony", verdict(results.ratio(key, ours, "plf_colony"))),
    ]
    return cells + [(title, times(results.ratio(key, a, b))) for title, a, b in question.ratios]


def table(name, results, compact):
    """One line a row and one column a contender; compact: the other way round, for a handful of rows on a narrow screen."""
    question = QUESTIONS[name]
    roles = {}
    for cells in results.rows.values():
        for contender, (_, role) in cells.items():
            roles.setdefault(contender, role)
    contenders = sorted(roles, key=lambda c: ({"limit": 0, "ours": 1, "rival": 2}.get(roles[c], 3), c))
    if question.means_over is not None:
        table_of_means(name, question, results, contenders)
        return
    keys = sorted(results.rows, key=order)
    several = len({key[0] for key in keys}) > 1
    live = any(key[3] is not None for key in keys)
    print(f"\n{name}: {question.unit}; ours = {short(question.ours)}, limit = {short(question.limit)}\n")
    if compact:
        sizes, amounts = {key[1] for key in keys}, {key[2] for key in keys}
        def heading(key):
            parts = [key[0].removeprefix("memory_")] if several else []
            parts += [f"{key[3]} % live"] if key[3] is not None else []
            parts += [f"{key[1]} B"] if len(sizes) > 1 else []
            parts += [power(key[2])] if len(amounts) > 1 else []
            return ", ".join(parts) or key[0]
        head = [f"{', '.join(f'{size} B' for size in sorted(sizes, reverse=True))}, n = {', '.join(map(power, sorted(amounts)))}"]
        head += [heading(key) for key in keys]
        lines = [[f"{roles[c]}: {short(c)}"] + [number(results.get(key, c)) for key in keys] for c in contenders]
        summaries = [summary(question, results, key) for key in keys]
        lines += [[cells[0][0]] + [cell[1] for cell in cells] for cells in zip(*summaries)]
    else:
        lines = []
        for key in keys:
            cells = summary(question, results, key)
            line = ([key[0]] if several else []) + [str(key[1]), power(key[2])] + ([str(key[3])] if live else [])
            lines.append(line + [number(results.get(key, c)) for c in contenders] + [text for _, text in cells])
        head = (["operation"] if several else []) + ["bytes", "n"] + (["live %"] if live else [])
        head += [short(c) for c in contenders] + [title for title, _ in cells]
    print(markdown(head, lines))
    if "plf_colony" not in roles and name not in ("observers", "series"):
        print("\nplf::colony was not built in (Debian package libplf-colony-dev).")


def geometric_mean(numbers):
    return math.exp(statistics.fmean(map(math.log, numbers)))


def table_of_means(name, question, results, contenders):
    """One line an operation, one column a contender: its mean over the sizes and the ratio to the mean of question.means_over."""
    base = question.means_over
    amounts = sorted({key[2] for key in results.rows})
    def rank(operation):
        kind = next((kind for kind in ("_string", "_poor_hash") if operation.endswith(kind)), "")
        plain = operation.removesuffix(kind)
        return (kind, KEYED_OPERATIONS.index(plain) if plain in KEYED_OPERATIONS else len(KEYED_OPERATIONS), plain)
    lines = []
    for operation in sorted({key[0] for key in results.rows}, key=lambda op: (len(rank(op)[0]), rank(op))):
        keys = sorted(key for key in results.rows if key[0] == operation)
        def mean(contender):
            values = [results.get(key, contender) for key in keys]
            return None if None in values else geometric_mean(values)
        line = [operation]
        for contender in contenders:
            value, reference = mean(contender), mean(base)
            ratio = "" if value is None or reference is None or contender == base else f" ({value / reference:.2f}x)"
            line.append(number(value) + ratio)
        lines.append(line)
    print(f"\n{name}: {question.unit}, geometric mean over n = {', '.join(map(power, amounts))}"
          f"{f'; in parentheses the ratio to {short(base)}' if base in contenders else ''}\n")
    print(markdown(["operation", *map(short, contenders)], lines))
    for contender, package in (("boost_flat_map", "libboost1.81-dev"), ("robin_map", "robin-map-dev")):
        if contender not in contenders:
            print(f"\n{short(contender)} was not built in (Debian package {package}).")


def order(key):
    operations = ["slots_10", "again_10", "handles_10", "write_10", "write_1000", "write_20000", "write_18_percent", "set", "insert", "insert_reserved", "refill", "lookup", "lookup_half_stale", "churn", "churn_holes", "erase_all",
                  "clear", "memory_grown", "memory_reserved"]
    rank = operations.index(key[0]) if key[0] in operations else len(operations)
    return ({16: 0, 4: 1, 64: 2}.get(key[1], 3), rank, key[0], key[2], -(key[3] or 0))


def machine(results):
    model = "unknown processor"
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return f"{model}, {results.context.get('num_cpus', '?')} cores, {results.context.get('compiler', 'unknown compiler')} -O3"


def agree(results):
    """Prints whether all contenders computed the same; returns False when not."""
    for key, sums in results.mismatches:
        print(f"CHECKSUM MISMATCH in {key}: {sums}", file=sys.stderr)
    if results.mismatches:
        return False
    compared = sum(1 for cells in results.rows.values() if len(cells) > 1)
    contenders = {c for cells in results.rows.values() for c in cells}
    if compared == 0:
        raise Failure("no row had two contenders: nothing was compared", 1)
    print(f"\nChecksums of {len(contenders)} contenders agree in all {compared} rows.")
    return True


# ---------------------------------------------------------------- what a header costs to include


def compile_seconds(compiler, text, repetitions):
    """Median CPU time of compiling one file with this text at -O0."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "one.cpp"
        source.write_text(text)
        samples = []
        for _ in range(repetitions):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run([compiler, "-std=c++20", "-O0", "-I", str(ROOT / "include"), "-c", str(source), "-o",
                                   str(pathlib.Path(folder) / "one.o")], stderr=subprocess.PIPE, text=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode != 0:
                raise Failure(f"does not compile: {text}\n{done.stderr[:2000]}", 1)
            samples.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return statistics.median(samples)


INCLUDES = [("slotwise/fwd.hpp", 0.06), ("slotwise/core/handle.hpp", 0.06), ("slotwise/map/slot_map.hpp", 0.45),
            ("slotwise/slotwise.hpp", 0.9)]
OTHER_INCLUDES = ["slotwise/core/versioned.hpp", "slotwise/map/dense_slot_map.hpp", "slotwise/map/soa_slot_map.hpp",
                  "slotwise/map/secondary_map.hpp", "slotwise/map/identity_map.hpp"]
STANDARD_INCLUDES = ["vector", "memory", "unordered_map"]


def find_compiler():
    for name in ("g++-12", "g++"):
        if shutil.which(name):
            return name
    raise Failure("no g++ to measure the include cost with", 2)


def includes_table(repetitions):
    compiler = find_compiler()
    lines = [["(an empty file)", f"{compile_seconds(compiler, 'int main() {}', repetitions):.2f}", ""]]
    bars = dict(INCLUDES)
    for header in [header for header, _ in INCLUDES] + OTHER_INCLUDES:
        if (ROOT / "include" / header).is_file():
            seconds = compile_seconds(compiler, f"#include <{header}>\nint main() {{}}\n", repetitions)
            lines.append([header, f"{seconds:.2f}", f"{bars[header]:.2f}" if header in bars else ""])
    for header in STANDARD_INCLUDES:
        seconds = compile_seconds(compiler, f"#include <{header}>\nint main() {{}}\n", repetitions)
        lines.append([f"<{header}>", f"{seconds:.2f}", ""])
    print(f"\nincludes: seconds of CPU time to compile one file, {compiler} -std=c++20 -O0\n")
    print(markdown(["header", "seconds", "bar"], lines))


# ---------------------------------------------------------------- the promised ratios


class Bar:
    """text: the row; limit: the promised ratio or None for information; the rest: which numbers to divide or subtract."""

    def __init__(self, text, limit, question, key, ours, other, kind="ratio", stretch=None):
        self.text, self.limit, self.question, self.key = text, limit, question, key
        self.ours, self.other, self.kind, self.stretch = ours, other, kind, stretch

    @property
    def keys(self):
        return [self.key]

    def measured(self, results):
        a = results.get(self.key, self.ours)
        if a is None:
            return None
        if self.kind == "overhead":
            return a - self.key[1]
        b = results.get(self.key, self.other)
        if b is None:
            return None
        return a / b if self.kind == "ratio" else a - b

    def format(self, value):
        return {"ratio": f"{value:.2f}x", "overhead": f"{value:.2f} B", "difference": f"{value:.2f} ns"}[self.kind]


class KeyedBar(Bar):
    """The geometric mean of the ratios over the six sizes, or (other is None) the mean of our numbers: bytes."""

    def __init__(self, text, limit, stretch, operation, ours, other):
        super().__init__(text, limit, "keyed", None, ours, other, "overhead" if other is None else "ratio", stretch)
        self.operation = operation

    @property
    def keys(self):
        return [(self.operation, 8, n, None) for n in KEYED_SIZES]

    def measured(self, results):
        if self.other is None:
            values = [results.get(key, self.ours) for key in self.keys]
            return None if None in values else statistics.fmean(values)
        ratios = [results.ratio(key, self.ours, self.other) for key in self.keys]
        return None if None in ratios else geometric_mean(ratios)


def keyed_bars():
    bars = []
    def against(other, named, *rows):
        bars.extend(KeyedBar(f"MapStorage {text} / {named}", limit, stretch, operation, "slotwise_map", other)
                    for text, operation, limit, stretch in rows)
    against("boost_flat_map", "boost::unordered_flat_map",
            ("find, hit", "find_hit", 1.6, 1.2), ("find, miss", "find_miss", 2.0, 1.3),
            ("insert without reserve", "insert", 0.85, 0.7), ("erase+insert", "erase_insert", 1.9, 1.3),
            ("find, hit, strings", "find_hit_string", 1.25, 1.0),
            ("insert without reserve, strings", "insert_string", 0.75, 0.5), ("iteration over values", "iterate", 0.1, None))
    against("vector", "vector of the values", ("iteration over values", "iterate", 1.6, None))
    bars.append(KeyedBar("MapStorage bytes per element of 8 + 8, versions included", 31, 28, "memory", "slotwise_map", None))
    against("slotwise_map_boost_index", "the same over BoostIndex",
            ("find, hit", "find_hit", 1.0, None), ("insert without reserve", "insert", 1.0, None),
            ("erase+insert", "erase_insert", 1.0, None), ("find, miss", "find_miss", None, 1.0))
    return bars


class SeriesBar(Bar):
    """A ratio, or (other is None) a time: of one change, or of a window of `changes`."""

    def __init__(self, text, limit, operation, n, other, changes=1):
        super().__init__(text, limit, "series", (operation, 8, n, None), "adaptive", other,
                         "ratio" if other is not None else "time" if changes == 1 else "window")
        self.changes = changes

    def measured(self, results):
        if self.other is not None:
            return results.ratio(self.key, self.ours, self.other)
        value = results.get(self.key, self.ours)
        return None if value is None else value * self.changes

    def format(self, value):
        return {"ratio": f"{value:.2f}x", "time": f"{value:.0f} ns", "window": f"{value / 1000:.2f} us"}[self.kind]


def series_bars():
    million, tenth = 1_000_000, 100_000
    window = "10 changes among 1e6: open, write, read, roll,"
    return [
        SeriesBar(f"{window} DeltaTracker by slot", 500, "slots_10", million, None, 10),
        SeriesBar(f"{window} TSDStorage by key, the same keys again", 500, "again_10", million, None, 10),
        SeriesBar(f"{window} TSDStorage by key, others each time: cold", 500, "write_10", million, None, 10),
        SeriesBar("  the same / a MapStorage that is only written", None, "write_10", million, "writes_only"),
        SeriesBar("2e4 changes among 1e6, window and reading included / the same writes and stamps", 1.5, "write_20000", million,
                  "writes_and_stamps"),
        SeriesBar("  / the same writes, no stamps either", None, "write_20000", million, "writes_only"),
        SeriesBar("  / sets kept by hand", None, "write_20000", million, "by_hand"),
        SeriesBar("18 % of 1e5 change, adaptive / bitmap", 1.3, "write_18_percent", tenth, "bitmap"),
        SeriesBar("18 % of 1e5 change, adaptive / dirty list", 1.3, "write_18_percent", tenth, "dirty_list"),
        SeriesBar("set on an existing key, all columns on, 1e5 / MapStorage insert_or_assign", 2.0, "set", tenth, "writes_only"),
        SeriesBar("set on an existing key, all columns on, 1e6 / MapStorage insert_or_assign", 2.0, "set", million, "writes_only"),
        SeriesBar("apply a captured delta, 18 % of 1e5, per change (10 million a second)", 100, "apply_18_percent", tenth, None),
        SeriesBar("apply a captured delta, 2e4 of 1e6, per change (10 million a second)", 100, "apply_20000", million, None),
    ]


def all_bars():
    bars = []
    for live in (100, 50):
        key = ("iterate", 16, 100_000, live)
        bars.append(Bar(f"DenseSlotMap iteration, {live} % live / vector", 1.1, "iteration", key, "DenseSlotMap", "vector"))
        bars.append(Bar(f"SoaSlotMap column iteration, {live} % live / vector of the field", 1.1, "iteration", key,
                        "SoaSlotMap.column", "vector_of_field"))
    key = ("iterate", 16, 100_000, 100)
    bars.append(Bar("SlotMap for_each, 100 % live / vector", 1.6, "iteration", key, "SlotMap.for_each", "vector"))
    key = ("iterate", 4, 100_000, 100)
    bars.append(Bar("SlotMap for_each, 4-byte elements, 100 % live / vectorised vector", 1.6, "iteration", key,
                    "SlotMap.for_each", "vector"))
    for n, limits in ((100_000, {90: 0.55, 50: 0.55, 10: 0.55}), (1_000_000, {90: 0.75, 50: 0.75, 10: 1.0})):
        for live, limit in limits.items():
            key = ("iterate", 16, n, live)
            bars.append(Bar(f"SlotMap for_each, {live} % live, {power(n)} / plf::colony", limit, "iteration", key,
                            "SlotMap.for_each", "plf_colony", stretch=0.5))
            bars.append(Bar(f"  the same by iterator / plf::colony", None, "iteration", key, "SlotMap.iterator", "plf_colony"))
            bars.append(Bar(f"  the same with Growth::reserve / plf::colony", None, "iteration", key,
                            "SlotMap_reserve.for_each", "plf_colony"))
    for n in (100_000, 1_000_000):
        key = ("lookup", 16, n, None)
        bars.append(Bar(f"SlotMap checked lookup, {power(n)} / array index + version compare", 1.35, "slot_map", key, "SlotMap",
                        "plain_arrays"))
        bars.append(Bar(f"  with Growth::reserve, {power(n)}", 1.15, "slot_map", key, "SlotMap_reserve", "plain_arrays"))
    bars.append(Bar("SlotMap insert after reserve / plain arrays + free stack", 1.6, "slot_map",
                    ("insert_reserved", 16, 100_000, None), "SlotMap", "plain_arrays"))
    bars.append(Bar("SlotMap erase+insert / plain arrays + free stack", 1.2, "slot_map", ("churn", 16, 100_000, None), "SlotMap",
                    "plain_arrays"))
    bars.append(Bar("  the same with half of the slots free", None, "slot_map", ("churn_holes", 16, 100_000, None), "SlotMap",
                    "plain_arrays"))
    key = ("memory_reserved", 16, 1_000_000, None)
    bars.append(Bar("SlotMap bytes over payload, 1e6, after reserve", 4.5, "memory", key, "SlotMap", None, "overhead"))
    bars.append(Bar("DenseSlotMap bytes over payload, 1e6, after reserve", 12.5, "memory", key, "DenseSlotMap", None, "overhead"))
    key = ("observe", 16, 100_000, None)
    bars.append(Bar("no observer attached, erase+insert / built without observers", 1.03, "observers", key, "none_attached",
                    "no_observers"))
    small = ("observe", 16, 1_000, None)
    bars.append(Bar("  the same at n = 1e3, in the first-level cache", None, "observers", small, "none_attached", "no_observers"))
    bars.append(Bar("one static column, erase+insert, more than none", 2.0, "observers", key, "static_column", "no_observers",
                    "difference"))
    bars.append(Bar("  more than a second array that the caller keeps", None, "observers", key, "static_column", "column_by_hand",
                    "difference"))
    bars.append(Bar("  the same at n = 1e3, in the first-level cache, more than none", None, "observers", small, "static_column",
                    "no_observers", "difference"))
    bars.append(Bar("  one dynamic observer, more than none", None, "observers", key, "dynamic_observer", "no_observers",
                    "difference"))
    return bars + keyed_bars() + series_bars()


def run_bars(runner, results, only):
    bars = [bar for bar in all_bars() if only in (None, bar.question)]
    absent = {}
    for question in dict.fromkeys(bar.question for bar in bars):
        needed = {(key, name) for bar in bars if bar.question == question for key in bar.keys for name in (bar.ours, bar.other)}
        try:
            runner.run(question, lambda row, contender: (row.key, contender) in needed, results)
        except Failure as failure:
            if failure.args[1] != 2:
                raise
            absent[question] = failure.args[0]
    lines, missed = [], 0
    def judge(text, limit, limit_text, value, value_text, stretch=None):
        nonlocal missed
        if value is None:
            state = "not measured"
            missed += limit is not None
        elif limit is None:
            state = "(no bar)" if stretch is None else "stretch" if value <= stretch else "(stretch missed)"
        else:
            state = "pass" if value <= limit else "MISS"
            missed += value > limit
            if stretch is not None and value <= stretch:
                state = "pass, stretch too"
        lines.append([text, limit_text if limit is not None else "", value_text if value is not None else "-", state])
    for bar in bars:
        value = bar.measured(results)
        judge(bar.text, bar.limit, "" if bar.limit is None else "<= " + bar.format(bar.limit), value,
              "" if value is None else bar.format(value), bar.stretch)
    if only is None:
        compiler = find_compiler()
        for header, limit in INCLUDES:
            seconds = None
            if (ROOT / "include" / header).is_file():
                seconds = compile_seconds(compiler, f"#include <{header}>\nint main() {{}}\n", 7)
            judge(f"include cost of {header}, {compiler} -O0", limit, f"<= {limit:.2f} s", seconds,
                  "" if seconds is None else f"{seconds:.2f} s")
    print("\nbars: 16-byte elements, n = 1e5 unless said; medians, each ratio within one process; MapStorage: 8-byte keys unless\n"
          f"said, geometric means over n = {', '.join(map(power, KEYED_SIZES))}\n")
    print(markdown(["row", "bar", "measured", ""], lines))
    for message in absent.values():
        print(f"\n{message}")
    print(f"\n{missed} of the rows with a bar missed or not measured." if missed else "\nEvery bar is met.")
    return missed


# ---------------------------------------------------------------- the command line


def default_core():
    """The last core this process may use: the first ones serve interrupts."""
    try:
        return max(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", choices=[*QUESTIONS, "includes", "bars", "all"])
    parser.add_argument("only", nargs="?", choices=QUESTIONS, help="bars: those of this question, without the include cost")
    parser.add_argument("--quick", action="store_true", help="the rows and repetitions of a demonstration")
    parser.add_argument("--build", default=str(ROOT / "build" / "release"), help="build folder (default: build/release)")
    parser.add_argument("--json", metavar="FILE", help="keep what the programs reported")
    parser.add_argument("--repetitions", type=int, help="default: 9, with --quick 5")
    parser.add_argument("--bytes", type=int, choices=[4, 8, 16, 64], help="only this element size")
    parser.add_argument("--n", type=lambda text: [int(float(n)) for n in text.split(",")],
                        help="only these numbers of elements, e.g. 1e5 or 6e5,8e5")
    parser.add_argument("--core", type=int, default=default_core(), help="core to run on (default: the last one allowed)")
    options = parser.parse_args()
    if options.only is not None and options.question != "bars":
        parser.error("a second question goes with bars only")
    runner = Runner(options.build, options.repetitions or (5 if options.quick else 9), options.core)
    raw, good = {}, True
    if options.question == "includes":
        includes_table(options.repetitions or (3 if options.quick else 7))
        return 0
    if options.question == "bars":
        results = Results()
        run_bars(runner, results, options.only)
        good = agree(results)
        print(machine(results))
        raw["bars"] = results.raw
    else:
        for name in QUESTIONS if options.question == "all" else [options.question]:
            results = Results()
            def wanted(row, contender, question=QUESTIONS[name]):
                chosen = options.bytes is not None or options.n is not None
                return ((chosen or (question.quick if options.quick else question.usual)(row))
                        and options.bytes in (None, row.bytes) and (options.n is None or row.n in options.n))
            runner.run(name, wanted, results)
            table(name, results, options.quick)
            good = agree(results) and good
            print(machine(results))
            raw[name] = results.raw
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(raw, indent=1))
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"bench/run.py: {failure.args[0]}", file=sys.stderr)
        sys.exit(failure.args[1])
