# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The questions of the benches, and what their programs report, by row and contender: medians, roles, and whether all saw the same."""

import collections
import itertools
import json
import math
import pathlib
import re
import statistics

ROOT = pathlib.Path(__file__).resolve().parents[2]


#=== questions ===#

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
# With a poor hash a table may take thousands of times as long: one size shows that, six would take half an hour.
def keyed_usual(row):
    return row.n == 65_000 if row.op.endswith("_poor_hash") else row.n in KEYED_SIZES


KEYED_QUICK = ("insert", "find_hit", "find_miss", "erase_insert", "iterate", "memory", "insert_string", "find_hit_string")
SERIES_QUICK = ("write_1000", "write_18_percent", "set", "churn_1000", "capture_1000", "apply_1000", "fan_out_100")

# Each row in both languages is two processes a repetition.
GRAPH_QUICK = [(operation, 8, n, None) for operation, n in (
    ("linear", 1000), ("fanout", 1000), ("unchanged_900", 1000), ("changed_10_work", 1000), ("changed_100", 100_000), ("random", 1000),
    ("clean", 100_000), ("link_and_run", 100_000), ("allocations", 1000))]

def small(row):
    return row.n == 100_000


QUESTIONS = {
    "iteration": Question("ns per live element", "SlotMap.sparse", "vector.dense", [
        ("iterator / plf::colony", "SlotMap.sparse_iterator", "plf_colony"), ("Dense / vector", "DenseSlotMap.dense", "vector.dense"),
        ("Soa / vector of field", "SoaSlotMap.dense", "vector_of_field.dense")], lambda row: small(row) and (row.bytes == 16 or (row.bytes == 4 and row.live == 100))),
    "slot_map": Question("ns per operation", "SlotMap", "plain_arrays", [
        ("reserve / arrays", "SlotMap_reserve", "plain_arrays"), ("Dense / arrays", "DenseSlotMap", "plain_arrays")], lambda row: small(row) and row.bytes == 16),
    "ageing": Question("ns per operation (age) or live element; memory: bytes per live element", "SlotMap", "plain_arrays", [
        ("ours / vector", "SlotMap", "vector"), ("Dense / vector", "DenseSlotMap", "vector"), ("lifo / arrays", "SlotMap_lifo", "plain_arrays")],
        lambda row: small(row) and row.bytes == 16, lambda row: row.bytes == 16),
    "columns": Question("ns per live element", "columns", "vector_per_field", [
        ("columns / structs", "columns", "SlotMap"), ("Soa / limit", "SoaSlotMap", "vector_per_field")], lambda row: small(row) and row.live == 50),
    "memory": Question("bytes per element, payload included; allocations: calls of operator new in all", "SlotMap", "vector", [], lambda row: row.bytes == 16),
    "observers": Question("ns per erase+insert pair", "none_attached", "no_observers", [], lambda row: row.bytes == 16),
    "keyed": Question("ns per operation (memory: bytes per element)", "slotwise_map", "vector", [],
                      lambda row: row.n in (65_000, 100_000) and row.op in KEYED_QUICK, keyed_usual, "boost_flat_map"),
    "rows": Question("ns per row", "SoaVector", "plain_arrays", [("ours / vectors", "SoaVector", "vectors")], small),
    "arrow": Question("ns per row (delta: per change)", "slotwise", "memcpy", [("ours / loop", "slotwise", "loop")], small),
    "sparse": Question("ns per id", "SparseMap", "vector", [("ours / Boost", "SparseMap", "boost_flat_map")], small),
    "ecs": Question("ns per entity", "ArchetypeStore", "arrays", [("ours / flecs", "ArchetypeStore", "flecs")],
                    lambda row: row.n in (1023, 16_384, 100_000) and row.live in (None, 50) or row.op in ("walk_started", "update_2") and row.n < 10_000),
    "graph": Question("ns per node that runs (clean, unchanged_900, link_and_run: per frame; link: per step; allocations: a frame)", "DataflowGraph", "in_order",
                      [("ours / full compare", "DataflowGraph", "full_compare"), ("ours / gate over records", "DataflowGraph", "gate_over_records")],
                      lambda row: row in GRAPH_QUICK),
    "series": Question("ns per write, change or slot, the window's share included", "adaptive", "writes_only", [
        ("adaptive / dirty list", "adaptive", "dirty_list"), ("adaptive / bitmap", "adaptive", "bitmap"), ("adaptive / writes and stamps", "adaptive", "writes_and_stamps")],
        lambda row: small(row) and row.op in SERIES_QUICK),
    "compile": Question("seconds to compile a small ECS program", "slotwise", "slotwise::compiled", [], small),
}


#=== results ===#

class Failure(Exception):
    """Something that must end the run with a message: (message, exit status)."""


