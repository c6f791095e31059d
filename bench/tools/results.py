# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What the bench programs report, by row and contender: medians, roles, and whether all saw the same."""

import collections
import json
import math
import pathlib
import re
import statistics

from tools.questions import QUESTIONS

ROOT = pathlib.Path(__file__).resolve().parents[2]


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


def power(n):
    exponent = len(str(n)) - 1
    return f"1e{exponent}" if n == 10**exponent else str(n)


def is_rust(contender):
    return contender.startswith("rust_")


def is_versioned_rust(contender):
    """Those that tell a stale handle from a valid one, as all of ours do: slab's keys name whoever has the slot now."""
    return is_rust(contender) and contender != "rust_slab"


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
