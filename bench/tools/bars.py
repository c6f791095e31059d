# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The promised ratios, each with its measured value: pass or miss."""

import csv
import statistics
from typing import NamedTuple

from tools.compiling import INCLUDES, compile_seconds, find_compiler, including
from tools.questions import KEYED_SIZES
from tools.results import ROOT, Failure, geometric_mean, is_versioned_rust, power
from tools.tables import markdown, short

E3, E5, E6 = 1_000, 100_000, 1_000_000
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
        return row.key in self.keys and (contender in (self.ours, self.other) or (self.other is BEST_RUST and is_versioned_rust(contender)))

    def best(self, results):
        return results.best(self.keys[0], filter(is_versioned_rust, results.rows.get(self.keys[0], {}))) if self.other is BEST_RUST else self.other

    def measured(self, results):
        values, other = [], self.best(results)
        for key in self.keys:
            a, b = results.get(key, self.ours), results.get(key, other)
            if a is None or (self.other is not None and not b):
                return None
            values.append(KINDS[self.kind][1](a, b, key))
        return geometric_mean(values) if self.kind == "ratio" else statistics.fmean(values)

    def format(self, value):
        return KINDS[self.kind][0].format(value)

    def told(self, results):
        """What was measured, in words."""
        value = self.measured(results)
        named = f" ({short(self.best(results))})" if self.other is BEST_RUST and value is not None else ""
        return "-" if value is None else self.format(value) + named


def at(operation, n=E5, live=None, size=16):
    return [(operation, size, n, live)]


def iteration_bars():
    def bar(text, limit, key, ours, other, stretch=None):
        return Bar(text, limit, "iteration", key, ours, other, stretch=stretch)
    bars = [bar("SlotMap for_each, 100 % live / vector", 1.6, at("iterate", live=100), "SlotMap.for_each", "vector"),
            bar("SlotMap for_each, 4-byte elements, 100 % live / vectorised vector", 1.6, at("iterate", live=100, size=4), "SlotMap.for_each",
                "vector")]
    for live in (100, 50):
        key = at("iterate", live=live)
        bars += [bar(f"DenseSlotMap iteration, {live} % live / vector", 1.1, key, "DenseSlotMap", "vector"),
                 bar(f"SoaSlotMap column iteration, {live} % live / vector of the field", 1.1, key, "SoaSlotMap.column", "vector_of_field")]
    for n, live, limit in ((E5, 90, 0.55), (E5, 50, 0.55), (E5, 10, 0.55), (E6, 90, 0.75), (E6, 50, 0.75), (E6, 10, 1.0)):
        key = at("iterate", n, live)
        bars += [bar(f"SlotMap for_each, {live} % live, {power(n)} / plf::colony", limit, key, "SlotMap.for_each", "plf_colony", 0.5),
                 bar("  the same by iterator / plf::colony", None, key, "SlotMap.iterator", "plf_colony"),
                 bar("  the same with Growth::reserve / plf::colony", None, key, "SlotMap_reserve.for_each", "plf_colony")]
    return bars


def slot_map_bars():
    bars = []
    for n in (E5, E6):
        bars += [Bar(f"SlotMap checked lookup, {power(n)} / array index + version compare", 1.35, "slot_map", at("lookup", n), "SlotMap", "plain_arrays"),
                 Bar(f"  with Growth::reserve, {power(n)}", 1.15, "slot_map", at("lookup", n), "SlotMap_reserve", "plain_arrays")]
    none, small = at("observe"), at("observe", E3)
    return bars + [
        Bar("SlotMap insert after reserve / plain arrays + free stack", 1.6, "slot_map", at("insert_reserved"), "SlotMap", "plain_arrays"),
        Bar("SlotMap erase+insert / plain arrays + free stack", 1.2, "slot_map", at("churn"), "SlotMap", "plain_arrays"),
        Bar("  the same with half of the slots free", None, "slot_map", at("churn_holes"), "SlotMap", "plain_arrays"),
        Bar("SlotMap bytes over payload, 1e6, after reserve", 4.5, "memory", at("memory_reserved", E6), "SlotMap", kind="overhead"),
        Bar("DenseSlotMap bytes over payload, 1e6, after reserve", 12.5, "memory", at("memory_reserved", E6), "DenseSlotMap", kind="overhead"),
        Bar("no observer attached, erase+insert / built without observers", 1.03, "observers", none, "none_attached", "no_observers"),
        Bar("  the same at n = 1e3, in the first-level cache", None, "observers", small, "none_attached", "no_observers"),
        Bar("one static column, erase+insert, more than none", 2.0, "observers", none, "static_column", "no_observers", "more"),
        Bar("  more than a second array that the caller keeps", None, "observers", none, "static_column", "column_by_hand", "more"),
        Bar("  the same at n = 1e3, in the first-level cache, more than none", None, "observers", small, "static_column", "no_observers", "more"),
        Bar("  one dynamic observer, more than none", None, "observers", none, "dynamic_observer", "no_observers", "more")]


