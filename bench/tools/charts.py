# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The picture of README.md as SVG, by matplotlib: iteration over density, and lookup."""

import html
import io
import re
import sys

from tools.results import Failure
from tools.tables import machine, number, short

N, BYTES = 100_000, 16
# How each contender is drawn: blues for ours, greys for limits, warm colours for rivals, told apart with any of the common colour blindnesses.
ITERATION = {"SlotMap.for_each": ("#0a5cad", "-", 2.5), "DenseSlotMap": ("#2b93c9", "--", 1.2), "vector": ("#8a919a", "--", 1.2),
             "plf_colony": ("#c2410c", "-", 1.2), "article_slot_map": ("#a3217f", "--", 1.2)}
LOOKUP = {"SlotMap": "#0a5cad", "plain_arrays": "#3d434b", "article_slot_map": "#a3217f", "unordered_map": "#946200"}


def readme_told(found):
    """What the picture shows of {question: Results}: in words, its lines as {contender: [(% live, ns)]}, its lookups as (ns, contender)."""
    iteration, lines = found["iteration"], {}
    keys = sorted((key for key in iteration.rows if key[1:3] == (BYTES, N)), key=lambda key: key[3])
    for contender in ITERATION:
        lines[contender] = [(key[3], iteration.get(key, contender)) for key in keys if iteration.get(key, contender) is not None]
    lookups = sorted((found["slot_map"].get(("lookup", BYTES, N, None), each), each) for each in LOOKUP)
    walked = "; ".join(f"{short(each)}: {', '.join(f'{number(ns)} at {live}' for live, ns in points)}" for each, points in lines.items() if points)
    return (f"Nanoseconds an element over the percentage of live elements. {walked}. Lookup: "
            + ", ".join(f"{short(contender)}: {number(value)} ns" for value, contender in lookups) + "."), lines, lookups


def readme_picture(found):
    """The SVG element, without the prologue of a file; what it shows is told in words."""
    sys.path.append("/usr/lib/python3/dist-packages")  # of the system's Python, if this is another: searched last
    try:
        import matplotlib
    except ImportError:
        raise Failure("matplotlib, which draws the picture, is not here (Debian: python3-matplotlib)", 2) from None
    matplotlib.use("svg")
    from matplotlib import pyplot, ticker
    pyplot.rcParams.update({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.3,
                            "svg.fonttype": "none", "svg.hashsalt": "slotwise"})
    told, lines, lookups = readme_told(found)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3), gridspec_kw={"wspace": 1.1})
    for contender, points in lines.items():
        colour, dash, width = ITERATION[contender]
        left.plot(*zip(*points), marker="o", markersize=3, label=short(contender), color=colour, linestyle=dash, linewidth=width)
    left.set_yscale("log")
    left.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))  # round numbers, also where less than a decade is seen
    left.yaxis.set_major_formatter("{x:g}")
    left.set_xlabel("% of the elements live")
    left.set_xticks(sorted({live for points in lines.values() for live, _ in points}))
    left.minorticks_off()
    left.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    left.set_title("Visit every element, as holes appear\nns per element, logarithmic", loc="left")
    values, contenders = zip(*lookups)
    right.bar_label(right.barh([short(each) for each in contenders], values, color=[LOOKUP[each] for each in contenders]),
                    [f"{number(value)} ns" for value in values], padding=3)
    right.invert_yaxis()
    right.set_title("Look up by handle, in random order\nns per lookup", loc="left")
    figure.text(0.9, -0.08, f"{N:,} elements of {BYTES} bytes, {machine(found['slot_map'])}", ha="right", color="#57606a")
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight")
    text = re.sub(r"<metadata>.*?</metadata>", "", out.getvalue()[out.getvalue().index("<svg"):], flags=re.S)
    words = f"<title>Iteration and lookup, measured</title><desc>{html.escape(told)}</desc>"
    return re.sub(r"(<svg [^>]*?)>", lambda match: f'{match[1]} role="img">{words}', text, count=1, flags=re.S)
