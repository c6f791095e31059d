# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Charts as SVG text, for bench/tools/report.py: lines over a number, bars, ratios as bars around 1.

A contender is told by colour, by its dash and by a label beside its line. Colours are variables of STYLE,
for light and for dark; what a mark stands for is its <title>, which browsers show when the pointer rests on it."""

import html
import itertools
import math

WIDTH = 360  # of every chart: it is still readable at the width of a telephone

# Blues for ours, greys for limits, warm ones for rivals: told apart with any of the common colour blindnesses, on white and on black.
COLOURS = {
    "ours": (("#0a5cad", "#6cb6ff"), ("#2b93c9", "#39c5cf"), ("#5a4fcf", "#a99bff"), ("#0b7a75", "#56d4b0")),
    "limit": (("#3d434b", "#d5dbe2"), ("#8a919a", "#848d97"), ("#656c76", "#aab2bb")),
    "rival": (("#c2410c", "#ff9e64"), ("#a3217f", "#f28bd0"), ("#946200", "#e3b341"), ("#8f1d1d", "#ff7b72")),
}
DASHES = {"ours": ("", "9 3", "12 3 3 3", "6 2 2 2 2 2"), "limit": ("2 3", "1 5", "4 2 1 2"), "rival": ("5 3", "8 2 2 2", "3 2", "10 4")}
PLAIN = {  # name: (light, dark)
    "text": ("#1b1f24", "#e6edf3"), "soft": ("#57606a", "#9aa4af"), "grid": ("#d8dee4", "#30363d"), "ground": ("#ffffff", "#0d1117"),
    "win": ("#0b6e4f", "#4ac59c"), "level": ("#57606a", "#9aa4af"), "loss": ("#b42318", "#ff8d7e"),
}


def variables(which):
    """The colours of the light (0) or of the dark (1) scheme."""
    pairs = [(f"{role}{i}", pair) for role, colours in COLOURS.items() for i, pair in enumerate(colours)]
    return ";".join(f"--{name}:{pair[which]}" for name, pair in [*PLAIN.items(), *pairs])


STYLE = f""":root{{color-scheme:light dark;{variables(0)}}}
@media (prefers-color-scheme:dark){{:root{{{variables(1)}}}}}
svg.chart{{font:11px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;display:block;width:100%;height:auto}}
svg.chart text{{fill:var(--text)}} svg.chart .soft{{fill:var(--soft)}}
svg.chart .end{{text-anchor:end}} svg.chart .mid{{text-anchor:middle}}
svg.chart .grid{{stroke:var(--grid);fill:none}} svg.chart .axis{{stroke:var(--soft);fill:none}} svg.chart .strong{{font-weight:700}}
svg.chart .line{{fill:none;stroke-width:1.5;stroke-linejoin:round}} svg.chart .main .line{{stroke-width:3}}
svg.chart .lead{{stroke-width:.7;fill:none;opacity:.7}} svg.chart .mark{{stroke-width:1.5}}
svg.chart .range{{stroke-width:1}} svg.chart .one:hover .line{{stroke-width:4}}
""" + "".join(f"svg.chart .{name} .line,svg.chart .{name} .lead,svg.chart .{name} .mark,svg.chart .{name} .range"
              f"{{stroke:var(--{name})}} svg.chart .{name} .mark,svg.chart .{name} .bar{{fill:var(--{name})}}"
              f" svg.chart .{name} text.name{{fill:var(--{name})}}\n"
              for name in [f"{role}{i}" for role, colours in COLOURS.items() for i in range(len(colours))] + ["win", "level", "loss"])


class Look:
    """How a contender is drawn: its role, which one of that role it is, and whether it is the one to look at."""

    def __init__(self, role, number, main=False):
        role = role if role in COLOURS else "rival"
        again, colour = divmod(number - 1, len(COLOURS[role]) - 1) if number else (0, -1)  # the first colour is for the first alone
        self.colour = f"{role}{colour + 1}"
        self.dash = "" if main else DASHES[role][(number + again) % len(DASHES[role])]  # another one where a colour comes again
        self.main = main

    @property
    def classes(self):
        return f"one {self.colour}{' main' if self.main else ''}"


def looks(roles, main):
    """{contender: Look}, of {contender: role}."""
    numbers, made = {}, {}
    for contender in sorted(roles, key=lambda c: c != main):
        role = roles[contender]
        made[contender] = Look(role, numbers.setdefault(role, 0), contender == main)
        numbers[role] += 1
    return made


def text(x, y, words, classes=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{classes}">{html.escape(words)}</text>'


def rule(x1, y1, x2, y2, classes):
    return f'<path class="{classes}" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>'


_numbers = itertools.count(1)


def picture(title, description, height, parts, width=WIDTH, style=""):
    """An SVG element that says in words what it shows."""
    name = f"chart{next(_numbers)}"
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {width} {height:.0f}" width="{width}" '
            f'height="{height:.0f}" role="img" aria-labelledby="{name}t {name}d"><title id="{name}t">{html.escape(title)}</title>'
            f'<desc id="{name}d">{html.escape(description)}</desc>{style}{"".join(parts)}</svg>\n')


class Scale:
    """From numbers to places, with round numbers to write at the axis. Places may run downwards."""

    def __init__(self, numbers, begin, end, log):
        self.log, self.begin, self.end = log, begin, end
        low, high = min(numbers), max(numbers)
        if log:
            span = max(math.log10(high / low), 0.3)
            middle = (math.log10(high) + math.log10(low)) / 2
            self.low, self.high = middle - span * 0.54, middle + span * 0.54
        else:
            self.low, self.high = min(0, low), high * 1.05 or 1

    def __call__(self, number):
        number = math.log10(number) if self.log else number
        return self.begin + (number - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self, at_most=7):
        if not self.log:
            step = next(s for p in range(-9, 12) for s in (10**p, 2 * 10**p, 5 * 10**p) if (self.high - self.low) / s <= at_most - 1)
            return [i * step for i in range(int(self.high / step + 1e-9) + 1)]
        def within(steps):
            return [s * 10.0**p for p in range(math.floor(self.low), math.ceil(self.high) + 1) for s in steps
                    if self.low <= math.log10(s * 10.0**p) <= self.high]
        finer = ((1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8), (1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1,))
        return next((found for found in map(within, finer) if len(found) <= at_most), within((1,))[::2])


def plain(number):
    """A number at an axis."""
    return f"{number:.0e}".replace("e+0", "e") if abs(number) >= 10_000 else f"{number:g}"


def apart(places, gap, low, high):
    """The places (sorted), moved as little as needed to be `gap` apart and between low and high."""
    blocks = []  # (sum of wanted first places, how many): what touches moves as one block
    def first(block):
        return min(max(block[0] / block[1], low), high - gap * (block[1] - 1))
    for place in places:
        blocks.append((place, 1))
        while len(blocks) > 1 and first(blocks[-2]) + gap * blocks[-2][1] > first(blocks[-1]):
            (wanted, count), (more, others) = blocks[-2:]
            blocks[-2:] = [(wanted + more - others * count * gap, count + others)]
    return [first(block) + gap * i for block in blocks for i in range(block[1])]


class Line:
    """points: [(x, y, low, high)]."""

    def __init__(self, name, look, points):
        self.name, self.look, self.points = name, look, points


def line_parts(lines, x_name, x_text=plain, log_x=True, width=WIDTH, top=8):
    """(parts, height) of a chart of lines with their names beside them."""
    gutter = 18 + 6.3 * max(len(line.name) for line in lines)
    numbers = [v for line in lines for _, y, low, high in line.points for v in (y, low, high)]
    log_y = min(numbers) > 0
    height = max(170, 13 * len(lines))
    left, right, bottom = 38, width - gutter, top + height
    xs = sorted({point[0] for line in lines for point in line.points})
    x_scale = Scale(xs if len(xs) > 1 else [xs[0] / 2, xs[0] * 2], left + 4, right - 4, log_x)
    y_scale = Scale(numbers, bottom, top, log_y)
    parts = []
    for tick in y_scale.ticks():
        y = y_scale(tick)
        parts += [rule(left, y, right, y, "grid"), text(left - 5, y + 4, plain(tick), "soft end")]
    for x, x_label in zip(xs, apart([x_scale(x) for x in xs], 23, left, right + 12)):
        parts += [rule(x_scale(x), bottom, x_scale(x), bottom + 4, "axis"), text(x_label, bottom + 15, x_text(x), "soft mid")]
    parts += [rule(left, bottom, right, bottom, "axis"), text((left + right) / 2, bottom + 29, x_name, "soft mid")]
    order = sorted(lines, key=lambda line: y_scale(line.points[-1][1]))
    for line, y_name in zip(order, apart([y_scale(line.points[-1][1]) for line in order], 12.5, top, bottom - 4)):
        places = [(x_scale(x), y_scale(y)) for x, y, _, _ in line.points]
        dash = f' stroke-dasharray="{line.look.dash}"' if line.look.dash else ""
        parts.append(f'<g class="{line.look.classes}"><path class="line" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in places)}"{dash}/>')
        for (place, point) in zip(places, line.points):
            x, y, low, high = point
            spread = f" ({plain_value(low)} to {plain_value(high)})" if low != high else ""
            if low != high:
                parts.append(rule(place[0], y_scale(low), place[0], y_scale(high), "range"))
            told = html.escape(f"{line.name}, {x_name} {x_text(x)}: {plain_value(y)}{spread}")
            parts.append(f'<circle class="mark" cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="3"><title>{told}</title></circle>')
        parts += [rule(places[-1][0] + 5, places[-1][1], right + 8, y_name, "lead"),
                  text(right + 11, y_name + 4, line.name, f"name{' strong' if line.look.main else ''}"), "</g>"]
    return parts, bottom + 36


def plain_value(number):
    return f"{number:.3g}" if abs(number) < 1000 else f"{number:.0f}"


def line_chart(title, description, lines, x_name, **options):
    parts, height = line_parts(lines, x_name, **options)
    return picture(title, description, height, parts)


BAR_STEP = 29  # words above, bar below


def bar_parts(rows, width=WIDTH, top=4, left=0):
    """(parts, height); rows: (name, number, words, classes). Bars begin at 0."""
    scale = Scale([number for _, number, _, _ in rows] + [0], left, width - 2, False)
    parts, y = [], top
    for name, number, words, classes in rows:
        strong = " strong" if "main" in classes else ""
        parts.append(f'<g class="{classes}">{text(left, y + 11, name, "name" + strong)}{text(width - 2, y + 11, words, "end" + strong)}'
                     f'<rect class="bar" x="{left}" y="{y + 15}" width="{max(scale(number) - left, 0.8):.1f}" height="8">'
                     f'<title>{html.escape(f"{name}: {words}")}</title></rect></g>')
        y += BAR_STEP
    return parts, y + 4


def beside_bars(scale, ticks, top, count, words):
    """Grid and its numbers for `count` rows: lines where the bars are, not through the words above them."""
    parts = [text(scale(tick), top - 10, words(tick), "soft mid") for tick in ticks]
    for y in range(top, top + BAR_STEP * count, BAR_STEP):
        parts += [rule(scale(tick), y + 13, scale(tick), y + 25, "grid") for tick in ticks]
    return parts


def ratio_chart(title, description, rows):
    """rows: (name, ratio, words, class): bars that begin at 1, to the left or to the right."""
    scale = Scale([ratio for _, ratio, _, _ in rows] + [0.5, 2], 2, WIDTH - 2, True)
    top = 22
    parts = beside_bars(scale, scale.ticks(8), top, len(rows), "{:g}x".format)
    for i, (name, ratio, words, classes) in enumerate(rows):
        y, left, right = top + BAR_STEP * i, *sorted((scale(1), scale(ratio)))
        parts.append(f'<g class="{classes}">{text(0, y + 11, name)}{text(WIDTH, y + 11, words, "name end strong")}'
                     f'<rect class="bar" x="{left:.1f}" y="{y + 15}" width="{max(right - left, 1.5):.1f}" height="8">'
                     f'<title>{html.escape(f"{name}: {words}")}</title></rect>{rule(scale(1), y + 12, scale(1), y + 26, "axis")}</g>')
    return picture(title, description, top + BAR_STEP * len(rows) + 4, parts)