def keyed_bars():
    def bar(text, limit, stretch, operation, other, kind="ratio"):
        return Bar(f"MapStorage {text}", limit, "keyed", [(operation, 8, n, None) for n in KEYED_SIZES], "slotwise_map", other, kind, stretch)
    rows = [(f"{text} / boost::unordered_flat_map", limit, stretch, operation, "boost_flat_map") for text, limit, stretch, operation in (
        ("find, hit", 1.6, 1.2, "find_hit"), ("find, miss", 2.0, 1.3, "find_miss"), ("insert without reserve", 0.85, 0.7, "insert"),
        ("erase+insert", 1.9, 1.3, "erase_insert"), ("find, hit, strings", 1.25, 1.0, "find_hit_string"),
        ("insert without reserve, strings", 0.75, 0.5, "insert_string"), ("iteration over values", 0.1, None, "iterate"))]
    rows += [("iteration over values / vector of the values", 1.6, None, "iterate", "vector"),
             ("bytes per element of 8 + 8, versions included", 31, 28, "memory", None, "bytes")]
    rows += [(f"{text} / the same over BoostIndex", limit, stretch, operation, "slotwise_map_boost_index") for text, limit, stretch, operation in (
        ("find, hit", 1.0, None, "find_hit"), ("insert without reserve", 1.0, None, "insert"), ("erase+insert", 1.0, None, "erase_insert"),
        ("find, miss", None, 1.0, "find_miss"))]
    identities = [Bar("IdentityMap find, hit, 1e5 / MapStorage", 1.1, "keyed", at("find_hit", size=8), "identity_map", "slotwise_map")]
    sizes = [(text, limit, operation, n) for text, limit, operation, ns in (
        ("find, hit", 1.3, "find_hit", (E5, E6)), ("find, miss", 1.2, "find_miss", (E5, E6)), ("erase+insert", 2.0, "erase_insert", (E6,)),
        ("insert without reserve", 1.0, "insert", (E6,))) for n in ns]
    single = [Bar(f"{name} {text}, {power(n)} / boost::unordered_flat_map", limit, "keyed", at(operation, n, size=8), ours, "boost_flat_map")
              for name, ours in (("MapStorage", "slotwise_map"), ("MapStorage with Growth::reserve", "slotwise_map_reserve"))
              for text, limit, operation, n in sizes]
    single += [Bar(f"MapStorage {text}, 1e6, per element", limit, "keyed", at(text, E6, size=8), "slotwise_map", None, "fine")
               for text, limit in (("snapshot", 10), ("restore", None))]
    return [bar(*row) for row in rows] + identities + single


def series_bars():
    window = "10 changes among 1e6: open, write, read, roll,"
    rows = [(f"{window} DeltaTracker by slot", 500, "slots_10", E6, None, "window"),
            (f"{window} TSDStorage by key, the same keys again", 500, "again_10", E6, None, "window"),
            (f"{window} TSDStorage by key, others each time: cold", 500, "write_10", E6, None, "window"),
            ("  the same / a MapStorage that is only written", None, "write_10", E6, "writes_only"),
            ("2e4 changes among 1e6, window and reading included / the same writes and stamps", 1.5, "write_20000", E6, "writes_and_stamps"),
            ("  / the same writes, no stamps either", None, "write_20000", E6, "writes_only"), ("  / sets kept by hand", None, "write_20000", E6, "by_hand")]
    rows += [(f"18 % of 1e5 change, adaptive / {other.replace('_', ' ')}", 1.3, "write_18_percent", E5, other) for other in ("bitmap", "dirty_list")]
    rows += [(f"set on an existing key, all columns on, {power(n)} / MapStorage insert_or_assign", 2.0, "set", n, "writes_only") for n in (E5, E6)]
    rows += [(f"apply a captured delta, {text}, per change (10 million a second)", 100, operation, n, None, "time")
             for text, operation, n in (("18 % of 1e5", "apply_18_percent", E5), ("2e4 of 1e6", "apply_20000", E6))]
    return [Bar(text, limit, "series", at(operation, n, size=8), "adaptive", other, *kind) for text, limit, operation, n, other, *kind in rows]


