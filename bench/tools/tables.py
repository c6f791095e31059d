# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Results as tables, with a verdict for each row: in Markdown."""

from typing import NamedTuple

from tools.questions import QUESTIONS
from tools.results import ROOT, Means, is_rust, is_versioned_rust, power

LEVEL = 0.05  # ratios closer to 1 than this are called level

NAMES = {"unordered_map": "unordered_map", "unordered_map_of_counter": "unordered_map, a counter as key", "boost_flat_map": "boost flat_map",
         "plf_colony": "plf::colony", "plf_colony_unchecked": "plf::colony unchecked", "robin_map": "tsl::robin_map",
         "hopscotch_map": "tsl::hopscotch_map", "absl_flat_hash_map": "absl::flat_hash_map", "absl_node_hash_map": "absl::node_hash_map",
         "vector_of_field": "vector, field", "vector_per_field": "vector a field", "by_hand": "sets kept by hand",
         "slotwise_map_boost_index": "boost index", "slotwise_map_robin_index": "robin index",
         "slotwise_map_portable_index": "portable index", "rust_slotmap": "Rust SlotMap", "rust_hop_slotmap": "Rust HopSlotMap",
         "rust_dense_slotmap": "Rust DenseSlotMap", "rust_secondary_map": "Rust SecondaryMap"}
PACKAGES = {"plf_colony": "libplf-colony-dev", "boost_flat_map": "libboost1.81-dev", "robin_map": "robin-map-dev",
            "hopscotch_map": "libtsl-hopscotch-map-dev", "absl_flat_hash_map": "libabsl-dev"}


def short(contender):
    name, _, part = contender.partition(".")
    name = NAMES.get(name, name.replace("slotwise_map", "MapStorage").replace("rust_", "Rust ").replace("_", " "))
    return f"{name} {part}".strip()


def number(value):
    if value is None:
        return "-"
    if value < 0.995:
        return f"{value:.2f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def state(ratio):
    return "win" if ratio < 1 - LEVEL else "LOSS" if ratio > 1 + LEVEL else "level"


def verdict(ratio):
    return "-" if ratio is None else f"{ratio:.2f} {state(ratio)}"


def times(ratio):
    return "-" if ratio is None else f"{ratio:.2f}x"


def markdown(head, lines):
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    def text(cells):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"
    return "\n".join([text(head), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(text, lines)])


class Listing(NamedTuple):
    """A question whose answer is one table of text, without contenders that are compared row by row."""
    name: str
    about: str
    head: list
    lines: list
    absent: list

    def show(self):
        print("\n".join([f"\n{self.name}: {self.about}\n", markdown(self.head, self.lines), *(f"\n{each}" for each in self.absent)]))


def row_name(key, operation=True, bytes=True, n=True):
    """A row, or what it shares with others, in words: "lookup, 16 B, n = 1e5"."""
    parts = [key[0]] * operation + [f"{key[1]} B"] * bytes + ([f"n = {power(key[2])}"] if n and key[2] is not None else [])
    return ", ".join(parts + ([f"{key[3]} % live"] if key[3] is not None else [])) or key[0]


def rivals_of(results, key):
    return [contender for contender, (_, role) in results.rows[key].items() if role == "rival"]


def best_rival(results, key):
    """Of C++ only: a ratio to Rust is one between two processes."""
    return results.best(key, [c for c in rivals_of(results, key) if not is_rust(c)])


def summary(question, results, key, with_rust):
    """The cells that say how a row went: best rivals and ratios, as (title, text)."""
    def against(title, best):
        return [(title, "-" if best is None else short(best)), (f"ours / {title}", verdict(results.ratio(key, ours, best)))]
    ours = question.ours
    cells = against("best rival", best_rival(results, key))
    if with_rust:
        cells += against("best Rust", results.best(key, filter(is_versioned_rust, rivals_of(results, key))))
    cells += [("ours / limit", times(results.ratio(key, ours, question.limit))),
              ("ours / plf::colony", verdict(results.ratio(key, ours, "plf_colony")))]
    return cells + [(title, times(results.ratio(key, a, b))) for title, a, b in question.ratios]


def roles_of(results):
    """{contender: role}, in the order of the columns of a table."""
    roles = {}
    for cells in results.rows.values():
        for contender, (_, role) in cells.items():
            roles.setdefault(contender, role)
    return dict(sorted(roles.items(), key=lambda item: (["limit", "ours", "rival", item[1]].index(item[1]), is_rust(item[0]), item[0])))


def sorted_keys(results):
    """By size of the elements, 16 bytes first, else as the programs have them."""
    return sorted(results.rows, key=lambda key: ((16, 4, 64).index(key[1]) if key[1] in (16, 4, 64) else 3))


def grid(question, results, named=row_name, with_role=False):
    """(head, lines) of text: a line a row, a column a contender, behind those that say how the row went, unless they say nothing."""
    roles, keys = roles_of(results), sorted_keys(results)
    summaries = [summary(question, results, key, any(map(is_rust, roles))) for key in keys]
    told = [any(text != "-" for _, text in column) for column in zip(*summaries)]
    def cell(key, contender):
        ratio = None if question.means_over in (None, contender) else results.ratio(key, contender, question.means_over)
        return number(results.get(key, contender)) + ("" if ratio is None else f" ({ratio:.2f}x)")
    lines = [[named(key), *(text for (_, text), wanted in zip(summed, told) if wanted), *(cell(key, c) for c in roles)]
             for key, summed in zip(keys, summaries)]
    head = ["row", *(title for (title, _), wanted in zip(summaries[0], told) if wanted),
            *(f"{role}: {short(c)}" if with_role else short(c) for c, role in roles.items())]
    return head, lines


def table(name, results, compact, no_rust):
    """Prints it. compact: the other way round, without what all rows share, for a handful of rows on a narrow screen.
    no_rust: why there are no contenders in Rust, or None."""
    question, roles, told = QUESTIONS[name], roles_of(results), [True] * 3  # told: whether a row names its operation, bytes, n
    title = f"{question.unit}; ours = {short(question.ours)}, limit = {short(question.limit)}"
    amounts = sorted({key[2] for key in results.rows})
    if question.means_over is not None:
        results = Means(results)
        title += f"; geometric means over n = {', '.join(map(power, amounts))}, in parentheses the ratio to {short(question.means_over)}"
    elif compact:
        told = [len({key[i] for key in results.rows}) > 1 for i in range(3)]
        title += "; " + row_name((*next(iter(results.rows))[:3], None), *(not each for each in told))
    head, lines = grid(question, results, lambda key: row_name(key, *told), with_role=compact)
    if compact and question.means_over is None:
        head, *lines = zip(head, *lines)
    print(f"\n{name}: {title}\n\n{markdown(head, lines)}")
    for contender, package in PACKAGES.items():
        if contender not in roles and (contender == "plf_colony") == (name != "keyed") and name not in ("observers", "series"):
            print(f"\n{short(contender)} was not built in (Debian package {package}).")
    if any(map(is_rust, roles)):
        print("\nRatios to Rust are between two processes that took turns; \"best Rust\" leaves out slab, whose keys have no version.")
    elif (ROOT / "bench" / "rust" / "src" / "bin" / f"bench_{name}.rs").is_file():
        print(f"\nThe Rust crates are absent: {no_rust}.")


def machine(results):
    """Of the reports: they may have been made elsewhere."""
    return (f"{results.context.get('processor', 'unknown processor')}, {results.context.get('num_cpus', '?')} cores, "
            f"{', '.join(f'{c} -O3' for c in results.compilers)}")
