# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The picture of README.md as SVG, by matplotlib."""

import html
import io
import re
import sys

from tools.results import Failure
from tools.tables import machine, number, roles_of, short

sys.path.append("/usr/lib/python3/dist-packages")  # of the system's Python, if this is another: searched last
try:
    import matplotlib
except ImportError:
    matplotlib = None
else:
    matplotlib.use("svg")
    from matplotlib import pyplot, ticker
    pyplot.rcParams.update({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.3, "svg.fonttype": "none", "svg.hashsalt": "slotwise"})

ABSENT = "There are no charts: matplotlib is not here (Debian: python3-matplotlib)."
# Blues for ours, greys for limits, warm ones for rivals: told apart with any of the common colour blindnesses.
COLOURS = {"ours": ["#0a5cad", "#2b93c9", "#5a4fcf", "#0b7a75"], "limit": ["#3d434b", "#8a919a"], "rival": ["#c2410c", "#a3217f", "#946200", "#8f1d1d"]}
DASHES = ["-", "--", "-.", ":"]
N, BYTES = 100_000, 16  # of the picture
ITERATION = ("SlotMap.for_each", "DenseSlotMap", "vector", "plf_colony", "article_slot_map")
LOOKUP = ("SlotMap", "plain_arrays", "article_slot_map", "unordered_map")


def here():
    return matplotlib is not None


def svg(figure, title, told):
    """The SVG element of a figure, without the prologue of a file; what it shows is told in words."""
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight")
    pyplot.close(figure)
    text = out.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg"):], flags=re.S)
    words = f"<title>{html.escape(title)}</title><desc>{html.escape(told)}</desc>"
    return re.sub(r"(<svg [^>]*?)>", lambda match: f'{match[1]} role="img">{words}', text, count=1, flags=re.S)


def looks(results, main):
    """{contender: how its line is drawn}; those of one role differ in colour and dash, and the one to look at is thick."""
    made, count = {}, {}
    for contender, role in sorted(roles_of(results).items(), key=lambda item: item[0] != main):
        role, nth = role if role in COLOURS else "rival", count.get(role, 0)
        count[role] = nth + 1
        made[contender] = {"color": COLOURS[role][nth % len(COLOURS[role])], "linestyle": DASHES[nth % len(DASHES)],
                           "linewidth": 2.5 if contender == main else 1.2}
    return made


def points_of(results, contender, keys):
    points = [(key[3], results.get(key, contender)) for key in sorted(keys, key=lambda key: key[3])]
    return [point for point in points if point[1] is not None]


def told_of(results, contenders, keys):
    told = {contender: [f"{number(value)} at {x}" for x, value in points_of(results, contender, keys)] for contender in contenders}
    return "; ".join(f"{short(contender)}: {', '.join(points)}" for contender, points in told.items() if points)


def draw(axes, drawn, results, keys, contenders):
    """Lines over the percentage of live elements, named beside them. drawn: looks()."""
    for contender in contenders:
        look, points = drawn.get(contender), points_of(results, contender, keys)
        if points:
            axes.plot(*zip(*points), marker="o", markersize=3, label=short(contender), **look)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))  # round numbers, also where less than a decade is seen
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("% of the elements live")
    axes.set_xticks(sorted({key[3] for key in keys}))
    axes.minorticks_off()
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)


def iteration_keys(found):
    return [key for key in found["iteration"].rows if key[1:3] == (BYTES, N)]


def readme_told(found):
    """What the picture shows, in words, and its lookups as (ns, contender)."""
    lookups = sorted((found["slot_map"].get(("lookup", BYTES, N, None), each), each) for each in LOOKUP)
    return (f"Nanoseconds an element over the percentage of live elements. {told_of(found['iteration'], ITERATION, iteration_keys(found))}. Lookup: "
            + ", ".join(f"{short(contender)}: {number(value)} ns" for value, contender in lookups) + ".", lookups)


def readme_picture(questions, found):
    """SVG of iteration over density, and lookup, at 1e5 elements of 16 bytes; of {question: Results} with both questions."""
    if not here():
        raise Failure(ABSENT, 2)
    iteration, slot_map = found["iteration"], found["slot_map"]
    told, lookups = readme_told(found)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3), gridspec_kw={"wspace": 1.1})
    drawn = {**looks(iteration, questions["iteration"].ours), **looks(slot_map, questions["slot_map"].ours)}  # one colour in both
    draw(left, drawn, iteration, iteration_keys(found), ITERATION)
    left.set_title("Visit every element, as holes appear\nns per element, logarithmic", loc="left")
    values, contenders = zip(*lookups)
    colours = [drawn[contender]["color"] for contender in contenders]
    right.bar_label(right.barh([short(each) for each in contenders], values, color=colours), [f"{number(value)} ns" for value in values], padding=3)
    right.invert_yaxis()
    right.set_title("Look up by handle, in random order\nns per lookup; plain arrays are the limit", loc="left")
    figure.text(0.9, -0.08, f"{N:,} elements of {BYTES} bytes, {machine(slot_map)}", ha="right", color="#57606a")
    return svg(figure, "Iteration and lookup, measured", told)