def table_bars(question):
    """Those of a file. EnTT is measured outside the repository; its bars count where its contender is linked into the program."""
    with (ROOT / "bench" / question / "bars.csv").open() as table:
        return [Bar(row["text"].format(n=n), float(row["limit"]) if row["limit"] else None, question, at(row["operation"], int(float(n)), int(row["live"] or 0) or None, int(row["bytes"])),
                    row["ours"], row["other"] or None, row["kind"]) for row in csv.DictReader(table) for n in row["n"].split()]


def rust_bars():
    def bar(text, limit, key):
        return Bar(f"{text} / the best Rust crate with versions", limit, "slot_map", key, "SlotMap", BEST_RUST)
    bars = []
    for operation, n in (("lookup", E5), ("churn", E5), ("lookup", E6), ("churn", E6)):
        bars += [bar(f"SlotMap {'erase+insert' if operation == 'churn' else 'checked lookup'}, {power(n)}", 1.25, at(operation, n)),
                 Bar("  / slab, whose keys have no version", None, "slot_map", at(operation, n), "SlotMap", "rust_slab")]
    return bars + [bar("  lookup, half of the handles stale, 1e5", None, at("lookup_half_stale")),
                   bar("  erase+insert, half of the slots free, 1e5", None, at("churn_holes"))]


def judged(limit, stretch, value):
    if value is None:
        return "not measured"
    if limit is None:
        return "(no bar)" if stretch is None else "stretch" if value <= stretch else "(stretch missed)"
    return "MISS" if value > limit else "pass, stretch too" if stretch is not None and value <= stretch else "pass"


def run_bars(runner, results, only, with_rust, no_rust):
    """with_rust: judge the bars against Rust too; no_rust: why its programs are absent, or None."""
    bars = iteration_bars() + slot_map_bars() + keyed_bars() + series_bars() + sum(map(table_bars, ("rows", "arrow", "sparse", "ecs", "graph")), []) + (rust_bars() if with_rust else [])
    bars = [bar for bar in bars if only in (None, bar.question)]
    absent = []
    for question in dict.fromkeys(bar.question for bar in bars):
        asked = [bar for bar in bars if bar.question == question]
        try:
            runner.run(question, lambda row, contender: any(bar.wants(row, contender) for bar in asked), results)
        except Failure as failure:
            if failure.args[1] != 2:
                raise
            absent.append(failure.args[0])
    lines = []
    for bar in bars:
        away = str(bar.other).startswith("EnTT") and bar.measured(results) is None
        limit = "" if bar.limit is None or away else "<= " + bar.format(bar.limit)
        lines.append([bar.text, limit, bar.told(results), judged(bar.limit, bar.stretch, bar.measured(results))])
    for header, limit in INCLUDES.items() if only is None else ():
        compiler, here = find_compiler(), (ROOT / "include" / header).is_file()
        seconds = compile_seconds(compiler, including(header), 7) if here else None
        lines.append([f"include cost of {header}, {compiler} -O0", f"<= {limit:.2f} s", f"{seconds:.2f} s" if here else "-", judged(limit, None, seconds)])
    missed = sum(bool(limit) and state in ("MISS", "not measured") for _, limit, _, state in lines)
    print("\nbars: 16-byte elements, n = 1e5 unless said; medians, each ratio within one process (to Rust: between two that take turns);\n"
          f"MapStorage: 8-byte keys unless said, geometric means over n = {', '.join(map(power, KEYED_SIZES))}\n")
    print(markdown(["row", "bar", "measured", ""], lines), *absent, sep="\n\n")
    if no_rust is not None and only in (None, "slot_map"):
        print(f"\nThe Rust crates are absent{'' if with_rust else ', and the bars against them left out'}: {no_rust}.")
    print(f"\n{missed} of the rows with a bar missed or not measured." if missed else "\nEvery bar is met.")
    return missed
