# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""--html: one page that needs nothing else: a summary, charts and the full table of each question, losses as plain as wins."""

import html
import re
import statistics

from tools import compare
from tools.charts import STYLE, Line, line_chart, looks, plain_value, ratio_chart
from tools.questions import QUESTIONS
from tools.results import ROOT, Means, geometric_mean, is_rust, power
from tools.tables import (best_rival, machine, number, operation_order, order, roles_of, row_name, short, state, summary, times, verdict)

PAGE_STYLE = STYLE + """
*{box-sizing:border-box} body{margin:0 auto;max-width:1240px;padding:0 16px 48px;background:var(--ground);color:var(--text);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{margin:24px 0 4px;font-size:1.7em} h2{margin:48px 0 4px;padding-top:8px;border-top:2px solid var(--grid)}
h3{margin:24px 0 4px;font-size:1em}
p{margin:4px 0 8px;max-width:75ch} .soft,small{color:var(--soft)} a{color:inherit}
nav{display:flex;flex-wrap:wrap;gap:4px 16px;margin:8px 0}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr));gap:20px 28px;align-items:start}
figure{margin:0;min-width:0;max-width:430px} figcaption{font-size:.87em;font-weight:600;margin-bottom:2px} figcaption small{font-weight:400}
.wide{overflow-x:auto;margin:8px 0} table{border-collapse:collapse;font-size:.82em;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding:4px 0}
th,td{padding:3px 9px;border-bottom:1px solid var(--grid);text-align:right;white-space:nowrap}
thead th{vertical-align:bottom;border-bottom:2px solid var(--soft)}
tbody th{font-weight:600;text-align:left} th:first-child{position:sticky;left:0;background:var(--ground)}
td.words,th.words{text-align:left}
td small{display:block;font-size:.82em} th small{display:block;font-weight:400} td.ours{font-weight:700} td.ours small{font-weight:400}
td.win,td.LOSS,td.faster,td.SLOWER{font-weight:700} td.win,td.faster{color:var(--win);box-shadow:inset 4px 0 var(--win)}
td.LOSS,td.SLOWER{color:var(--loss);box-shadow:inset 4px 0 var(--loss)} td.level{color:var(--level);box-shadow:inset 4px 0 var(--level)}
details{margin:8px 0} summary{cursor:pointer}
"""


def question_in_words(name):
    """What the sources of a question say it asks."""
    for source in sorted((ROOT / "bench" / name).glob("*.hpp")):
        said = re.search(r"^// Question: (.*(?:\n// .+)*)", source.read_text(), re.MULTILINE)
        if said is not None:
            return re.sub(r"\s*\n// ", " ", said[1][0].upper() + said[1][1:])
    return ""


def table(caption, head, lines):
    """head: (text, note) pairs; lines: (headings, cells), a cell being (text, note, class)."""
    def cell(text, note="", classes=""):
        attribute = f' class="{classes}"' if classes else ""
        return f"<td{attribute}>{html.escape(text)}{f'<small>{html.escape(note)}</small>' if note else ''}</td>"
    first = len(lines[0][0])
    rows = "".join("<tr>" + "".join(f'<th scope="row">{html.escape(text)}</th>' for text in headings)
                   + "".join(cell(*each) for each in cells) + "</tr>\n" for headings, cells in lines)
    heads = "".join(f'<th scope="col"{" class=words" if i < first else ""}>{html.escape(text)}'
                    f"{f'<small>{html.escape(note)}</small>' if note else ''}</th>" for i, (text, note) in enumerate(head))
    name = html.escape(caption, quote=True)
    return (f'<div class="wide" role="region" tabindex="0" aria-label="{name}"><table><caption>{name}</caption>'
            f"<thead><tr>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div>\n")


def judged(text):
    """A cell that says win, LOSS or level, and looks like it."""
    return (text, "", text.split()[-1] if " " in text else "")


class Asked:
    """A question and its results, with what every chart of it needs."""

    def __init__(self, name, results):
        self.name, self.question, self.results = name, QUESTIONS[name], results
        self.judged = results if self.question.means_over is None else Means(results)  # what wins and losses are counted in
        self.roles = roles_of(results)
        self.looks = looks(self.roles, self.question.ours)
        self.keys = self.sorted(results)
        self.several_bytes = len({key[1] for key in self.keys}) > 1

    def sorted(self, results):
        return sorted(results.rows, key=order if self.question.means_over is None else operation_order)

    def by(self, part):
        """{part(key): keys} in the order of the rows."""
        groups = {}
        for key in self.keys:
            groups.setdefault(part(key), []).append(key)
        return groups

    def lines(self, keys, x):
        """A Line for each contender, over the number x of a key."""
        lines = []
        for contender, look in self.looks.items():
            points = []
            for key in sorted(keys, key=lambda key: key[x]):
                spread = self.results.spread(key, contender)
                if spread is not None:
                    points.append((key[x], *spread[:3]))
            if points:
                lines.append(Line(short(contender), look, points))
        return lines

    def ratios(self, other_of):
        """(key, ratio, other) of the rows that have ours and the other one, and a ratio above 0."""
        found = []
        for key in self.sorted(self.judged):
            other = other_of(key)
            ratio = self.judged.ratio(key, self.question.ours, other)
            if ratio:
                found.append((key, ratio, other))
        return found

    def against_rivals(self):
        return self.ratios(lambda key: best_rival(self.judged, key))

    def against_limit(self):
        return self.ratios(lambda key: self.question.limit)