class Row(collections.namedtuple("Row", "op bytes n live")):
    """One line of a table: operation, element bytes, n and perhaps the percentage of live elements."""

    pattern = re.compile(r"^(?P<op>\w+)/bytes:(?P<bytes>\d+)/n:(?P<n>\d+)(?:/live:(?P<live>\d+))?/(?P<contender>[^/]+)")

    @staticmethod
    def parse(name):
        match = Row.pattern.match(name)
        if match is None:
            raise Failure(f"benchmark with an unexpected name: {name}", 2)
        live = None if match["live"] is None else int(match["live"])
        return Row(match["op"], int(match["bytes"]), int(match["n"]), live), match["contender"]


def keys_of(row, n):
    """Of a line of bars.csv, claims.csv or charts.csv, at this n."""
    return list(itertools.product(row["operation"].split(), [int(row["bytes"])], KEYED_SIZES if n == "all" else [int(float(each)) for each in n.split()],
                                  [int(live) for live in row["live"].split()] or [None]))


def power(n):
    exponent = len(str(n)) - 1
    return f"1e{exponent}" if n == 10**exponent else str(n)


def is_rust(contender):
    return contender.startswith("rust_")


def is_versioned_rust(contender):
    """Those that tell a stale handle from a valid one, as all of ours do: slab's keys name whoever has the slot now."""
    return is_rust(contender) and contender.partition(".")[0] != "rust_slab"


def geometric_mean(numbers):
    return math.exp(statistics.fmean(map(math.log, numbers)))


class Results:
    """rows[key][contender] = (median, role); units are ns or bytes an item."""

    def __init__(self):
        self.rows = {}
        self.samples = {}  # [key][contender] = (values, checksums), of all reports
        self.context = {}  # of the first report
        self.compilers = []
        self.raw = []

    def get(self, key, contender):
        entry = self.rows.get(key, {}).get(contender)
        return None if entry is None else entry[0]

    def ratio(self, key, ours, other):
        a, b = self.get(key, ours), self.get(key, other)
        return None if a is None or not b else a / b

    def best(self, key, contenders):
        """The one with the smallest number, of those that were measured."""
        return min((c for c in contenders if self.get(key, c) is not None), key=lambda c: self.get(key, c), default=None)

    def add(self, report):
        """Takes a report; repetitions of a contender may come in several."""
        self.context = self.context or report["context"]
        compiler = report["context"].get("compiler", "unknown compiler")
        if compiler not in self.compilers:
            self.compilers.append(compiler)
        self.raw.append(report)
        for run in report["benchmarks"]:
            if run.get("run_type") != "iteration":
                continue
            if run.get("error_occurred"):
                raise Failure(f"{run['name']}: {run.get('error_message')}", 1)
            row, contender = Row.parse(run["name"])
            values, checksums = self.samples.setdefault(row, {}).setdefault(contender, ([], set()))
            values.append(run["value"] if "value" in run else run["real_time"] / run["items"])
            checksums.add(run["checksum"])
            self.rows.setdefault(row, {})[contender] = (statistics.median(values), run.get("label", ""))

    @property
    def mismatches(self):
        """(key, {contender: checksums}) of the rows whose contenders disagree."""
        return [(key, {name: sorted(checksums) for name, (_, checksums) in cells.items()}) for key, cells in self.samples.items()
                if len(set().union(*(checksums for _, checksums in cells.values()))) != 1]


class Means(Results):
    """Geometric means over the sizes of each operation: its rows have no n. A contender that lacks a size has no mean."""

    def __init__(self, results):
        super().__init__()
        self.context, self.compilers = results.context, results.compilers
        sizes = {}
        for key in results.rows:
            sizes.setdefault((key[0], key[1], None, key[3]), []).append(key)
        for key, keys in sizes.items():
            for contender, (_, role) in results.rows[keys[0]].items():
                medians = [results.get(each, contender) for each in keys]
                if all(medians):
                    self.rows.setdefault(key, {})[contender] = (geometric_mean(medians), role)


def by_question(raw):
    """{question: Results} of {name: reports}. The reports say themselves to which question they belong: `bars` asks several."""
    found = {}
    for name, reports in raw.items():
        for report in reports:
            question = report["context"].get("question", name)
            if question not in QUESTIONS:
                raise Failure(f"there is no question {question}", 2)
            found.setdefault(question, Results()).add(report)
    return {name: found[name] for name in QUESTIONS if name in found}


def read_raw(path):
    """{question: Results} of a file that --json wrote."""
    try:
        found = by_question(json.loads(pathlib.Path(path).read_text()))
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}", 2) from None
    except (ValueError, AttributeError, KeyError, TypeError):
        raise Failure(f"{path} is not what --json writes", 2) from None
    if not found:
        raise Failure(f"{path} has no results", 2)
    return found
