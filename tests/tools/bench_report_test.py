#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The page of bench/run.py --html is whole, plain about losses, and every chart of it is told in words; --compare finds a planted change and no other; the picture for README.md is an image; the time left is what remains at the pace so far.

The numbers here are made up by `reports`."""
import contextlib
import html.parser
import io
import json
import pathlib
import re
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import run  # noqa: E402
from tools import charts, compare, programs  # noqa: E402
from tools.questions import KEYED_SIZES, QUESTIONS  # noqa: E402
from tools.readme_picture import readme_picture  # noqa: E402
from tools.report import report  # noqa: E402
from tools.results import LISTINGS, Failure, by_question, read_raw  # noqa: E402
from tools.tables import Listing, row_name, short  # noqa: E402

MACHINE = {"compiler": "g++ 0.0.0", "processor": "a made-up processor", "num_cpus": 2,
           "caches": [{"type": "Data", "level": 1, "size": 32768, "num_sharing": 1}]}
# question: contenders with role and a number each, operations, bytes, n, live
SHAPES = {
    "iteration": ({"SlotMap.for_each": ("ours", 6), "SlotMap_reserve.for_each": ("ours", 6.1), "SoaSlotMap.column": ("ours", 5),
                   "vector": ("limit", 5), "vector_of_field": ("limit", 4.9), "plf_colony": ("rival", 20),
                   "article_slot_map": ("rival", 4)},
                  ["iterate"], [4, 16], [1_000, 100_000, 1_000_000], [100, 90, 50, 10]),
    "slot_map": ({"SlotMap": ("ours", 6), "DenseSlotMap": ("ours", 8), "SlotMap_fifo": ("ours", 9), "SlotMap_lifo": ("ours", 10),
                  "SlotMap_reserve": ("ours", 5.9), "SoaSlotMap": ("ours", 7), "plain_arrays": ("limit", 5), "plf_colony": ("rival", 7),
                  "unordered_map": ("rival", 60), "rust_slotmap": ("rival", 6)},
                 ["insert", "lookup", "lookup_half_stale", "churn_holes"], [16], [1_000, 100_000, 1_000_000], [None]),
    "ageing": ({"SlotMap": ("ours", 6), "vector": ("limit", 5), "plf_colony": ("rival", 9)},
               ["age", "aged_iterate", "fresh_iterate", "aged_lookup", "fresh_lookup", "memory"], [16], [10_000, 100_000], [None]),
    "columns": ({"columns": ("ours", 5), "columns.slot_list": ("ours", 4), "vector_per_field": ("limit", 4), "SlotMap": ("ours", 8)},
                ["read_one", "random"], [16], [10_000, 100_000], [100, 50]),
    "memory": ({"SlotMap": ("ours", 20), "vector": ("limit", 16), "plf_colony": ("rival", 20)}, ["memory_grown", "allocations_grown"], [16],
               [1_000_000], [None]),
    "observers": ({"none_attached": ("ours", 5), "no_observers": ("limit", 5)}, ["observe"], [16], [1_000], [None]),
    "keyed": ({"slotwise_map": ("ours", 6), "boost_flat_map": ("rival", 5), "absl_flat_hash_map": ("rival", 7),
               "unordered_map": ("rival", 30)}, ["insert", "find_hit_dependent_string", "find_miss"], [8], KEYED_SIZES, [None]),
    "series": ({"adaptive": ("ours", 6), "dirty_list": ("ours", 7), "writes_only": ("limit", 5), "by_hand": ("rival", 90)},
               ["write_18_percent", "set"], [8], [100_000], [None]),
}
WON = ("write_18_percent", 8, 100_000, None)   # of series: 6 against 90
LOST = ("insert", 8, None, None)               # of keyed: 6 against 5


def reports(factor=lambda question, key, contender: 1.0, context=None, repetitions=5):
    """What --json would hold: every repetition is 2 % slower than the one before. factor: what a number is multiplied by."""
    raw = {}
    for question, (contenders, operations, sizes, amounts, lives) in SHAPES.items():
        runs = []
        for key in ((op, size, n, live) for op in operations for size in sizes for n in amounts for live in lives):
            for contender, (role, value) in contenders.items():
                live = "" if key[3] is None else f"/live:{key[3]}"
                name = f"{key[0]}/bytes:{key[1]}/n:{key[2]}{live}/{contender}/iterations:6/manual_time"
                place = 1 + len(str(key[2])) / 10 + (0 if key[3] is None else (100 - key[3]) / 50)
                runs += [{"name": name, "run_type": "iteration", "checksum": 7, "items": 10, "label": role,
                          "real_time": 10 * value * place * factor(question, key, contender) * (1 + 0.02 * i)} for i in range(repetitions)]
        raw[question] = [{"context": {**MACHINE, "question": question, **(context or {})}, "benchmarks": runs}]
    return raw


def rows(*arguments, **options):
    return by_question(reports(*arguments, **options))


class Page(html.parser.HTMLParser):
    """Elements in order, and what is not closed as it was opened."""

    VOID = {"meta", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.wrong, self.elements, self.tables = [], [], [], []
        self.feed(text)
        self.close()
        self.wrong += self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.tables[-1][-1].append(["", dict(attributes).get("class", "")])

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"/{tag} at {self.getpos()}")

    def handle_data(self, data):
        if self.open and self.tables and {"th", "td"} & set(self.open) and self.open[-1] != "small":
            self.tables[-1][-1][-1][0] += data

    def under(self, title):
        """{first cell: (text, class) of the cell under this title} of every table that has it."""
        found = {}
        for table in self.tables:
            titles = [text for text, _ in table[0]]
            if title in titles:
                found.update({line[0][0]: tuple(line[titles.index(title)]) for line in table[1:]})
        return found


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = rows()
        cls.text = report(cls.found)
        cls.page = Page(cls.text)

    def test_it_is_well_formed_and_needs_nothing_else(self):
        self.assertEqual(self.page.wrong, [])
        ids = [attributes["id"] for _, attributes in self.page.elements if "id" in attributes]
        self.assertEqual(len(ids), len(set(ids)))
        loaded = [(tag, attributes) for tag, attributes in self.page.elements
                  if "src" in attributes or tag in ("link", "script", "image", "use") or not attributes.get("href", "#").startswith("#")]
        self.assertEqual(loaded, [])
        self.assertNotRegex(self.text, r"url\(|@import")
        for link in (attributes["href"] for tag, attributes in self.page.elements if tag == "a"):
            self.assertIn(link[1:], ids)

    def test_every_chart_says_in_words_what_it_shows(self):
        drawn = re.findall(r"<svg.*?</svg>", self.text, re.DOTALL)
        self.assertGreater(len(drawn), 20)
        for svg in drawn:
            root = xml.etree.ElementTree.fromstring(svg)
            words = {child.get("id"): child.text for child in root if child.tag.endswith(("title", "desc"))}
            self.assertEqual(root.get("aria-labelledby").split(), list(words))
            self.assertEqual([], [name for name, text in words.items() if not text])
            self.assertNotRegex(svg, r"\bnan\b|\binf\b")

    def test_every_row_and_every_contender_is_in_a_table(self):
        self.assertEqual(list(self.found), list(QUESTIONS))
        headings = {text for table in self.page.tables for text, _ in table[0]}
        for name, results in self.found.items():
            with self.subTest(question=name):
                self.assertEqual({row_name(key) for key in results.rows} - set(self.page.under("row")), set())
                self.assertEqual({short(contender) for contender in SHAPES[name][0]} - headings, set())

    def test_a_loss_is_marked_as_a_win_is(self):
        verdicts = self.page.under("ours / best rival")
        self.assertEqual(verdicts[row_name(WON)], ("0.07 win", "win"))
        self.assertEqual(verdicts[row_name(LOST)], ("1.20 LOSS", "LOSS"))
        self.assertEqual(verdicts[row_name(("memory_grown", 16, 1_000_000, None))], ("1.00 level", "level"))
        for question, (won, level, lost) in {"iteration": (0, 0, 24), "series": (2, 0, 0), "keyed": (0, 0, 3), "memory": (0, 2, 0)}.items():
            for title, count, state in (("won", won, "win"), ("level", level, "level"), ("lost", lost, "LOSS")):
                self.assertEqual(self.page.under(title)[question], (str(count), state if count else ""), (question, title))
        self.assertEqual(self.page.under("ours / best rival")["keyed"][0], "1.20x")
        style = charts.STYLE
        self.assertEqual(style.count("--win:"), style.count("--loss:"))

    def test_the_machine_the_repetitions_and_their_spread_are_told(self):
        self.assertIn("a made-up processor, 2 cores, g++ 0.0.0 -O3", self.text)
        self.assertIn("5 repetitions; numbers are medians, the ranges beneath hold 10 to 90 % of the repetitions and are 6 % ", self.text)

    def test_one_row_alone_is_a_report_too(self):
        raw = reports(repetitions=1)
        for name, (one,) in raw.items():
            key = next(iter(rows()[name].rows))
            one["benchmarks"] = [each for each in one["benchmarks"] if programs.Row.parse(each["name"])[0].key == key]
            with self.subTest(question=name):
                page = Page(report(by_question({name: [one]})))
                self.assertEqual(page.wrong, [])
                self.assertEqual(len(page.tables), 3 if name == "keyed" else 2)

    def test_listings_are_kept_in_a_file_and_stand_behind_the_questions(self):
        listing = Listing("code_size", "bytes of <code>", ["container", "bytes"], [["SlotMap", "700"], ["vector", "90"]], ["tsl is left out."])
        with tempfile.TemporaryDirectory() as folder:
            raw, again, page = (pathlib.Path(folder) / name for name in ("raw.json", "again.json", "page.html"))
            raw.write_text(json.dumps({**reports(), LISTINGS: [listing]}))
            with unittest.mock.patch.object(sys, "argv", ["run.py", "report", str(raw), "--json", str(again), "--html", str(page)]), \
                    contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(run.main(), 0)
            self.assertIn("code_size: bytes of <code>", said.getvalue())
            self.assertIn("| SlotMap   | 700   |", said.getvalue())
            self.assertEqual([Listing(*each) for each in read_raw(again)[1]], [listing])
            read = Page(page.read_text())
        self.assertEqual(read.wrong, [])
        self.assertEqual(read.tables[-1][1:], [[["SlotMap", ""], ["700", ""]], [["vector", ""], ["90", ""]]])

    def test_text_from_a_file_is_no_markup(self):
        self.assertIn("&lt;b&gt; &amp;", report(rows(context={"processor": "<b> &"})))

    def test_labels_move_apart_and_stay_in_order(self):
        self.assertEqual(charts.apart([0, 50], 10, 0, 100), [0, 50])
        self.assertEqual(charts.apart([50, 50, 50], 10, 0, 100), [40, 50, 60])
        self.assertEqual(charts.apart([98, 99], 10, 0, 100), [90, 100])
        self.assertEqual(charts.apart([1, 2, 60], 10, 0, 100), [0, 10, 60])


def planted(question, key, contender, factor, others=1.0):
    return lambda *place: others * (factor if place == (question, key, contender) else 1.0)


class Compare(unittest.TestCase):
    KEY = ("lookup", 16, 100_000, None)

    def changed(self, old, new):
        """The changes, and the last line of what is printed."""
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            compare.compare(old, new)
        found = [(each.question, each.key, each.contender, each.state) for each in compare.changes(old, new)
                 if each.state != compare.UNCHANGED]
        return found, told.getvalue().splitlines()[-1]

    def test_it_finds_a_planted_change_and_no_other(self):
        old = rows()
        ours = sum(len(SHAPES[name][0]) and sum(role == "ours" for role, _ in SHAPES[name][0].values()) * len(results.rows)
                   for name, results in old.items())
        self.assertEqual(self.changed(old, rows()), ([], f"0 rows faster, 0 slower, {ours} unchanged."))
        for factor, state, line in ((1.3, "SLOWER", f"0 rows faster, 1 slower, {ours - 1} unchanged."),
                                    (0.7, "faster", f"1 rows faster, 0 slower, {ours - 1} unchanged.")):
            new = rows(planted("slot_map", self.KEY, "DenseSlotMap", factor))
            self.assertEqual(self.changed(old, new), ([("slot_map", self.KEY, "DenseSlotMap", state)], line))
            self.assertEqual(Page(report(new, old)).under("change").get(row_name(self.KEY)), (state, state))

    def test_what_the_noise_of_the_repetitions_covers_is_no_change(self):
        self.assertEqual(self.changed(rows(), rows(planted("slot_map", self.KEY, "SlotMap", 1.06)))[0], [])  # ranges are 6 % wide

    def test_bytes_have_no_noise_and_times_measured_once_an_unknown_one(self):
        for question, key, factor, count in (("memory", ("memory_grown", 16, 1_000_000, None), 1.04, 0),
                                             ("memory", ("memory_grown", 16, 1_000_000, None), 1.06, 1), ("slot_map", self.KEY, 9, 0)):
            new = rows(planted(question, key, "SlotMap", factor), repetitions=1)
            self.assertEqual(len(self.changed(rows(repetitions=1), new)[0]), count)

    def test_a_slower_machine_is_no_regression_and_a_faster_one_hides_none(self):
        self.assertEqual(self.changed(rows(), rows(lambda *place: 1.5))[0], [])
        other = {"processor": "another"}
        self.assertEqual(self.changed(rows(), rows(lambda *place: 1.5, context=other))[0], [])
        new = rows(planted("slot_map", self.KEY, "SlotMap", 1.5, 0.5), context=other)
        self.assertEqual(self.changed(rows(), new)[0], [("slot_map", self.KEY, "SlotMap", "SLOWER")])

    def test_a_limit_that_moves_is_no_change_of_ours(self):
        self.assertEqual(self.changed(rows(), rows(planted("slot_map", self.KEY, "plain_arrays", 0.5)))[0], [])

    def test_rows_of_one_file_only_are_counted(self):
        old = rows()
        del old["slot_map"].rows[self.KEY], old["memory"]
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            compare.compare(old, rows())
        self.assertIn("3 rows are only in the new file.", told.getvalue())


class Commands(unittest.TestCase):
    def run_py(self, *arguments):
        """(exit status, what was printed, what was complained about)"""
        out, err = io.StringIO(), io.StringIO()
        with unittest.mock.patch.object(sys, "argv", ["bench/run.py", *map(str, arguments)]), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(err):
            try:
                status = run.main()
            except Failure as failure:
                status = failure.args[1]
                print(failure.args[0], file=err)
            except SystemExit as ended:
                status = ended.code
        return status, out.getvalue(), err.getvalue()

    def test_a_file_of_json_becomes_tables_a_page_a_comparison_and_a_picture(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            raw, old, page, image = folder / "raw.json", folder / "old.json", folder / "new" / "page.html", folder / "bench.svg"
            raw.write_text(json.dumps(reports()))
            old.write_text(json.dumps(reports(planted("slot_map", Compare.KEY, "SlotMap", 2))))
            status, told, _ = self.run_py("report", raw, "--html", page, "--compare", old)
            self.assertEqual(status, 0)
            self.assertIn(f"Written: {page}", told)
            self.assertIn("1 rows faster, 0 slower", told.splitlines()[-1])
            self.assertIn("| best rival", told)
            self.assertIn('id="compared"', page.read_text())
            self.assertEqual(self.run_py("picture", raw, "--out", image)[0], 0)
            self.assertEqual(xml.etree.ElementTree.parse(image).getroot().tag, "{http://www.w3.org/2000/svg}svg")

    def test_mistakes_are_told(self):
        with tempfile.TemporaryDirectory() as name:
            raw = pathlib.Path(name) / "raw.json"
            other = "is not what --json writes"
            for text, complaint in (("{}", "has no results"), ("[1]", other), ("no json", other),
                                    ('{"nonsense": [{"context": {}, "benchmarks": []}]}', "there is no question nonsense")):
                raw.write_text(text)
                status, _, err = self.run_py("report", raw)
                self.assertEqual((status, complaint in err), (2, True), err)
            self.assertEqual(self.run_py("report", raw.with_name("absent.json"))[0], 2)
            self.assertEqual(self.run_py("report")[0], 2)
            self.assertEqual(self.run_py("iteration", "keyed")[0], 2)
            self.assertEqual(self.run_py("bars", "nonsense")[0], 2)
            self.assertEqual(self.run_py("picture", raw)[0], 2)

    def test_the_picture_needs_both_its_questions(self):
        found = rows()
        del found["slot_map"]
        with self.assertRaisesRegex(Failure, "needs results of slot_map"):
            readme_picture(found)


class TimeLeft(unittest.TestCase):
    def test_the_rest_takes_as_long_as_the_beginning_did(self):
        now = [0.0]
        clock = programs.Clock(400, lambda: now[0])
        self.assertEqual(clock.left(), "")
        clock.done, now[0] = 100, 20.0
        self.assertEqual(clock.left(), ", about 60 s left")
        clock.done, now[0] = 200, 600.0
        self.assertEqual(clock.left(), ", about 10 min left")
        clock.done = 400
        self.assertEqual(clock.left(), "")


if __name__ == "__main__":
    unittest.main()
