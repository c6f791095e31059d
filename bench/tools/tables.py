# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Results as tables in Markdown, with a verdict for each row, and what changed since older ones."""

import statistics

from tools.results import QUESTIONS, ROOT, Means, Results, geometric_mean, is_rust, is_versioned_rust, power

LEVEL = 0.05  # ratios closer to 1 than this are called level
LEAST = 3  # repetitions below which nobody knows the noise

NAMES = {"unordered_map": "unordered_map", "unordered_map_of_counter": "unordered_map, a counter as key", "boost_flat_map": "boost flat_map", "boost_hub": "boost hub",
         "ankerl_map": "ankerl map", "EnTT_group": "EnTT, group", "boost_hub_unchecked": "boost hub unchecked", "plf_colony": "plf::colony",
         "plf_colony_unchecked": "plf::colony unchecked", "robin_map": "tsl::robin_map", "hopscotch_map": "tsl::hopscotch_map", "absl_flat_hash_map": "absl::flat_hash_map",
         "absl_node_hash_map": "absl::node_hash_map", "vector_per_field": "vector a field", "by_hand": "sets kept by hand",
         "slotwise_map_boost_index": "boost index", "slotwise_map_robin_index": "robin index", "slotwise_map_portable_index": "portable index", "rust_slotmap": "Rust SlotMap",
         "rust_hop_slotmap": "Rust HopSlotMap", "rust_dense_slotmap": "Rust DenseSlotMap", "rust_secondary_map": "Rust SecondaryMap"}


def short(contender):
    name, _, part = contender.partition(".")
    name = NAMES.get(name, name.replace("slotwise_map", "MapStorage").replace("rust_", "Rust ").replace("_", " "))
    return f"{name} ({part.replace('free_list', 'free-list').replace('_', ' ')})" if part else name


def number(value):
    return "-" if value is None else f"{value:.2f}" if value < 0.995 else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def times(ratio):
    return "-" if ratio is None else f"{ratio:.2f}x"


def markdown(head, lines):
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    def text(cells):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"
    return "\n".join([text(head), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(text, lines)])


def show(name, about, head, lines, absent=()):
    print("\n".join([f"\n{name}: {about}\n", markdown(head, lines), *(f"\n{each}" for each in absent)]))


def row_name(key):
    """In words: "lookup, 16 B, n = 1e5"."""
    return ", ".join([key[0], f"{key[1]} B", *([f"n = {power(key[2])}"] if key[2] is not None else []), *([f"{key[3]} % live"] if key[3] is not None else [])])


def roles_of(results):
    """{contender: role}, in the order of the columns of a table."""
    roles = {contender: role for cells in results.rows.values() for contender, (_, role) in cells.items()}
    return dict(sorted(roles.items(), key=lambda item: (["limit", "ours", "rival", item[1]].index(item[1]), is_rust(item[0]), item[0])))


def sorted_keys(results):
    """By size of the elements, 16 bytes first, then operations as the programs have them."""
    operations = list(dict.fromkeys(key[0] for key in results.rows))
    return sorted(results.rows, key=lambda key: (key[1] != 16, key[1], operations.index(key[0]), key[2] or 0, -(key[3] or 0)))


def verdicts(question, results, key, with_rust):
    """{title: text} of how a row went."""
    rivals = [contender for contender, (_, role) in results.rows[key].items() if role == "rival"]
    asked, cells = {"best rival": [each for each in rivals if not is_rust(each)]}, {}  # to Rust it is a ratio between two processes
    if with_rust:
        asked["best Rust"] = list(filter(is_versioned_rust, rivals))
    for title, contenders in asked.items():
        best = results.best(key, contenders)
        ratio = results.ratio(key, question.ours, best)
        state = "" if ratio is None else " win" if ratio < 1 - LEVEL else " LOSS" if ratio > 1 + LEVEL else " level"
        cells |= {title: "-" if best is None else short(best), f"ours / {title}": "-" if ratio is None else f"{ratio:.2f}{state}"}
    return cells | {title: times(results.ratio(key, a, b)) for title, a, b in [(f"ours / {short(question.limit)}", question.ours, question.limit), *question.ratios]}


