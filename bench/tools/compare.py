# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""--compare: what became faster or slower since an older file of --json, beyond noise.

A number changed when the ranges of its repetitions (10 to 90 %) do not overlap and the medians are more than 5 % apart. Of another
processor or compiler nothing is marked, but all contenders must compute the same, in both files. What differs from process to
process (where memory lies) is in no repetition: of 237 numbers of a build compared with itself on a busy machine, 7 were marked."""

from tools.questions import QUESTIONS
from tools.results import Results, geometric_mean
from tools.tables import LEVEL, markdown, number, row_name, short, sorted_keys, times

LEAST = 3  # repetitions below which nobody knows the noise


def same_machine(old, new):
    return all(a is not None and a == b for a, b in ((old.context.get("processor"), new.context.get("processor")),
                                                     (old.compilers, new.compilers)))


def changes(name, old, new):
    """(key, contender, old and new Spread, state) of every number of ours in both Results of a question; the state is "" when it did not change."""
    for key in sorted_keys(new):
        for contender, (_, role) in new.rows[key].items():
            a, b = old.spread(key, contender), new.spread(key, contender)
            if role == "ours" and a is not None:
                known = same_machine(old, new) and ("memory" in (name, key[0]) or min(a.count, b.count) >= LEAST)  # bytes and calls have no noise
                faster, slower = b.high < a.low and b.median < a.median * (1 - LEVEL), b.low > a.high and b.median > a.median * (1 + LEVEL)
                yield key, contender, a, b, "faster" if known and faster else "SLOWER" if known and slower else ""


def disagreements(old, new):
    """Rows in which what contenders compute differs between the files, which may be of two processors."""
    both = Results()
    for report in (*old.raw, *new.raw):
        both.add(report)
    return both.mismatches


def compare(old, new):
    """Prints what changed of {question: Results}; whether all contenders of both computed the same."""
    states, ratios, wrong = [], [], []
    for name in [name for name in new if name in old]:
        found = list(changes(name, old[name], new[name]))
        states += [state for *_, state in found]
        ratios += [b.median / a.median for _, _, a, b, _ in found if a.median and b.median]
        lines = [[row_name(key), short(contender), number(a.median), number(b.median), times(b.median / a.median if a.median else None), state]
                 for key, contender, a, b, state in found if state]
        if lines:
            print(f"\n{name}, compared: {QUESTIONS[name].unit}\n\n" + markdown(["row", "contender", "old", "new", "new / old", "change"], lines))
        if not same_machine(old[name], new[name]):
            print(f"\n{name}: nothing is marked, because processor or compiler is another one or not known.")
        wrong += [f"CHECKSUM MISMATCH in {name}, {row_name(key)}: {sums}" for key, sums in disagreements(old[name], new[name])]
    print("", *wrong, sep="\n")
    print(f"{states.count('faster')} rows faster, {states.count('SLOWER')} slower, {states.count('')} unchanged; times measured less than {LEAST} "
          f"times count as unchanged. New / old of {len(ratios)} rows, geometric mean: {geometric_mean(ratios or [1]):.3f}")
    return not wrong
