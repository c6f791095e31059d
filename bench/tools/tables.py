# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Results as tables in Markdown, with a verdict for each row."""

from typing import NamedTuple

from tools.questions import KEYED_OPERATIONS, QUESTIONS
from tools.results import ROOT, Means, is_rust, is_versioned_rust, power

LEVEL = 0.05  # ratios closer to 1 than this are called level

SHORT = {
    "vector": "vector",
    "vector_unchecked": "vector unchecked",
    "vector_of_field": "vector, field",
    "vector_of_struct": "vector of structs",
    "vector_per_field": "vector a field",
    "plain_arrays": "plain arrays",
    "article_slot_map": "article slot map",
    "plf_colony": "plf::colony",
    "plf_colony_unchecked": "plf::colony unchecked",
    "unordered_map": "unordered_map",
    "SlotMap.for_each": "SlotMap for_each",
    "SlotMap.iterator": "SlotMap iterator",
    "SlotMap_reserve.for_each": "SlotMap reserve for_each",
    "SoaSlotMap.column": "SoaSlotMap column",
    "SlotMap_reserve": "SlotMap reserve",
    "SlotMap_lifo": "SlotMap lifo",
    "SlotMap_fifo": "SlotMap fifo",
    "SlotMap_lowest": "SlotMap lowest",
    "boost_flat_map": "boost flat_map",
    "robin_map": "tsl::robin_map",
    "hopscotch_map": "tsl::hopscotch_map",
    "absl_flat_hash_map": "absl::flat_hash_map",
    "absl_node_hash_map": "absl::node_hash_map",
    "unordered_map_of_counter": "unordered_map, a counter as key",
    "slotwise_map": "MapStorage",
    "slotwise_map.iterator": "MapStorage iterator",
    "slotwise_map_boost_index": "boost index",
    "slotwise_map_robin_index": "robin index",
    "slotwise_map_portable_index": "portable index",
    "writes_only": "writes only",
    "writes_and_stamps": "writes and stamps",
    "dirty_list": "dirty list",
    "by_hand": "sets kept by hand",
    "rust_slotmap": "Rust SlotMap",
    "rust_hop_slotmap": "Rust HopSlotMap",
    "rust_dense_slotmap": "Rust DenseSlotMap",
    "rust_secondary_map": "Rust SecondaryMap",
    "rust_slab": "Rust slab",
    "rust_thunderdome": "Rust thunderdome",
    "rust_hecs": "Rust hecs",
}


def short(contender):
    return SHORT.get(contender, contender)


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
        print(f"\n{self.name}: {self.about}\n\n{markdown(self.head, self.lines)}")
        if self.absent:
            print("\n" + "\n".join(self.absent))


def row_name(key, operation=True, bytes=True, n=True):
    """A row, or what it shares with others, in words: "lookup, 16 B, n = 1e5"."""
    parts = [key[0]] * operation + [f"{key[1]} B"] * bytes + ([f"n = {power(key[2])}"] if n and key[2] is not None else [])
    return ", ".join(parts + ([f"{key[3]} % live"] if key[3] is not None else []))


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


