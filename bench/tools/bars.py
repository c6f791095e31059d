# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The promised ratios, each with its measured value: pass or miss."""

import statistics

from tools.includes import INCLUDES, compile_seconds, find_compiler
from tools.questions import KEYED_SIZES
from tools.results import ROOT, Failure, geometric_mean, is_versioned_rust, power
from tools.tables import markdown, short


class Bar:
    """text: the row; limit: the promised ratio or None for information; the rest: which numbers to divide or subtract."""

    def __init__(self, text, limit, question, key, ours, other, kind="ratio", stretch=None):
        self.text, self.limit, self.question, self.key = text, limit, question, key
        self.ours, self.other, self.kind, self.stretch = ours, other, kind, stretch

    @property
    def keys(self):
        return [self.key]

    def wants(self, contender):
        return contender in (self.ours, self.other)

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

    def told(self, results):
        """What was measured, in words."""
        value = self.measured(results)
        return "-" if value is None else self.format(value)


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


class RustBar(Bar):
    """The ratio to the best crate whose handles have versions, which is named."""

    def __init__(self, text, limit, key):
        super().__init__(f"{text} / the best Rust crate with versions", limit, "slot_map", key, "SlotMap", None)

    def wants(self, contender):
        return contender == self.ours or is_versioned_rust(contender)

    def best(self, results):
        return results.best(self.key, filter(is_versioned_rust, results.rows.get(self.key, {})))

    def measured(self, results):
        return results.ratio(self.key, self.ours, self.best(results))

    def told(self, results):
        best = self.best(results)
        return super().told(results) + ("" if best is None else f" ({short(best)})")


def rust_bars():
    bars = []
    for n in (100_000, 1_000_000):
        for operation, named in (("lookup", "checked lookup"), ("churn", "erase+insert")):
            key = (operation, 16, n, None)
            bars.append(RustBar(f"SlotMap {named}, {power(n)}", 1.25, key))
            bars.append(Bar("  / slab, whose keys have no version", None, "slot_map", key, "SlotMap", "rust_slab"))
    bars.append(RustBar("  lookup, half of the handles stale, 1e5", None, ("lookup_half_stale", 16, 100_000, None)))
    bars.append(RustBar("  erase+insert, half of the slots free, 1e5", None, ("churn_holes", 16, 100_000, None)))
    return bars


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


def run_bars(runner, results, only, with_rust, no_rust):
    """with_rust: judge the bars against Rust too; no_rust: why its programs are absent, or None."""
    bars = [bar for bar in all_bars() + (rust_bars() if with_rust else []) if only in (None, bar.question)]
    absent = {}
    for question in dict.fromkeys(bar.question for bar in bars):
        asked = [(set(bar.keys), bar) for bar in bars if bar.question == question]
        def wanted(row, contender):
            return any(row.key in keys and bar.wants(contender) for keys, bar in asked)
        try:
            runner.run(question, wanted, results)
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
        lines.append([text, limit_text if limit is not None else "", value_text, state])
    for bar in bars:
        value = bar.measured(results)
        judge(bar.text, bar.limit, "" if bar.limit is None else "<= " + bar.format(bar.limit), value, bar.told(results), bar.stretch)
    if only is None:
        compiler = find_compiler()
        for header, limit in INCLUDES:
            seconds = None
            if (ROOT / "include" / header).is_file():
                seconds = compile_seconds(compiler, f"#include <{header}>\nint main() {{}}\n", 7)
            judge(f"include cost of {header}, {compiler} -O0", limit, f"<= {limit:.2f} s", seconds,
                  "-" if seconds is None else f"{seconds:.2f} s")
    print("\nbars: 16-byte elements, n = 1e5 unless said; medians, each ratio within one process (to Rust: between two that take turns);\n"
          f"MapStorage: 8-byte keys unless said, geometric means over n = {', '.join(map(power, KEYED_SIZES))}\n")
    print(markdown(["row", "bar", "measured", ""], lines))
    for message in absent.values():
        print(f"\n{message}")
    if no_rust is not None and only in (None, "slot_map"):
        print(f"\nThe Rust crates are absent{'' if with_rust else ', and the bars against them left out'}: {no_rust}.")
    print(f"\n{missed} of the rows with a bar missed or not measured." if missed else "\nEvery bar is met.")
    return missed
