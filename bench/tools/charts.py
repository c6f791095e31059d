# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The charts of docs/guide/charts.md and README.md, by bench/charts.csv: what each shows of the results in words, as a table, and as SVG by matplotlib.
A row of the file is a panel; with an axis it has a line a contender, else a bar."""

import csv
import html
import io
import itertools
import re
import sys

from tools.results import ROOT, Failure, geometric_mean, keys_of
from tools.tables import machine, markdown, number, short

FOLDER = "docs/charts"
# Each colour, and what stands for it in the dark. Blues are ours, greys limits; with the marks all are told apart with any colour blindness.
BLUE, SKY, GREY, PURPLE, RUST, GREEN, INK, FAINT = DARK = {"#0a5cad": "#58a6ff", "#2b93c9": "#8fd0ff", "#6c757f": "#9aa4af", "#a3217f": "#f08bd0",
                                                           "#c2410c": "#ff9e64", "#4d7c0f": "#a3d65c", "#1f2328": "#e6edf3", "#c9ced6": "#4a515c"}
LOOKS = {"SlotMap": (BLUE, "o-"), "SlotMap.sparse_iterator": (BLUE, "P:"), "DenseSlotMap": (SKY, "s--"), **dict.fromkeys(("vector", "plain_arrays"), (GREY, "^:")), "vector_unchecked": (GREY, "P--"), "article_slot_map": (PURPLE, "D-."),
         "plf_colony": (RUST, "v-"), "unordered_map": (GREEN, "X--"), **dict.fromkeys(("ArchetypeStore", "slotwise_map", "slotwise"), (BLUE, "")),
         "slotwise::compiled": (SKY, "")}


class Chart:
    def __init__(self, name, rows):
        self.name, self.panels = name, {}
        self.question, self.title, self.unit, self.axis, self.note, contenders = (rows[0][each] for each in ("question", "title", "unit", "axis", "note", "contenders"))
        self.contenders = contenders.split()
        for row in rows:  # {panel: {x: the keys whose mean is shown}}
            xs = row["live" if row["live"] else "n"].split() if self.axis else [""]
            self.panels[row["panel"]] = {x: keys_of({**row, "live": x if row["live"] and x else row["live"]}, x if x and not row["live"] else row["n"]) for x in xs}

    def wants(self, row, contender):
        return contender in self.contenders and any(row in keys for columns in self.panels.values() for keys in columns.values())

    def values(self, found):
        """{panel: {contender: {x: value}}} of what was measured."""
        results, shown = found.get(self.question), {}
        for panel, each in itertools.product(self.panels, self.contenders if results else ()):
            medians = {x: [results.get(key, each) for key in keys] for x, keys in self.panels[panel].items()}
            if there := {x: geometric_mean(values) for x, values in medians.items() if all(values)}:
                shown.setdefault(panel, {})[each] = there
        return shown

    def said(self, value):
        return f"{number(value)} {self.unit.split()[0]}"

    def told(self, found):
        """In words: the description of the picture."""
        return f"{self.title}: " + ". ".join(f"{panel} {short(each)}: {', '.join(f'{x} {self.said(value)}'.strip() for x, value in line.items())}".strip()
                                             for panel, lines in self.values(found).items() for each, line in lines.items())

    def table(self, found):
        shown, columns = self.values(found), [(panel, x) for panel, xs in self.panels.items() for x in xs]
        return markdown([self.unit, *(f"{panel} {x}{' %' if '%' in self.axis else ''}".strip() for panel, x in columns)],
                        [[short(each), *(number(shown.get(panel, {}).get(each, {}).get(x)) for panel, x in columns)]
                         for each in self.contenders if any(each in lines for lines in shown.values())])

    def is_drawn(self, text, found):
        bars = [self.said(value) for lines in self.values(found).values() for line in lines.values() for x, value in line.items() if not x]
        return f"<desc>{html.escape(self.told(found))}</desc>" in text and re.findall(r">\s*([\d.]+ n?s)\s*<", text) == bars

    def draw(self, axes, panel, lines):
        from matplotlib.ticker import LogLocator
        looks, values = [LOOKS.get(each) or LOOKS.get(each.partition(".")[0], (GREY, "")) for each in lines], [list(line.values()) for line in lines.values()]
        if self.axis:
            for each, (colour, form), line in zip(lines, looks, values):
                axes.plot(range(len(line)), line, form, color=colour, label=short(each), markersize=5)
            axes.set(title=panel, yscale="log", xlabel=self.axis, xticks=range(len(self.panels[panel])), xticklabels=self.panels[panel])
            axes.yaxis.set(major_locator=LogLocator(subs=(1, 2, 5)), major_formatter="{x:g}")
            axes.minorticks_off()
            axes.grid(axis="y")
        else:
            drawn = axes.barh([short(each) for each in lines], [value for value, in values], color=[colour for colour, _ in looks])
            axes.bar_label(drawn, [self.said(value) for value, in values], padding=3)
            axes.set(title=panel, ylim=axes.get_ylim()[::-1], xticks=[], xlim=(0, max(values)[0] * 1.5))
            axes.spines["bottom"].set_visible(False)

    def pictures(self, found):
        """{file: its SVG element}, light and dark."""
        sys.path.append("/usr/lib/python3/dist-packages")  # of the system's Python, if this is another: searched last
        try:
            from matplotlib import figure, rcParams
        except ImportError:
            raise Failure("matplotlib, which draws the charts, is not here (Debian: python3-matplotlib)", 2) from None
        rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 10, "axes.titlelocation": "left", "grid.color": FAINT,
                         "axes.edgecolor": FAINT, "savefig.transparent": True, "svg.fonttype": "none", "svg.hashsalt": "slotwise",
                         **dict.fromkeys(("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color"), INK)})
        shown, out = self.values(found), io.StringIO()
        rows = -(-len(shown) // 2)
        drawing = figure.Figure((5.4, 2.9 if self.axis else 0.3 + 1.25 * rows), layout="constrained")
        for at, (panel, lines) in enumerate(shown.items(), 1):
            self.draw(drawing.add_subplot(rows, min(len(shown), 2), at), panel, lines)
        named = {label: line for each in drawing.axes for line, label in zip(*each.get_legend_handles_labels())} if self.axis else {}
        drawing.legend(named.values(), named, loc="upper center", bbox_to_anchor=(0.5, 0), ncol=2, frameon=False)
        drawing.suptitle(self.title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        drawing.supylabel(f"{self.unit}, logarithmic" if self.axis else "", fontsize=10)
        drawing.text(0.01, -0.1 * ((len(named) + 1) // 2) if named else -0.02, f"{self.note}\n{machine(found[self.question]) if shown else 'not measured'}", fontsize=8, va="top")
        drawing.savefig(out, format="svg", bbox_inches="tight")
        text = re.sub(r"^.*?(?=<svg)|<metadata>.*?</metadata>|(?<=\n) +", "", out.getvalue(), flags=re.S)
        words = f'role="img"><title>{html.escape(self.title)}</title><desc>{html.escape(self.told(found))}</desc>'
        text = re.sub(r"(?<=<svg )([^>]*)>", lambda match: f"{match[1]} {words}", text, count=1)
        return {f"{FOLDER}/{self.name}-light.svg": text, f"{FOLDER}/{self.name}-dark.svg": re.sub("|".join(DARK), lambda match: DARK[match[0]], text)}


ROWS = csv.DictReader((ROOT / "bench" / "charts.csv").read_text(encoding="utf-8").splitlines())
CHARTS = [Chart(name, list(rows)) for name, rows in itertools.groupby(ROWS, lambda row: row["chart"])]
