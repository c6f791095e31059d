# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The picture on the first screen of README.md: iteration over density, and lookup, at 1e5 elements of 16 bytes."""

from tools.charts import STYLE, WIDTH, bar_parts, line_parts, picture, text
from tools.report import Asked, told
from tools.results import Failure
from tools.tables import machine, number, short

N, BYTES = 100_000, 16
ITERATION = ("SlotMap.for_each", "DenseSlotMap", "vector", "plf_colony", "article_slot_map", "unordered_map")
LOOKUP = ("SlotMap", "plain_arrays", "plf_colony", "article_slot_map", "unordered_map")
GAP, MARGIN = 40, 10


def shift(parts, x):
    return f'<g transform="translate({x} 0)">{"".join(parts)}</g>'


def readme_picture(found):
    """SVG text, of {question: Results} with iteration and slot_map."""
    for name in ("iteration", "slot_map"):
        if name not in found:
            raise Failure(f"the picture needs results of {name}", 2)
    iteration, slot_map = Asked("iteration", found["iteration"]), Asked("slot_map", found["slot_map"])
    keys = [key for key in iteration.keys if key[1:3] == (BYTES, N)]
    iteration.looks = {c: slot_map.looks.get(c, look) for c, look in iteration.looks.items() if c in ITERATION}  # one colour in both
    lookup = ("lookup", BYTES, N, None)
    rows = sorted((slot_map.results.get(lookup, c), short(c), slot_map.looks[c].classes) for c in LOOKUP
                  if slot_map.results.get(lookup, c) is not None)
    if len(keys) < 2 or not rows:
        raise Failure(f"the picture needs iteration and lookup of {BYTES} B at n = {N}", 2)
    lines = iteration.lines(keys, 3)
    left, height = line_parts(lines, "% of the elements live", x_text=str, log_x=False, top=42)
    right, bars_height = bar_parts([(name, value, f"{number(value)} ns", classes) for value, name, classes in rows], top=38)
    left += [text(0, 14, "Visit every element, as holes appear", "strong"), text(0, 30, "ns per element, logarithmic", "soft")]
    right += [text(0, 14, "Look up by handle, in random order", "strong"), text(0, 30, "ns per lookup; plain arrays are the limit", "soft")]
    height = max(height, bars_height) + 20
    right.append(text(WIDTH, height - 6, f"{N:,} elements of {BYTES} bytes, {machine(slot_map.results)}", "soft end"))
    described = "; ".join(f"{name}: {number(value)} ns" for value, name, _ in rows)
    return picture("Iteration and lookup, measured", f"Nanoseconds an element over the percentage of live elements. {told(lines)}. "
                   f"Lookup: {described}.", height, [shift(left, MARGIN), shift(right, MARGIN + WIDTH + GAP)], 2 * (WIDTH + MARGIN) + GAP,
                   f"<style>{STYLE}</style>")
