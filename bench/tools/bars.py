# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The promised ratios, each with its measured value: pass or miss."""

import csv
import itertools
import statistics
from typing import NamedTuple

from tools.compiling import INCLUDES, compile_seconds, find_compiler
from tools.questions import KEYED_SIZES, QUESTIONS
from tools.results import ROOT, Failure, geometric_mean, is_versioned_rust, power
from tools.tables import markdown, short

BEST_RUST = "the best crate whose handles have versions"
# kind: how it is written, and what it is of the numbers of a row: ours, other, bytes of an element.
KINDS = {"ratio": ("{:.2f}x", lambda a, b, key: a / b), "more": ("{:.2f} ns", lambda a, b, key: a - b), "bytes": ("{:.2f} B", lambda a, b, key: a),
         "overhead": ("{:.2f} B", lambda a, b, key: a - key[1]), "time": ("{:.0f} ns", lambda a, b, key: a),
         "fine": ("{:.2f} ns", lambda a, b, key: a), "calls": ("{:.0f}", lambda a, b, key: a),
         "window": ("{:.2f} us", lambda a, b, key: a / 100)}  # of ten changes


class Bar(NamedTuple):
    text: str
    limit: object  # None: for information
    question: str
    keys: list  # more than one: the mean over these sizes, geometric of ratios
    ours: str
    other: object = None
    kind: str = "ratio"
    stretch: object = None

    def wants(self, row, contender):
        return row in self.keys and (contender in (self.ours, self.other) or (self.other == BEST_RUST and is_versioned_rust(contender)))

    def is_against_rust(self):
        return self.other == BEST_RUST or str(self.other).startswith("rust_")

    def best(self, results):
        return results.best(self.keys[0], filter(is_versioned_rust, results.rows.get(self.keys[0], {}))) if self.other == BEST_RUST else self.other

    def values(self, results):
        """One a key; None when one was not measured."""
        pairs = [(results.get(key, self.ours), results.get(key, self.best(results)), key) for key in self.keys]
        missing = any(a is None or self.other is not None and (b is None or b == 0 and self.kind == "ratio") for a, b, _ in pairs)
        return None if missing else [KINDS[self.kind][1](*pair) for pair in pairs]

    def measured(self, results):
        values = self.values(results)
        return None if values is None else geometric_mean(values) if self.kind == "ratio" else statistics.fmean(values)

    def format(self, value):
        return KINDS[self.kind][0].format(value)

    def told(self, results):
        """What was measured, in words."""
        value = self.measured(results)
        named = f" ({short(self.best(results))})" if self.other == BEST_RUST and value is not None else ""
        return "-" if value is None else self.format(value) + named


def keys_of(row, n):
    """Of a line of bars.csv or claims.csv, at this n."""
    return list(itertools.product(row["operation"].split(), [int(row["bytes"])], KEYED_SIZES if n == "all" else [int(float(n))],
                                  [int(live) for live in row["live"].split()] or [None]))


def bars_of(question):
    """Those of its file, if it has one. EnTT is measured outside the repository; its bars count where its contender is linked into the program."""
    file = ROOT / "bench" / question / "bars.csv"
    if not file.exists():
        return []
    with file.open() as table:
        return [Bar(row["text"].format(n=n), float(row["limit"]) if row["limit"] else None, question, keys_of(row, n), row["ours"], row["other"] or None, row["kind"], float(row["stretch"]) if row.get("stretch") else None)
                for row in csv.DictReader(table) for n in row["n"].split()]


def judged(limit, stretch, value):
    if value is None:
        return "not measured"
    if limit is None:
        return "(no bar)" if stretch is None else "stretch" if value <= stretch else "(stretch missed)"
    return "MISS" if value > limit else "pass, stretch too" if stretch is not None and value <= stretch else "pass"


def judged_lines(bars, results_of):
    """The cells of text, limit, value and verdict of each. results_of: Results of a question."""
    lines = []
    for bar in bars:
        results = results_of(bar.question)
        away = str(bar.other).startswith("EnTT") and bar.measured(results) is None
        limit = "" if bar.limit is None or away else "<= " + bar.format(bar.limit)
        lines.append([bar.text, limit, bar.told(results), judged(bar.limit, bar.stretch, bar.measured(results))])
    return lines


def run_bars(runner, results, only, with_rust, no_rust):
    """with_rust: judge the bars against Rust too; no_rust: why its programs are absent, or None."""
    bars = [bar for question in QUESTIONS if only in (None, question) for bar in bars_of(question) if with_rust or not bar.is_against_rust()]
    absent = []
    for question in dict.fromkeys(bar.question for bar in bars):
        asked = [bar for bar in bars if bar.question == question]
        try:
            runner.run(question, lambda row, contender: any(bar.wants(row, contender) for bar in asked), results)
        except Failure as failure:
            if failure.args[1] != 2:
                raise
            absent.append(failure.args[0])
    lines = judged_lines(bars, lambda question: results)
    for header, limit in INCLUDES.items() if only is None else ():
        compiler, here = find_compiler(), (ROOT / "include" / header).is_file()
        seconds = compile_seconds(compiler, header, 7) if here else None
        lines.append([f"include cost of {header}, {compiler} -O0", f"<= {limit:.2f} s", f"{seconds:.2f} s" if here else "-", judged(limit, None, seconds)])
    missed = sum(bool(limit) and state in ("MISS", "not measured") for _, limit, _, state in lines)
    print("\nbars: 16-byte elements, n = 1e5 unless said; medians, each ratio within one process (to Rust: between two that take turns);\n"
          f"MapStorage: 8-byte keys unless said, geometric means over n = {', '.join(map(power, KEYED_SIZES))}\n")
    print(markdown(["row", "bar", "measured", ""], lines), *absent, sep="\n\n")
    if no_rust is not None and only in (None, "slot_map"):
        print(f"\nThe Rust crates are absent{'' if with_rust else ', and the bars against them left out'}: {no_rust}.")
    print(f"\n{missed} of the rows with a bar missed or not measured." if missed else "\nEvery bar is met.")
    return missed
