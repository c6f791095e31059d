# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Results as tables in Markdown, with a verdict for each row."""

import math
import pathlib
import statistics

from tools.questions import KEYED_OPERATIONS, QUESTIONS
from tools.results import ROOT, is_rust, is_versioned_rust, power

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


def verdict(ratio):
    if ratio is None:
        return "-"
    if ratio < 1 - LEVEL:
        return f"{ratio:.2f} win"
    if ratio > 1 + LEVEL:
        return f"{ratio:.2f} LOSS"
    return f"{ratio:.2f} level"


def times(ratio):
    return "-" if ratio is None else f"{ratio:.2f}x"


def markdown(head, lines):
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    def text(cells):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"
    return "\n".join([text(head), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(text, lines)])


def summary(question, results, key, with_rust):
    """The cells that say how a row went: best rivals and ratios, as (title, text)."""
    rivals = [contender for contender, (_, role) in results.rows[key].items() if role == "rival"]
    def against_best(title, contenders):
        best = results.best(key, contenders)
        return [(title, "-" if best is None else short(best)), (f"ours / {title}", verdict(results.ratio(key, ours, best)))]
    ours = question.ours
    cells = against_best("best rival", [c for c in rivals if not is_rust(c)])
    cells += against_best("best Rust", filter(is_versioned_rust, rivals)) if with_rust else []
    cells += [("ours / limit", times(results.ratio(key, ours, question.limit))),
              ("ours / plf::colony", verdict(results.ratio(key, ours, "plf_colony")))]
    return cells + [(title, times(results.ratio(key, a, b))) for title, a, b in question.ratios]


def table(name, results, compact, no_rust):
    """One line a row and one column a contender; compact: the other way round, for a handful of rows on a narrow screen.
    no_rust: why there are no contenders in Rust, or None."""
    question = QUESTIONS[name]
    roles = {}
    for cells in results.rows.values():
        for contender, (_, role) in cells.items():
            roles.setdefault(contender, role)
    contenders = sorted(roles, key=lambda c: ({"limit": 0, "ours": 1, "rival": 2}.get(roles[c], 3), is_rust(c), c))
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


def geometric_mean(numbers):
    return math.exp(statistics.fmean(map(math.log, numbers)))


def table_of_means(name, question, results, contenders):
    """One line an operation, one column a contender: its mean over the sizes and the ratio to the mean of question.means_over."""
    base = question.means_over
    amounts = sorted({key[2] for key in results.rows})
    def rank(operation):
        kind = next((kind for kind in ("_string", "_poor_hash") if operation.endswith(kind)), "")
        plain = operation.removesuffix(kind)
        return (kind, KEYED_OPERATIONS.index(plain) if plain in KEYED_OPERATIONS else len(KEYED_OPERATIONS), plain)
    lines = []
    for operation in sorted({key[0] for key in results.rows}, key=lambda op: (len(rank(op)[0]), rank(op))):
        keys = sorted(key for key in results.rows if key[0] == operation)
        def mean(contender):
            values = [results.get(key, contender) for key in keys]
            return None if None in values else geometric_mean(values)
        line = [operation]
        for contender in contenders:
            value, reference = mean(contender), mean(base)
            ratio = "" if value is None or reference is None or contender == base else f" ({value / reference:.2f}x)"
            line.append(number(value) + ratio)
        lines.append(line)
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
    model = "unknown processor"
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return f"{model}, {results.context.get('num_cpus', '?')} cores, {', '.join(f'{c} -O3' for c in results.compilers)}"