def told(lines):
    """The numbers of lines in words, for whoever does not see the chart."""
    return "; ".join(f"{line.name}: " + ", ".join(f"{plain_value(y)} at {x:g}" for x, y, _, _ in line.points) for line in lines)


def over_n(asked):
    """Lines over the number of elements, where there are several."""
    for keys in asked.by(lambda key: (key[0], key[1], key[3])).values():
        if len({key[2] for key in keys}) == 1:
            continue
        lines, title = asked.lines(keys, 2), row_name(keys[0], n=False)
        yield title, line_chart(title, f"{asked.question.unit} over n. {told(lines)}", lines, "n", x_text=power)


def over_density(asked):
    """Lines over the percentage of live elements, a chart for each element size and number of elements."""
    for (size, n), keys in asked.by(lambda key: key[1:3]).items():
        if len({key[3] for key in keys}) == 1:
            continue
        lines, title = asked.lines(keys, 3), f"{size} B, n = {power(n)}"
        yield title, line_chart(title, f"{asked.question.unit} over the percentage of live elements. {told(lines)}", lines,
                                "% live", x_text=str, log_x=False)


def ratio_bars(asked, found, title, words, classes):
    """words(ratio, other), classes(ratio): of a bar."""
    rows = [(row_name(key, bytes=asked.several_bytes), ratio, words(ratio, other), classes(ratio)) for key, ratio, other in found]
    if rows:
        yield title, ratio_chart(title, "; ".join(f"{name}: {words}" for name, _, words, _ in rows), rows)


def against_rivals(asked):
    return ratio_bars(asked, asked.against_rivals(), f"{short(asked.question.ours)} / the best rival",
                      lambda ratio, other: f"{verdict(ratio)}, {short(other)}", lambda ratio: state(ratio).lower())


def against_limit(asked):
    ours = asked.looks[asked.question.ours].classes
    return ratio_bars(asked, asked.against_limit(), f"{short(asked.question.ours)} / {short(asked.question.limit)}",
                      lambda ratio, other: times(ratio), lambda ratio: ours)


# heading and charts of each question; OTHERWISE for the others
CHARTS = {
    "iteration": [("Time over density", over_density)],
    "keyed": [("Against the best rival", against_rivals)],
    "memory": [("Against the best rival", against_rivals)],
    "observers": [("Against the limit", against_limit)],
    "series": [("Against the best rival", against_rivals), ("Against the limit", against_limit)],
}
OTHERWISE = [("Over size", over_n)]
HINTS = {
    against_rivals: "Bars to the left of 1 are wins, those to its right losses; the scale is logarithmic.",
    against_limit: "How many times the limit's time; the scale is logarithmic.",
}


def full_table(asked, results, caption):
    """Every row and every contender."""
    keys = asked.sorted(results)
    with_rust = any(map(is_rust, asked.roles))
    summaries = [summary(asked.question, results, key, with_rust) for key in keys]
    told_of = [any(text != "-" for _, text in column) for column in zip(*summaries)]  # no column that says nothing
    lines, titles = [], []
    for key, summed in zip(keys, summaries):
        cells = []
        for contender in asked.roles:
            spread = results.spread(key, contender)
            note = "" if spread is None or spread.count < 2 else f"{number(spread.low)} to {number(spread.high)}"
            cells.append((number(None if spread is None else spread.median), note, "ours" if contender == asked.question.ours else ""))
        summed = [cell for cell, wanted in zip(summed, told_of) if wanted]
        titles = [(title, "") for title, _ in summed]
        lines.append(([row_name(key)], [judged(text) for _, text in summed] + cells))
    head = [("row", ""), *titles, *((short(c), role) for c, role in asked.roles.items())]
    return table(caption, head, lines)


def repetitions(results):
    """How often rows were measured and how far apart: "9 repetitions, 10 to 90 % of them within 3 % (median of all numbers)"."""
    spreads = [results.spread(key, c) for key, cells in results.rows.items() for c in cells]
    counts = sorted({spread.count for spread in spreads if spread.count > 1})
    widths = [(spread.high - spread.low) / spread.median for spread in spreads if spread.count > 1 and spread.median]
    if not widths:
        return "measured once"
    return (f"{' or '.join(map(str, counts))} repetitions; numbers are medians, the ranges beneath hold 10 to 90 % of the repetitions "
            f"and are {statistics.median(widths) * 100:.0f} % of the median wide (half of the rows more, half less)")


