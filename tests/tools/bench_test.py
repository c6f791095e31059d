#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""bench/run.py: contenders that disagree fail it, a lost row is said to be lost, a planted change is found and no other, and the page
and the picture are whole. The numbers here are made up by `reports`."""
import contextlib
import io
import json
import re
import sys
import unittest
import unittest.mock
import xml.etree.ElementTree

from fixture import ROOT, Case
import run
from tools import bars, charts, compare, compiling, figures, tables
from tools.questions import KEYED_SIZES, QUESTIONS
from tools.results import Failure, by_question, read_raw

KEY = ("lookup", 16, 100_000, None)
# question: contenders with role and a number each, operations, bytes, n, live
SHAPES = {
    "iteration": ({"SlotMap.for_each": ("ours", 6), "vector": ("limit", 5), "plf_colony": ("rival", 20), "article_slot_map": ("rival", 4)},
                  ["iterate"], [4, 16], [1_000, 100_000], [100, 50, 10]),
    "slot_map": ({"SlotMap": ("ours", 6), "DenseSlotMap": ("ours", 8), "plain_arrays": ("limit", 5), "plf_colony": ("rival", 7),
                  "rust_slotmap": ("rival", 6)}, ["insert", "lookup"], [16], [1_000, 100_000], [None]),
    "ageing": ({"SlotMap": ("ours", 6), "plf_colony": ("rival", 9)}, ["age", "memory"], [16], [10_000, 100_000], [None]),
    "columns": ({"columns": ("ours", 5), "vector_per_field": ("limit", 4)}, ["read_one"], [16], [10_000, 100_000], [100, 50]),
    "memory": ({"SlotMap": ("ours", 20), "plf_colony": ("rival", 20)}, ["memory_grown"], [16], [1_000_000], [None]),
    "observers": ({"none_attached": ("ours", 5), "no_observers": ("limit", 5)}, ["observe"], [16], [1_000], [None]),
    "keyed": ({"slotwise_map": ("ours", 6), "boost_flat_map": ("rival", 5), "unordered_map": ("rival", 30)}, ["insert", "find_hit_string"],
              [8], KEYED_SIZES, [None]),
    "series": ({"adaptive": ("ours", 6), "writes_only": ("limit", 5), "by_hand": ("rival", 90)}, ["set"], [8], [100_000], [None]),
}


def reports(factor=lambda question, key, contender: 1.0, context=None, repetitions=5):
    """What --json would hold: every repetition is 2 % slower than the one before. factor: what a number is multiplied by."""
    raw = {}
    for question, (contenders, operations, sizes, amounts, lives) in SHAPES.items():
        runs = []
        for key in ((op, size, n, live) for op in operations for size in sizes for n in amounts for live in lives):
            for contender, (role, value) in contenders.items():
                live = "" if key[3] is None else f"/live:{key[3]}"
                runs += [{"name": f"{key[0]}/bytes:{key[1]}/n:{key[2]}{live}/{contender}/iterations:6/manual_time", "run_type": "iteration",
                          "checksum": 7, "items": 10, "label": role,
                          "real_time": 10 * value * factor(question, key, contender) * (1 + 0.02 * i)} for i in range(repetitions)]
        raw[question] = [{"context": {"compiler": "g++ 0", "processor": "a <made-up> processor", "num_cpus": 2, "date": "2030-01-01", "load_avg": [0.5], "question": question,
                                      **(context or {})}, "benchmarks": runs}]
    return raw


def rows(*arguments, **options):
    return by_question(reports(*arguments, **options))


def planted(question, key, contender, factor):
    return lambda *place: factor if place == (question, key, contender) else 1.0


def entry(contender, time, role="rival", checksum=7):
    return {"name": f"lookup/bytes:16/n:100000/{contender}/iterations:6/manual_time", "run_type": "iteration", "real_time": time,
            "items": 10, "checksum": checksum, "label": role}


def results(*entries, compiler="g++"):
    made = run.Results()
    made.add({"context": {"compiler": compiler}, "benchmarks": list(entries)})
    return made


def quietly(function, *arguments):
    """(its result, what it printed)"""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        return function(*arguments), text.getvalue()


def under(page, title):
    """{first cell: the cell under this title} of all tables of a page, which has to be well formed and to load nothing."""
    root, found = xml.etree.ElementTree.fromstring(page), {}
    assert not [each.tag for each in root.iter() if each.get("src") or each.tag in ("script", "link")]
    for table in root.iter("table"):
        lines = [["".join(cell.itertext()) for cell in line] for line in table.iter("tr")]
        if title in lines[0]:
            found.update({line[0]: line[lines[0].index(title)] for line in lines[1:]})
    return found


class Results(unittest.TestCase):
    def test_contenders_that_compute_something_else_or_none_to_compare_with_fail(self):
        self.assertTrue(quietly(run.agree, results(entry("SlotMap", 10), entry("vector", 10)))[0])
        good, text = quietly(run.agree, results(entry("SlotMap", 10), entry("vector", 10, checksum=8)))
        self.assertFalse(good)
        self.assertIn("CHECKSUM MISMATCH", text)
        with self.assertRaises(Failure):
            run.agree(results(entry("SlotMap", 10)))

    def test_wins_losses_and_bars_are_told_from_medians(self):
        found = results(*(entry("SlotMap", time, "ours") for time in (10, 90, 20)), entry("plain_arrays", 16, "limit"), entry("unordered_map", 80),
                        entry("rust_slab", 5), entry("rust_slotmap", 10))
        cells = dict(tables.summary(QUESTIONS["slot_map"], found, KEY, True))
        self.assertEqual((cells["best rival"], cells["ours / best rival"]), ("unordered_map", "0.25 win"))
        self.assertEqual((cells["best Rust"], cells["ours / best Rust"]), ("Rust SlotMap", "2.00 LOSS"))
        self.assertEqual(bars.Bar("lookup", 1.25, "slot_map", [KEY], "SlotMap", bars.BEST_RUST).told(found), "2.00x (Rust SlotMap)")
        self.assertEqual(bars.Bar("lookup", 1.1, "slot_map", [KEY], "SlotMap", "plain_arrays").measured(found), 1.25)
        self.assertEqual({bar.kind for question in QUESTIONS for bar in bars.bars_of(question)}, set(bars.KINDS))
        self.assertEqual([key[2] for key in bars.bars_of("keyed")[0].keys], list(KEYED_SIZES))
        self.assertEqual([bars.judged(1.1, 1.0, value) for value in (None, 1.25, 1.05, 0.9)], ["not measured", "MISS", "pass", "pass, stretch too"])
        self.assertIn("crates are absent: no cargo", quietly(tables.table, "slot_map", results(entry("SlotMap", 1)), True, "no cargo")[1])


class Compare(unittest.TestCase):
    def changed(self, old, new):
        return [(each.contender, each.state) for each in compare.changes(old, new) if each.state != compare.UNCHANGED]

    def test_it_finds_a_planted_change_and_no_other(self):
        elsewhere = {"processor": "another"}
        for factor, context, repetitions, found in (
                (1.0, None, 5, []), (1.3, None, 5, ["SLOWER"]), (0.7, None, 5, ["faster"]), (1.06, None, 5, []),
                (9.0, None, 1, []), (3.0, elsewhere, 5, [])):
            new = rows(planted("slot_map", KEY, "DenseSlotMap", factor), context, repetitions)
            with self.subTest(factor=factor, repetitions=repetitions):
                self.assertEqual(self.changed(rows(repetitions=repetitions), new), [("DenseSlotMap", state) for state in found])


    def test_contenders_that_compute_otherwise_in_the_older_file_are_named(self):
        old, new = results(entry("SlotMap", 20, checksum=8), entry("vector", 9)), results(entry("SlotMap", 20), entry("vector", 9))
        good, text = quietly(compare.compare, {"slot_map": old}, {"slot_map": new})
        self.assertEqual((good, "CHECKSUM MISMATCH in slot_map, lookup, 16 B, n = 1e5: {'SlotMap': [7, 8]" in text), (False, True), text)


class Commands(Case):
    def run_py(self, *arguments):
        def call():
            try:
                return run.main()
            except Failure as failure:
                print(failure.args[0])
                return failure.args[1]
            except SystemExit as ended:
                return ended.code
        with unittest.mock.patch.object(sys, "argv", ["bench/run.py", *map(str, arguments)]):
            return quietly(call)

    def test_a_file_of_json_becomes_tables_a_page_and_a_comparison(self):
        raw, page = self.folder / "raw.json", self.folder / "new" / "page.html"
        listing = ["code_size", "bytes of <code>", ["container", "bytes"], [["SlotMap", "700"]], ["tsl is left out."]]
        raw.write_text(json.dumps({**reports(), "listings": [listing]}))
        old = self.write("old.json", json.dumps(reports(planted("slot_map", KEY, "SlotMap", 2))))
        status, said = self.run_py("report", raw, "--html", page, "--compare", old)
        self.assertEqual(status, 0, said)
        self.assertIn("1 rows faster, 0 slower", said.splitlines()[-1])
        text = page.read_text()
        self.assertEqual(under(text, "change")["lookup, 16 B, n = 1e5"], "faster")
        self.assertEqual(under(text, "bytes")["SlotMap"], "700")
        verdicts = under(text, "ours / best rival")
        self.assertEqual((verdicts["set, 8 B, n = 1e5"], verdicts["insert, 8 B"]), ("0.07 win", "1.20 LOSS"))
        self.assertEqual({tables.row_name(key) for found in rows().values() for key in found.rows} - set(under(text, "row")), set())
        self.assertEqual(text.count("<svg") > 10, charts.here())

    def test_mistakes_are_told(self):
        for text, words in (("{}", "has no results"), ("[1]", "is not what --json writes"), ('{"nonsense": [{"context": {}, "benchmarks": []}]}',
                                                                                            "there is no question nonsense")):
            status, said = self.run_py("report", self.write("raw.json", text))
            self.assertEqual((status, words in said), (2, True), said)
        for arguments in (("report", "absent.json"), ("report",), ("iteration", "keyed"), ("bars", "nonsense"), ("publish", "raw.json")):
            self.assertEqual(self.run_py(*arguments)[0], 2)


class Figures(Case):
    def setUp(self):
        super().setUp()
        self.sound = {name: (ROOT / name).read_text() for name in ("README.md", "bench/README.md", "bench/RESULTS.md", "docs/guide/index.md",
                                                                   figures.CLAIMS, figures.RESULTS, figures.PICTURE)}
        for name, text in self.sound.items():
            self.write(name, text)

    def test_documents_and_picture_print_what_the_results_say_and_each_planted_fault_is_named(self):
        self.assertEqual(figures.checked(self.folder), [])
        differs, drawn = " is not what bench/results.json says", "bench.svg was not drawn"
        for name, old, new, words in (
                ("README.md", r"walked in \d", "walked in 7", differs), ("README.md", "is walked", "walks", "is not in it"),
                ("README.md", "## Promises", "It is 2.5 times faster.", "'2.5 times' is in no line"), ("docs/guide/index.md", r"walked in \d", "walked in 7", differs),
                ("bench/RESULTS.md", r"(\| checked lookup .*?)[\d.]+", r"\g<1>9", differs), ("bench/RESULTS.md", r"(for_each, 90 .*?)[\d.]+x", r"\g<1>9x", differs),
                (figures.PICTURE, "SlotMap: [0-9]", "SlotMap: 9", drawn), (figures.PICTURE, r">\s*[\d.]+ ns", "> 99 ns", drawn),
                (figures.RESULTS, r'(SlotMap.for_each", .*"value": )[\d.]+', r"\g<1>99", drawn), (figures.CLAIMS, "ratio,1.05,", "ratio,99,", "is not true")):
            with self.subTest(fault=words, file=name):
                self.write(name, re.sub(old, new, self.sound[name], count=1))
                self.assertNotEqual((self.folder / name).read_text(), self.sound[name])
                self.assertIn(words, "\n".join(figures.checked(self.folder)))
                self.write(name, self.sound[name])

    def test_other_results_are_written_into_documents_and_only_the_picture_is_left(self):
        self.write(figures.RESULTS, re.sub(r'(SlotMap.for_each".*"value": )([\d.]+)', lambda row: f"{row[1]}{float(row[2]) * 0.5}", self.sound[figures.RESULTS]))
        for update in (True, False):
            self.assertEqual([each.split()[0] for each in figures.checked(self.folder, update)], [figures.PICTURE])
        self.assertNotEqual((self.folder / "README.md").read_text(), self.sound["README.md"])

    @unittest.skipUnless(charts.here(), charts.ABSENT)
    def test_the_picture_is_drawn_from_condensed_results(self):
        self.assertEqual(set(by_question(json.loads(figures.condensed(rows())))), set(SHAPES))
        text = charts.readme_picture(QUESTIONS, read_raw(ROOT / figures.RESULTS)[0])
        self.assertEqual(xml.etree.ElementTree.fromstring(text).tag, "{http://www.w3.org/2000/svg}svg")
        self.write(figures.PICTURE, text)
        self.assertEqual(figures.checked(self.folder), [])


class Compiling(Case):
    def test_more_code_is_more_bytes_and_no_code_is_a_failure(self):
        compiler, one, two = compiling.find_compiler(), "int one(int a) { return a * 3; }\n", "int two(int a) { return a / 3; }\n"
        def size(text):
            return compiling.code_size(compiler, self.write("one.cpp", text), "-O2")[0]
        self.assertLess(0, size(one))
        self.assertLess(size(one), size(one + two))
        self.assertRaises(Failure, size, "int datum = 1;\n")
        self.assertRaises(Failure, compiling.role_of, self.write("one.cpp", "// ours, and more\n"))

    # Else two contenders whose files call their templates alike would measure the same container: see harness.hpp.
    def test_what_registers_a_template_is_a_function_of_its_file(self):
        registering = re.compile(r"^template <template <.*\n(.*) add_contender\(", re.MULTILINE)
        heads = [head for path in (ROOT / "bench").glob("*/workload.hpp") for head in registering.findall(path.read_text())]
        self.assertGreater(len(heads), 4)
        self.assertEqual(set(heads), {"SLOTWISE_BENCH_PER_FILE void"})


if __name__ == "__main__":
    unittest.main()
