# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""--html: one page that needs nothing else: a summary, charts and the full table of each question, losses as plain as wins."""

import html
import re
import statistics

from tools import charts, compare
from tools.questions import QUESTIONS
from tools.results import ROOT, Means, geometric_mean, power
from tools.tables import best_rival, grid, machine, row_name, short, sorted_keys, state, times, verdict

STYLE = """:root{color-scheme:light dark}
body{margin:0 auto;max-width:1240px;padding:0 16px 48px;font:15px/1.5 system-ui,sans-serif}
h2{margin:48px 0 4px;border-top:2px solid #8888} p{margin:4px 0 8px;max-width:75ch} nav{display:flex;flex-wrap:wrap;gap:4px 16px}
.charts{display:flex;flex-wrap:wrap;gap:16px} figure{margin:0;background:#fff;color:#000} figure svg{max-width:100%;height:auto}
.wide{overflow-x:auto} table{border-collapse:collapse;font-size:.82em;font-variant-numeric:tabular-nums}
th,td{padding:3px 9px;border-bottom:1px solid #8884;text-align:right;white-space:nowrap} th:first-child{text-align:left}
.win,.faster{font-weight:700;box-shadow:inset 4px 0 #0b6e4f} .LOSS,.SLOWER{font-weight:700;box-shadow:inset 4px 0 #c2410c}
"""


def question_in_words(name):
    """What the sources of a question say it asks."""
    for source in sorted((ROOT / "bench" / name).glob("*.hpp")):
        said = re.search(r"^// Question: (.*(?:\n// .+)*)", source.read_text(), re.MULTILINE)
        if said is not None:
            return re.sub(r"\s*\n// ", " ", said[1][0].upper() + said[1][1:])
    return ""


def paragraph(*words):
    return "".join(f"<p>{html.escape(each)}</p>\n" for each in words if each)


def table(caption, head, lines):
    """A cell that ends in win, LOSS, faster or SLOWER looks like it."""
    def cell(text):
        marked = re.search(r"(win|LOSS|faster|SLOWER)$", text)
        return f'<td class="{marked[1] if marked else ""}">{html.escape(text)}</td>'
    rows = "".join(f'<tr><th scope="row">{html.escape(line[0])}</th>{"".join(map(cell, line[1:]))}</tr>\n' for line in lines)
    heads = "".join(f'<th scope="col">{html.escape(text)}</th>' for text in head)
    return (f'<div class="wide" tabindex="0"><table><caption>{html.escape(caption)}</caption><thead><tr>{heads}</tr></thead><tbody>\n'
            f"{rows}</tbody></table></div>\n")


class Asked:
    """A question and its results."""

    def __init__(self, name, results):
        self.name, self.question, self.results = name, QUESTIONS[name], results
        self.judged = results if self.question.means_over is None else Means(results)  # what wins and losses are counted in
        self.keys = sorted_keys(self.question, results)

    def ratios(self, other_of):
        """(key, ratio, other) of the rows that have ours and the other one, and a ratio above 0."""
        found = [(key, other_of(key)) for key in sorted_keys(self.question, self.judged)]
        found = [(key, self.judged.ratio(key, self.question.ours, other), other) for key, other in found]
        return [each for each in found if each[1]]

    def against_rivals(self):
        return self.ratios(lambda key: best_rival(self.judged, key))

    def against_limit(self):
        return self.ratios(lambda key: self.question.limit)

    def charts(self):
        """(title, SVG): lines over density for iteration and over n for the others, ratios as bars where neither varies."""
        over = 3 if self.name == "iteration" else 2
        groups = {}
        for key in self.keys if self.name != "keyed" else ():
            groups.setdefault(key[:over] + key[over + 1:], []).append(key)
        for keys in groups.values():
            if len(keys) > 1:
                title = row_name(keys[0][:3] + (None,) if over == 3 else keys[0], n=over == 3)
                yield title, charts.lines(self.question, self.results, keys, over, title)
        for title, found in (("ours / best rival", self.against_rivals()), ("ours / limit", self.against_limit())):
            if found and not any(len(keys) > 1 for keys in groups.values()):
                yield title, charts.bars(title, [(row_name(key), ratio, f"{verdict(ratio)}, {short(other)}") for key, ratio, other in found])


