#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What bench/run.py makes of reports: medians over several of them, checksums across programs, best rivals, turns, bars against Rust."""
import contextlib
import io
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import run  # noqa: E402
from tools import bars, programs, tables  # noqa: E402
from tools.questions import QUESTIONS  # noqa: E402

KEY = ("lookup", 16, 100_000, None)


def entry(contender, time, role="rival", checksum=7, items=10):
    return {"name": f"lookup/bytes:16/n:100000/{contender}/iterations:6/manual_time", "run_type": "iteration", "real_time": time,
            "items": items, "checksum": checksum, "label": role}


def results(*reports):
    merged = run.Results()
    for compiler, entries in reports:
        merged.add({"context": {"compiler": compiler}, "benchmarks": entries})
    return merged


def quietly(function, *arguments):
    """(its result, what it printed)"""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        return function(*arguments), text.getvalue()


class Reports(unittest.TestCase):
    def test_repetitions_of_several_reports_are_one_sample(self):
        merged = results(*(("g++", [entry("SlotMap", time, "ours")]) for time in (10, 90, 30)))
        self.assertEqual(merged.rows, {KEY: {"SlotMap": (3.0, "ours")}})
        self.assertEqual(merged.compilers, ["g++"])

    def test_checksums_are_compared_across_programs(self):
        same = results(("g++", [entry("SlotMap", 10)]), ("rustc", [entry("rust_slotmap", 10)]))
        self.assertTrue(quietly(run.agree, same)[0])
        good, text = quietly(run.agree, results(("g++", [entry("SlotMap", 10)]), ("rustc", [entry("rust_slotmap", 10, checksum=8)])))
        self.assertFalse(good)
        self.assertIn("CHECKSUM MISMATCH", text)

    def test_a_contender_alone_is_no_comparison(self):
        with self.assertRaises(run.Failure):
            run.agree(results(("g++", [entry("SlotMap", 10)])))


class Rust(unittest.TestCase):
    def setUp(self):
        self.results = results(
            ("g++", [entry("SlotMap", 20, "ours"), entry("plain_arrays", 16, "limit"), entry("unordered_map", 80)]),
            ("rustc", [entry("rust_slab", 5), entry("rust_hecs", 40), entry("rust_slotmap", 10)]))

    def test_the_best_rival_is_of_cpp_and_the_best_rust_has_versions(self):
        cells = dict(tables.summary(QUESTIONS["slot_map"], self.results, KEY, True))
        self.assertEqual((cells["best rival"], cells["ours / best rival"]), ("unordered_map", "0.25 win"))
        self.assertEqual((cells["best Rust"], cells["ours / best Rust"]), ("Rust SlotMap", "2.00 LOSS"))
        self.assertNotIn("best Rust", dict(tables.summary(QUESTIONS["slot_map"], self.results, KEY, False)))

    def test_a_table_says_why_there_is_no_rust(self):
        self.assertNotIn("absent", quietly(tables.table, "slot_map", self.results, True, None)[1])
        alone = results(("g++", [entry("SlotMap", 20, "ours"), entry("plain_arrays", 16, "limit")]))
        self.assertIn("Rust crates are absent: no cargo.", quietly(tables.table, "slot_map", alone, True, "no cargo")[1])

    def test_a_bar_is_measured_against_the_best_that_has_versions(self):
        bar = bars.RustBar("lookup", 1.25, KEY)
        self.assertEqual((bar.measured(self.results), bar.told(self.results)), (2.0, "2.00x (Rust SlotMap)"))
        self.assertEqual([c for c in ("SlotMap", "plain_arrays", "rust_hecs", "rust_slab") if bar.wants(c)], ["SlotMap", "rust_hecs"])
        alone = results(("g++", [entry("SlotMap", 20, "ours")]))
        self.assertEqual((bar.measured(alone), bar.told(alone)), (None, "-"))


class Turns(unittest.TestCase):
    def test_one_program_repeats_by_itself(self):
        self.assertEqual(programs.turns(["a"], 9), [("a", 9)])

    def test_several_take_turns_and_change_who_is_first(self):
        self.assertEqual(programs.turns(["a", "b"], 3), [("a", 1), ("b", 1), ("b", 1), ("a", 1), ("a", 1), ("b", 1)])

    def test_versions_are_compared_as_numbers(self):
        self.assertLess(programs.version("cargo 1.9.0 (abc 2020-01-01)"), programs.version("1.81"))
        self.assertEqual(programs.version("cargo 1.81.0"), (1, 81))


if __name__ == "__main__":
    unittest.main()
