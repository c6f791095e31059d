# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""--compare: what became faster or slower since an older file of --json, beyond noise.

A number changed when the ranges of its repetitions (10 to 90 %) do not overlap and the medians are more than 5 % apart. Of another
processor or compiler nothing is marked, but all contenders must compute the same, in both files. What differs from process to
process (where memory lies) is in no repetition: of 237 numbers of a build compared with itself on a busy machine, 7 were marked."""

import collections

from tools.questions import QUESTIONS
from tools.results import Results
from tools.tables import LEVEL, markdown, number, row_name, short, sorted_keys, times

UNCHANGED = "unchanged"
LEAST = 3  # repetitions below which nobody knows the noise
HEAD = ["row", "contender", "old", "new", "new / old", "change"]
Change = collections.namedtuple("Change", "question key contender old new state")


def same_machine(old, new):
    return all(a is not None and a == b for a, b in ((old.context.get("processor"), new.context.get("processor")),
                                                     (old.compilers, new.compilers)))


def change(old, new, exact):
    """"faster", "SLOWER" or UNCHANGED, of two Spreads."""
    if not exact and min(old.count, new.count) < LEAST:
        return UNCHANGED
    if new.high < old.low and new.median < old.median * (1 - LEVEL):
        return "faster"
    if new.low > old.high and new.median > old.median * (1 + LEVEL):
        return "SLOWER"
    return UNCHANGED


def changes(old, new):
    """Every number of ours that is in both {question: Results}."""
    found = []
    for name in [name for name in new if name in old]:
        before, now = old[name], new[name]
        for key in sorted_keys(QUESTIONS[name], now):
            exact = "memory" in (name, key[0])  # bytes and calls have no noise
            for contender, (_, role) in now.rows[key].items():
                a, b = before.spread(key, contender), now.spread(key, contender)
                if role == "ours" and a is not None:
                    state = change(a, b, exact) if same_machine(before, now) else UNCHANGED
                    found.append(Change(name, key, contender, a, b, state))
    return found


def lines_of(found, name):
    """Cells under HEAD: the rows of the contender that stands for ours, and of the others of ours those that changed."""
    return [[row_name(each.key), short(each.contender), number(each.old.median), number(each.new.median),
             times(each.new.median / each.old.median if each.old.median else None), "" if each.state == UNCHANGED else each.state]
            for each in found if each.question == name and (each.contender == QUESTIONS[name].ours or each.state != UNCHANGED)]


def told(old, new, found):
    """What was found, in words."""
    counts = collections.Counter(each.state for each in found)
    others = [name for name in new if name in old and not same_machine(old[name], new[name])]
    return ((f"Nothing is marked where processor or compiler is another one or not known: {', '.join(others)}. " if others else "")
            + f"{counts['faster']} rows faster, {counts['SLOWER']} slower, {counts[UNCHANGED]} unchanged; "
            f"times measured less than {LEAST} times count as unchanged.")


def disagreements(old, new):
    """Rows in which what contenders compute differs between the files, which may be of two processors."""
    for name in [name for name in new if name in old]:
        both = Results()
        for report in (*old[name].raw, *new[name].raw):
            both.add(report)
        yield from (f"CHECKSUM MISMATCH in {name}, {row_name(key)}: {sums}" for key, sums in both.mismatches)


def compare(old, new):
    """Prints what changed; whether all contenders of both computed the same."""
    found, wrong = changes(old, new), list(disagreements(old, new))
    for name in new:
        lines = lines_of(found, name)
        if lines:
            ours = short(QUESTIONS[name].ours)
            print(f"\n{name}, compared: {QUESTIONS[name].unit}; all rows of {ours}, and what changed of others\n")
            print(markdown(HEAD, lines))
    print("", *wrong, sep="\n")
    print(told(old, new, found))
    return not wrong
