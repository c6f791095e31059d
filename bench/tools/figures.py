# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The figures that documents print, all of one file: bench/results.json, which `bench/run.py publish` writes.

claims.csv    a text of a document, with {low} and {high} where the smallest and the largest of its numbers stand; least and most: what
              they must be for the text to be true
blocks        lines of a document between "<!-- measured: NAME -->" and "<!-- /measured -->", see BLOCKS
docs/bench.svg  its words, and each number in it that has a unit"""

import csv
import difflib
import html
import json
import re

from tools import charts
from tools.bars import Bar, bars_of, judged_lines, keys_of
from tools.results import read_raw
from tools.tables import machine, markdown, number, short

RESULTS, CLAIMS, PICTURE = "bench/results.json", "bench/claims.csv", "docs/bench.svg"
BLOCK = re.compile(r"(<!-- measured: ([\w ]+) -->\n).*?(?=<!-- /measured -->)", re.S)
LOOSE = re.compile(r"\d[\d.]*x? (?:times|%)")  # of README.md, outside of claims and quoted code
HOLE, NUMBER = re.compile(r"\{[^}]*\}"), r"(\d[\d.]*\d|\d)"
N, BYTES = charts.N, charts.BYTES
CONTENDERS = ("SlotMap", "DenseSlotMap", "plf_colony", "article_slot_map", "unordered_map", "plain_arrays")
OPERATIONS = {"insert": "insert", "insert_reserved": "insert after reserve", "lookup": "checked lookup", "lookup_half_stale": "lookup, half stale",
              "churn": "erase + insert", "churn_holes": "erase + insert, half of the slots free", "erase_all": "erase all", "clear": "clear"}
LIVES = (100, 90, 50, 10)
ASKED = ("iteration", "slot_map", "memory", "keyed")


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
    asked = [*(claim.bar for claim in claims(root) if claim.bar.question == question), *asked_bars(question)]
    shown = {"iteration": (charts.ITERATION, ["iterate"]), "slot_map": (CONTENDERS, OPERATIONS)}.get(question, ((), ()))
    return lambda row, contender: (any(bar.wants(row, contender) for bar in asked)
                                   or row[1:3] == (BYTES, N) and contender in shown[0] and row.op in shown[1])


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
    walked = ["SlotMap.for_each", *CONTENDERS[1:-1], "vector"]
    lines += [line(f"iterate, {live} % live", [found["iteration"].get(("iterate", BYTES, N, live), each) for each in walked]) for live in LIVES]
    return markdown(["", *map(short, CONTENDERS[:-1]), "limit: plain arrays; a vector"], lines)


def about(found):
    context = found["slot_map"].context
    return (f"Measured {context['date'][:16].replace('T', ' ')}: {machine(found['slot_map'])}; medians of {context['repetitions']}. Load when it began:\n"
            f"{context['load_avg'][0]:.1f} (on an idle machine it is below 1; under other load neither times nor ratios hold).")


BLOCKS = {"about": about, "operations": operations, "bars of maps": table_of_bars("iteration", "slot_map", "memory"), "bars of keys": table_of_bars("keyed")}


def checked(root, update=False):
    """What documents say otherwise than the results; update: figures are written into them first. The picture is not drawn here."""
    if not (root / RESULTS).is_file():
        return [f"there is no {RESULTS}: bench/run.py publish"] if (root / CLAIMS).is_file() or (root / PICTURE).is_file() else []
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
    drawn, (told, _, lookups) = (root / PICTURE).read_text(encoding="utf-8"), charts.readme_told(found)
    if f"<desc>{html.escape(told)}</desc>" not in drawn or re.findall(r">\s*([\d.]+ ns)\s*<", drawn) != [f"{number(value)} ns" for value, _ in lookups]:
        wrong.append(f"{PICTURE} was not drawn from {RESULTS}: bench/run.py publish {RESULTS}")
    return wrong