def section(asked):
    question, results = asked.question, asked.results
    measured = (f"{question.unit}; ours = {short(question.ours)}, limit = {short(question.limit)}. "
                f"{repetitions(results).capitalize()}.")
    parts = [f'<section id="{asked.name}"><h2>{asked.name}</h2><p>{html.escape(question_in_words(asked.name))}</p>'
             f'<p class="soft">{html.escape(measured)}</p>\n']
    for heading, make in CHARTS.get(asked.name, OTHERWISE):
        charts = list(make(asked))
        if charts:
            hint = f'<p class="soft">{HINTS[make]}</p>' if make in HINTS else ""
            parts.append(f'<h3>{heading}</h3>{hint}<div class="charts">\n' + "".join(
                f"<figure><figcaption>{html.escape(title)} <small>{html.escape(unit_of(make, question))}</small></figcaption>"
                f"{svg}</figure>\n"
                for title, svg in charts) + "</div>\n")
    if asked.judged is not results:
        amounts = ", ".join(map(power, sorted({key[2] for key in asked.keys})))
        parts.append(full_table(asked, asked.judged, f"{asked.name}: geometric means over n = {amounts}"))
        parts.append(f"<details><summary>Each size</summary>{full_table(asked, results, f'{asked.name}: every row')}</details>")
    else:
        parts.append(full_table(asked, results, f"{asked.name}: every row"))
    return "".join(parts) + "</section>\n"


def unit_of(make, question):
    """Beside the heading of a chart, where it is short; it stands above all charts anyhow."""
    return "" if make in HINTS or len(question.unit) > 25 else question.unit


def mean_of(found):
    return times(geometric_mean([ratio for _, ratio, _ in found]) if found else None)


def overview(all_asked):
    lines = []
    for asked in all_asked:
        rivals = asked.against_rivals()
        states = [state(ratio) for _, ratio, _ in rivals]
        def count(which):
            return (str(states.count(which)), "", which if states.count(which) else "")
        lines.append(([asked.name], [(short(asked.question.ours), "", "words"), (str(len(rivals)), "", ""), count("win"), count("level"),
                                     count("LOSS"), (mean_of(rivals), "", ""), (mean_of(asked.against_limit()), "", "")]))
    head = [("question", ""), ("ours", ""), ("rows with a rival", ""), ("won", "below 0.95"), ("level", ""), ("lost", "above 1.05"),
            ("ours / best rival", "geometric mean"), ("ours / limit", "geometric mean")]
    return ("<p>Each row against its best rival in C++: a ratio below 1 is in favour of slotwise. Where a question shows means over "
            "sizes, its rows are those. Numbers of 0 have no ratio.</p>" + table("Rows won, level and lost", head, lines))


def compared(old, new):
    found = compare.changes(old, new)
    said = " ".join([*compare.notes(old, new, found), compare.count_of(found)])
    parts = [f'<section id="compared"><h2>Compared</h2><p>{html.escape(said)}</p><p class="soft">A row is marked when the ranges of the '
             "repetitions do not overlap and more than 5 % lie between the medians, relative to the reference in parentheses too.</p>"]
    for name in new:
        lines = compare.lines_of(found, name)
        if lines:
            rows = [(line[:2], [(text, "", "") for text in line[2:-1]] + [(line[-1], "", line[-1])]) for line in lines]
            parts.append(table(f"{name}: {QUESTIONS[name].unit}", [(text, "") for text in compare.HEAD], rows))
    return "".join(parts) + "</section>\n"


def listed(listing):
    rows = [(line[:1], [(text, "", "") for text in line[1:]]) for line in listing.lines]
    about = html.escape(listing.about[0].upper() + listing.about[1:])
    return (f'<section id="{listing.name}"><h2>{listing.name}</h2><p class="soft">{about}.</p>'
            f'{table(listing.name, [(text, "") for text in listing.head], rows)}'
            f'<p class="soft">{html.escape(" ".join(listing.absent))}</p></section>')


def report(found, old=None, listings=()):
    """The page, of {question: Results}; old: such a thing to compare with, or None; listings: tables of text behind the questions."""
    all_asked = [Asked(name, results) for name, results in found.items()]
    machines = dict.fromkeys(machine(asked.results) for asked in all_asked)
    caches = dict.fromkeys(f"{cache['type']} {cache['level']}: {cache['size'] // 1024} KiB" for asked in all_asked
                           for cache in asked.results.context.get("caches", []))
    cached = f"Caches: {', '.join(caches)}. " if caches else ""
    names = [*found, *(listing.name for listing in listings), *(["compared"] if old is not None else [])]
    links = "".join(f'<a href="#{name}">{name}</a>' for name in names)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">'
            f'<title>slotwise: benches</title><style>{PAGE_STYLE}</style></head><body>\n'
            f'<header><h1>slotwise: benches</h1><p>{"<br>".join(map(html.escape, machines))}</p>'
            f'<p class="soft">{html.escape(cached)}Lower is better everywhere. A limit leaves promises out, '
            f"a rival is what one could use instead; bench/README.md says how things are measured. A thick line is ours; resting the "
            f"pointer on a mark shows its numbers.</p><nav>{links}</nav></header>\n<main>\n<section id=\"summary\"><h2>Summary</h2>"
            f"{overview(all_asked)}</section>\n{''.join(map(section, all_asked))}{''.join(map(listed, listings))}"
            f"{'' if old is None else compared(old, found)}</main></body></html>\n")
