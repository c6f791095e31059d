#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What bench/run.py makes of reports: medians over several of them, checksums across programs, best rivals, turns, bars against Rust;
of another processor, which checksums agree."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import run  # noqa: E402
from tools import bars, emulated, programs, tables  # noqa: E402
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


class OtherProcessor(unittest.TestCase):
    HERE = [entry("SlotMap", 20, "ours"), entry("plain_arrays", 16, "limit"), entry("plf_colony", 30)]

    def compared(self, there, absent=()):
        return emulated.compared(results(("g++", self.HERE)), results(("clang++", there)), dict(absent))

    def told(self, there, absent=()):
        both = results(("g++", self.HERE)), results(("clang++", there))
        return quietly(emulated.compare_question, "slot_map", "aarch64", *both, dict(absent))

    def test_contenders_that_agree_are_named_and_no_time_is(self):
        self.assertEqual(self.compared(self.HERE), ([(KEY, 7, ["SlotMap", "plain_arrays", "plf_colony"])], []))
        good, text = self.told([{**each, "real_time": 123_456_780} for each in self.HERE])
        self.assertTrue(good)
        self.assertIn("| SlotMap, plain_arrays, plf_colony |", text)
        self.assertIn("Checksums of 3 contenders agree in all 1 rows", text)
        self.assertNotRegex(text, r"12345678|\b2\.00?\b|\bns\b|[0-9]x\b")

    def test_one_that_disagrees_there_is_named_with_both_sums(self):
        rows, wrong = self.compared([self.HERE[0], entry("plain_arrays", 16, checksum=8), self.HERE[2]])
        self.assertEqual(rows, [(KEY, 7, ["SlotMap", "plf_colony"])])
        self.assertEqual(wrong, ["lookup, 16 B, n = 1e5: plain_arrays computes 7 here and 8 there, others 7"])
        self.assertFalse(self.told([self.HERE[0], entry("plain_arrays", 16, checksum=8), self.HERE[2]])[0])

    def test_all_of_them_agreeing_there_but_not_with_here_is_wrong(self):
        rows, wrong = self.compared([{**each, "checksum": 9} for each in self.HERE])
        self.assertEqual((rows[0][2], len(wrong)), ([], 3))

    def test_one_that_is_missing_must_miss_a_library(self):
        self.assertEqual(self.compared(self.HERE[:2])[1], ["lookup, 16 B, n = 1e5: plf_colony is missing there"])
        self.assertEqual(self.compared([*self.HERE, entry("vector", 1)])[1], ["lookup, 16 B, n = 1e5: vector is missing here"])
        good, text = self.told(self.HERE[:2], {"plf_colony": "COLONY"})
        self.assertTrue(good)
        self.assertIn("Left out, for want of COLONY on one of the processors: plf_colony.", text)
        self.assertEqual(self.compared([])[0], [(KEY, 7, [])])

    def test_what_a_build_without_a_library_leaves_out_is_read_from_the_sources(self):
        with tempfile.TemporaryDirectory() as build:
            ninja = pathlib.Path(build) / "build.ninja"
            ninja.write_text("-DSLOTWISE_BENCH_HAS_BOOST=1 -DSLOTWISE_BENCH_HAS_ABSEIL=1 -DSLOTWISE_BENCH_HAS_HOPSCOTCH_MAP=1")
            self.assertEqual(emulated.without_library("keyed", build),
                             {"robin_map": "ROBIN_MAP", "slotwise_map_robin_index": "ROBIN_MAP"})
            self.assertEqual(emulated.without_library("slot_map", build), {"plf_colony": "COLONY", "plf_colony_unchecked": "COLONY"})

    def test_the_smallest_n_that_leaves_nobody_out(self):
        def chosen(**amounts):
            return emulated.smallest({("iterate", 16, int(n[1:])): {"program": [f"iterate/bytes:16/n:{n[1:]}/{c}/iterations:5" for c in names]}
                                      for n, names in amounts.items()})
        self.assertEqual(chosen(n1000="ab", n10000="a", n20000="ab", n100000="ab"), 20_000)
        self.assertEqual(chosen(n1000="ab"), 1_000)


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
