# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The promised ratios (bars), each with its measured value: pass or miss; and the figures that documents print, all of one file: bench/results.json, which `bench/run.py publish` writes.

claims.csv    a text of a document, with {low} and {high} where the smallest and the largest of its numbers stand; least and most: what
              they must be for the text to be true
blocks        lines of a document between "<!-- measured: NAME -->" and "<!-- /measured -->", see BLOCKS
docs/charts   the words of each picture, and each number in it that has a unit"""

import csv
import difflib
import json
import re
import statistics
from typing import NamedTuple

from tools import charts
from tools.compiling import INCLUDES, compile_seconds, find_compiler
from tools.results import KEYED_SIZES, QUESTIONS, ROOT, Failure, geometric_mean, is_versioned_rust, keys_of, power, read_raw
from tools.tables import machine, markdown, number, short

#=== bars ===#

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


#=== figures of documents ===#

RESULTS, CLAIMS = "bench/results.json", "bench/claims.csv"
BLOCK = re.compile(r"(<!-- measured: ([\w ]+) -->\n).*?(?=<!-- /measured -->)", re.S)
LOOSE = re.compile(r"\d[\d.]*x? (?:times|%)")  # of README.md, outside of claims and quoted code
HOLE, NUMBER = re.compile(r"\{[^}]*\}"), r"(\d[\d.]*\d|\d)"
N, BYTES, LIVES = 100_000, 16, (100, 90, 50, 10)
CONTENDERS = ("SlotMap", "DenseSlotMap", "plf_colony", "article_slot_map", "unordered_map", "plain_arrays")
OPERATIONS = {"insert": "insert", "insert_reserved": "insert after reserve", "lookup": "checked lookup", "lookup_half_stale": "lookup, half stale",
              "churn": "erase + insert", "churn_holes": "erase + insert, half of the slots free", "erase_all": "erase all", "clear": "clear"}
ASKED = ("iteration", "slot_map", "memory", "keyed", "ecs", "compile")


class Claim:
    def __init__(self, row):
        self.file, self.text, self.least, self.most = row["file"], row["text"], float(row["least"] or 0), float(row["most"] or "inf")
        self.bar = Bar(self.text, None, row["question"], keys_of(row, row["n"]), row["ours"], row["other"] or None, row["kind"])
        pieces = HOLE.split(self.text)
        self.pattern = re.compile(NUMBER.join(re.sub(r"(?:\\ )+", r"\\s+", re.escape(piece)) for piece in pieces))

    def put(self, text, found):
        """The document with these figures in it, and what is wrong with the claim, or nothing."""
        match, values = self.pattern.search(text), self.bar.values(found[self.bar.question])
        if match is None or values is None:
            return text, "is not in it" if match is None else "was not measured"
        low, high = min(values), max(values)
        for i, hole in reversed(list(enumerate(HOLE.findall(self.text), 1))):
            text = text[:match.start(i)] + hole.format(low=low, high=high) + text[match.end(i):]
        return text, "" if self.least <= low and high <= self.most else f"is not true: {low:.3g} to {high:.3g}"


def claims(root):
    with (root / CLAIMS).open(encoding="utf-8") as table:
        return [Claim(row) for row in csv.DictReader(table)]


def asked_bars(*questions):
    return [bar for question in questions for bar in bars_of(question) if not bar.is_against_rust() and (question != "keyed" or bar.keys[0][2] < 1_000_000)]


def wanted(root, question):
    """The rows that documents need."""
    asked = [*(claim.bar for claim in claims(root) if claim.bar.question == question), *(chart for chart in charts.CHARTS if chart.question == question)]
    asked += asked_bars(question) if question not in ("ecs", "compile") else []
    return lambda row, contender: (any(each.wants(row, contender) for each in asked)
                                   or question == "slot_map" and row[1:3] == (BYTES, N) and contender in CONTENDERS and row.op in OPERATIONS)


def condensed(found):
    """The text of RESULTS: a report a question in the form of --json, with medians, a line each."""
    def report(results):
        context = {name: results.context[name] for name in ("date", "processor", "num_cpus", "load_avg", "compiler", "question")}
        context["repetitions"] = results.context.get("repetitions", max(len(values) for cells in results.samples.values() for values, _ in cells.values()))
        lines = [json.dumps({"name": f"{op}/bytes:{size}/n:{n}{'' if live is None else f'/live:{live}'}/{contender}", "run_type": "iteration", "label": role,
                             "value": float(f"{value:.4g}"), "checksum": min(results.samples[op, size, n, live][contender][1])})
                 for (op, size, n, live), cells in results.rows.items() for contender, (value, role) in cells.items()]
        return f'[{{"context": {json.dumps(context)}, "benchmarks": [\n' + ",\n".join(lines) + "\n]}]"
    return "{" + ",\n".join(f'"{name}": {report(results)}' for name, results in found.items()) + "}\n"


def table_of_bars(*questions):
    return lambda found: markdown(["row", "bar", "measured", ""], judged_lines(asked_bars(*questions), found.get))


def operations(found):
    """Nanoseconds; the smallest of those that could be used instead of each other is bold."""
    def line(title, values):
        best = min(value for value in values[:-1] if value is not None)
        return [title, *(f"**{number(value)}**" if value == best else number(value) for value in values)]
    lines = [line(title, [found["slot_map"].get((op, BYTES, N, None), each) for each in CONTENDERS]) for op, title in OPERATIONS.items()]
    for title, first in (("iterate", "SlotMap.sparse"), ("iterate by iterator", "SlotMap.sparse_iterator")):
        walked = [first, "DenseSlotMap.dense", "plf_colony", "article_slot_map.free_list", "unordered_map", "vector.dense"]
        lines += [line(f"{title}, {live} % live", [found["iteration"].get(("iterate", BYTES, N, live), each) for each in walked]) for live in LIVES]
    return markdown(["", *map(short, CONTENDERS[:-1]), "plain arrays; a vector"], lines)


def about(found):
    context = found["slot_map"].context
    return (f"Measured {context['date'][:16].replace('T', ' ')}: {machine(found['slot_map'])}; medians of {context['repetitions']}. Load when it began:\n"
            f"{context['load_avg'][0]:.1f} (on an idle machine it is below 1; under other load neither times nor ratios hold).")


BLOCKS = {"about": about, "operations": operations, "bars of maps": table_of_bars("iteration", "slot_map", "memory"), "bars of keys": table_of_bars("keyed"),
          **{f"chart {chart.name}": chart.table for chart in charts.CHARTS}}


def checked(root, update=False):
    """What documents say otherwise than the results; update: figures are written into them first. The charts are not drawn here."""
    if not (root / RESULTS).is_file():
        return [f"there is no {RESULTS}: bench/run.py publish"] if (root / CLAIMS).is_file() or (root / charts.FOLDER).is_dir() else []
    found, asked, wrong = read_raw(root / RESULTS), claims(root), []
    for name in sorted({"bench/RESULTS.md", *(claim.file for claim in asked)}):
        old = (root / name).read_text(encoding="utf-8")
        text = BLOCK.sub(lambda match: f"{match[1]}{BLOCKS[match[2]](found)}\n", old)
        loose = re.sub(r"```.*?```", "", text if name == "README.md" else "", flags=re.S)
        for claim in [claim for claim in asked if claim.file == name]:
            text, fault = claim.put(text, found)
            wrong += [f"{name}: '{claim.text}' {fault}"] if fault else []
            loose = claim.pattern.sub("", loose)
        wrong += [f"{name}: '{each}' is in no line of {CLAIMS}" for each in LOOSE.findall(loose)]
        if update:
            (root / name).write_text(text, encoding="utf-8", newline="\n")
        elif text != old:
            differs = difflib.unified_diff(old.split("\n"), text.split("\n"), name, RESULTS, lineterm="", n=0)
            wrong.append("\n".join([f"{name} is not what {RESULTS} says: bench/run.py publish {RESULTS}", *differs]))
    files = [(f"{charts.FOLDER}/{chart.name}-{mode}.svg", chart) for chart in charts.CHARTS for mode in ("light", "dark")]
    return wrong + [f"{file} was not drawn from {RESULTS}: bench/run.py publish {RESULTS}" for file, chart in files
                    if not (root / file).is_file() or not chart.is_drawn((root / file).read_text(encoding="utf-8"), found)]