def table(name, results, no_rust):
    """Prints a line a row, or a line a contender when there are few rows. no_rust: why there are no contenders in Rust, or None."""
    question, roles = QUESTIONS[name], roles_of(results)
    title = f"{question.unit}; ours = {short(question.ours)}"
    if question.means_over is not None:
        title += f"; geometric means over n = {', '.join(map(power, sorted({key[2] for key in results.rows})))}, in parentheses the ratio to {short(question.means_over)}"
        results = Means(results)

    def cell(key, contender):
        ratio = None if question.means_over in (None, contender) else results.ratio(key, contender, question.means_over)
        return number(results.get(key, contender)) + ("" if ratio is None else f" ({ratio:.2f}x)")
    lines = {key: verdicts(question, results, key, any(map(is_rust, roles))) for key in sorted_keys(results)}
    head, *rows = [["row", *next(iter(lines.values())), *(f"{role}: {short(contender)}" for contender, role in roles.items())],
                   *([row_name(key), *told.values(), *(cell(key, contender) for contender in roles)] for key, told in lines.items())]
    if len(rows) < 8:
        head, *rows = zip(head, *rows)
    show(name, title, head, rows)
    if any(map(is_rust, roles)):
        print("\nRatios to Rust are between two processes that took turns; \"best Rust\" leaves out slab, whose keys have no version.")
    elif (ROOT / "bench" / "rust" / "src" / "bin" / f"bench_{name}.rs").is_file():
        print(f"\nThe Rust crates are absent: {no_rust}.")


def machine(results):
    """Of the reports: they may have been made elsewhere."""
    return (f"{results.context.get('processor', 'unknown processor')}, {results.context.get('num_cpus', '?')} cores, "
            f"{', '.join(results.compilers)}{'' if results.context.get('question') == 'compile' else ' -O3'}")


#=== --compare ===#

def spread(values):
    """(median, what 10 % and what 90 % of the repetitions are below)"""
    tenths = statistics.quantiles(values, n=10, method="inclusive") if len(values) > 1 else values
    return statistics.median(values), tenths[0], tenths[-1]


def changes(name, old, new, known):
    """(key, contender, old and new median, state) of every number of ours in both Results of a question; "" is no change, as all are when processor
    or compiler is another one or not known."""
    for key in sorted_keys(new):
        for contender, (_, role) in new.rows[key].items():
            before, now = old.samples.get(key, {}).get(contender, [()])[0], new.samples[key][contender][0]
            if role == "ours" and before:
                (a, a_low, a_high), (b, b_low, b_high) = spread(before), spread(now)
                sure = known and ("memory" in (name, key[0]) or min(len(before), len(now)) >= LEAST)  # bytes and calls have no noise
                faster, slower = b_high < a_low and b < a * (1 - LEVEL), b_low > a_high and b > a * (1 + LEVEL)
                yield key, contender, a, b, "faster" if sure and faster else "SLOWER" if sure and slower else ""


def compare(old, new):
    """Prints what became faster or slower since an older {question: Results}; whether all contenders of both computed the same.

    A number changed when the ranges of its repetitions (10 to 90 %) do not overlap and the medians are more than 5 % apart. What differs from
    process to process (where memory lies) is in no repetition: of 237 numbers of a build compared with itself on a busy machine, 7 were marked."""
    found, wrong = [], []
    for name in [name for name in new if name in old]:
        processors = [results.context.get("processor") for results in (old[name], new[name])]
        known = None not in processors and len(set(processors)) == 1 and old[name].compilers == new[name].compilers
        here, both = list(changes(name, old[name], new[name], known)), Results()
        found += here
        lines = [[row_name(key), short(contender), number(a), number(b), times(b / a if a else None), state] for key, contender, a, b, state in here if state]
        if lines:
            show(f"{name}, compared", QUESTIONS[name].unit, ["row", "contender", "old", "new", "new / old", "change"], lines)
        elif not known:
            print(f"\n{name}: nothing is marked, because processor or compiler is another one or not known.")
        for report in (*old[name].raw, *new[name].raw):
            both.add(report)
        wrong += [f"CHECKSUM MISMATCH in {name}, {row_name(key)}: {sums}" for key, sums in both.mismatches]
    states, ratios = [state for *_, state in found], [b / a for _, _, a, b, _ in found if a and b]
    print("", *wrong, sep="\n")
    print(f"{states.count('faster')} rows faster, {states.count('SLOWER')} slower, {states.count('')} unchanged; times measured less than {LEAST} times "
          f"count as unchanged. New / old of {len(ratios)} rows, geometric mean: {geometric_mean(ratios or [1]):.3f}")
    return not wrong