def table(name, results, compact, no_rust):
    """One line a row and one column a contender; compact: the other way round, for a handful of rows on a narrow screen.
    no_rust: why there are no contenders in Rust, or None."""
    question = QUESTIONS[name]
    roles = roles_of(results)
    contenders = list(roles)
    if question.means_over is not None:
        table_of_means(name, question, results, contenders)
        return
    with_rust = any(map(is_rust, contenders))
    keys = sorted(results.rows, key=order)
    several = len({key[0] for key in keys}) > 1
    live = any(key[3] is not None for key in keys)
    print(f"\n{name}: {question.unit}; ours = {short(question.ours)}, limit = {short(question.limit)}\n")
    if compact:
        sizes, amounts = {key[1] for key in keys}, {key[2] for key in keys}
        def heading(key):
            parts = [key[0].removeprefix("memory_")] if several else []
            parts += [f"{key[3]} % live"] if key[3] is not None else []
            parts += [f"{key[1]} B"] if len(sizes) > 1 else []
            parts += [power(key[2])] if len(amounts) > 1 else []
            return ", ".join(parts) or key[0]
        head = [f"{', '.join(f'{size} B' for size in sorted(sizes, reverse=True))}, n = {', '.join(map(power, sorted(amounts)))}"]
        head += [heading(key) for key in keys]
        lines = [[f"{roles[c]}: {short(c)}"] + [number(results.get(key, c)) for key in keys] for c in contenders]
        summaries = [summary(question, results, key, with_rust) for key in keys]
        lines += [[cells[0][0]] + [cell[1] for cell in cells] for cells in zip(*summaries)]
    else:
        lines = []
        for key in keys:
            cells = summary(question, results, key, with_rust)
            line = ([key[0]] if several else []) + [str(key[1]), power(key[2])] + ([str(key[3])] if live else [])
            lines.append(line + [number(results.get(key, c)) for c in contenders] + [text for _, text in cells])
        head = (["operation"] if several else []) + ["bytes", "n"] + (["live %"] if live else [])
        head += [short(c) for c in contenders] + [title for title, _ in cells]
    print(markdown(head, lines))
    if "plf_colony" not in roles and name not in ("observers", "series"):
        print("\nplf::colony was not built in (Debian package libplf-colony-dev).")
    if with_rust:
        print("\nRatios to Rust are between two processes that took turns; \"best Rust\" leaves out slab, whose keys have no version.")
    elif (ROOT / "bench" / "rust" / "src" / "bin" / f"bench_{name}.rs").is_file():
        print(f"\nThe Rust crates are absent: {no_rust}.")


def operation_order(key):
    """Of the operations of keyed: with integers, strings and poor hashes apart."""
    kind = next((kind for kind in ("_string", "_poor_hash") if key[0].endswith(kind)), "")
    plain = key[0].removesuffix(kind)
    return (len(kind), kind, KEYED_OPERATIONS.index(plain) if plain in KEYED_OPERATIONS else len(KEYED_OPERATIONS), plain, key[2] or 0)


def table_of_means(name, question, results, contenders):
    """One line an operation, one column a contender: its mean over the sizes and the ratio to the mean of question.means_over."""
    base = question.means_over
    amounts = sorted({key[2] for key in results.rows})
    means = Means(results)
    lines = []
    for key in sorted(means.rows, key=operation_order):
        def cell(contender):
            ratio = means.ratio(key, contender, base)
            return number(means.get(key, contender)) + ("" if ratio is None or contender == base else f" ({ratio:.2f}x)")
        lines.append([key[0], *map(cell, contenders)])
    print(f"\n{name}: {question.unit}, geometric mean over n = {', '.join(map(power, amounts))}"
          f"{f'; in parentheses the ratio to {short(base)}' if base in contenders else ''}\n")
    print(markdown(["operation", *map(short, contenders)], lines))
    for contender, package in (("boost_flat_map", "libboost1.81-dev"), ("robin_map", "robin-map-dev"),
                               ("hopscotch_map", "libtsl-hopscotch-map-dev"), ("absl_flat_hash_map", "libabsl-dev")):
        if contender not in contenders:
            print(f"\n{short(contender)} was not built in (Debian package {package}).")


def order(key):
    operations = ["slots_10", "again_10", "handles_10", "write_10", "write_1000", "write_20000", "write_18_percent", "set",
                  "insert", "insert_reserved", "refill", "lookup", "lookup_half_stale", "churn", "churn_holes", "erase_all",
                  "clear", "age", "aged_iterate", "fresh_iterate", "aged_lookup", "fresh_lookup", "read_one", "read_two_write_one",
                  "memory_grown", "memory_reserved", "peak_grown", "allocations_grown", "allocations_reserved"]
    rank = operations.index(key[0]) if key[0] in operations else len(operations)
    return ({16: 0, 4: 1, 64: 2}.get(key[1], 3), rank, key[0], key[2], -(key[3] or 0))


def machine(results):
    """Of the reports: they may have been made elsewhere."""
    return (f"{results.context.get('processor', 'unknown processor')}, {results.context.get('num_cpus', '?')} cores, "
            f"{', '.join(f'{c} -O3' for c in results.compilers)}")