def repetitions(results):
    """How often rows were measured and how far apart."""
    spreads = [results.spread(key, c) for key, cells in results.rows.items() for c in cells]
    widths = [(spread.high - spread.low) / spread.median for spread in spreads if spread.count > 1 and spread.median]
    if not widths:
        return "Measured once."
    return (f"{' or '.join(map(str, sorted({spread.count for spread in spreads if spread.count > 1})))} repetitions; numbers are medians, "
            f"with the range of 10 to 90 % of the repetitions: {statistics.median(widths) * 100:.0f} % of the median wide in half of the rows.")


def section(asked):
    question, results = asked.question, asked.results
    unit = f"{question.unit}; ours = {short(question.ours)}, limit = {short(question.limit)}. {repetitions(results)}"
    drawn = "".join(f"<figure>{svg}</figure>\n" for _, svg in asked.charts()) if charts.here() else ""
    tables = ""
    if asked.judged is not results:
        amounts = ", ".join(map(power, sorted({key[2] for key in asked.keys})))
        tables = table(f"{asked.name}: geometric means over n = {amounts}", *grid(question, asked.judged))
    tables += table(f"{asked.name}: every row", *grid(question, results, spreads=True))
    return (f'<section id="{asked.name}"><h2>{asked.name}</h2>{paragraph(question_in_words(asked.name), unit)}'
            f'<div class="charts">{drawn}</div>{tables}</section>\n')


def overview(all_asked):
    def mean(found):
        return times(geometric_mean([ratio for _, ratio, _ in found]) if found else None)
    head = ["question", "ours", "rows with a rival", "won", "level", "lost", "ours / best rival", "ours / limit"]
    lines = []
    for asked in all_asked:
        rivals = asked.against_rivals()
        states = [state(ratio) for _, ratio, _ in rivals]
        lines.append([asked.name, short(asked.question.ours), str(len(rivals)), *(str(states.count(each)) for each in ("win", "level", "LOSS")),
                      mean(rivals), mean(asked.against_limit())])
    return paragraph("Each row against its best rival in C++: below 0.95 it is won, above 1.05 lost. Where a question shows means over sizes, "
                     "its rows are those. The last two columns are geometric means.") + table("Rows won, level and lost", head, lines)


def compared(old, new):
    found = compare.changes(old, new)
    tables = "".join(table(f"{name}: {QUESTIONS[name].unit}", compare.HEAD, lines)
                     for name in new if (lines := compare.lines_of(found, name)))
    return f'<section id="compared"><h2>compared</h2>{paragraph(compare.told(old, new, found))}{tables}</section>\n'


def listed(listing):
    return (f'<section id="{listing.name}"><h2>{listing.name}</h2>{paragraph(listing.about)}'
            f'{table(listing.name, listing.head, listing.lines)}{paragraph(" ".join(listing.absent))}</section>\n')


def report(found, old=None, listings=()):
    """The page, of {question: Results}; old: such a thing to compare with, or None; listings: tables of text behind the questions."""
    all_asked = [Asked(name, results) for name, results in found.items()]
    machines = dict.fromkeys(machine(asked.results) for asked in all_asked)
    names = [*found, *(listing.name for listing in listings), *(["compared"] if old is not None else [])]
    links = "".join(f'<a href="#{name}">{name}</a>' for name in names)
    about = ("Lower is better everywhere. A limit leaves promises out, a rival is what one could use instead; the article slot map has version "
             "and value side by side in one vector. bench/README.md says how things are measured.")
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width,initial-scale=1"/>'
            f'<title>slotwise: benches</title><style>{STYLE}</style></head><body>\n<h1>slotwise: benches</h1>'
            f'{paragraph(*machines, about, "" if charts.here() else charts.ABSENT)}<nav>{links}</nav>\n{overview(all_asked)}'
            f"{''.join(map(section, all_asked))}{''.join(map(listed, listings))}{'' if old is None else compared(old, found)}</body></html>\n")
