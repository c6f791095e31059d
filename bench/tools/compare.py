# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""--compare: what became faster or slower since an older file of --json, beyond noise.

A number changed when the ranges of its repetitions (10 to 90 %) do not overlap and the medians are more than 5 % apart. The same is
asked of its ratio to a reference in the same row: the question's limit, or else another contender that is not ours. On another
processor or compiler the ratio alone decides: a slower machine is no regression. On the same one both must have changed, alike:
otherwise it was the reference that moved, or the machine was busy. What differs from process to process (where memory lies) is in no
repetition: of 237 numbers of a build compared with itself on a busy machine, 7 were marked."""

import collections
import math

from tools.questions import QUESTIONS
from tools.results import Spread
from tools.tables import LEVEL, markdown, number, operation_order, order, roles_of, row_name, short, times

UNCHANGED = "unchanged"
Change = collections.namedtuple("Change", "question key contender old new ratio to_reference reference state")


LEAST = 3  # repetitions below which nobody knows the noise


def counted(question, key):
    """Whether a row's numbers are bytes or calls, which have no noise."""
    return "memory" in (question, key[0])


def change(old, new, exact):
    """"faster", "SLOWER" or UNCHANGED, of two Spreads."""
    if not exact and min(old.count, new.count) < LEAST:
        return UNCHANGED
    if new.high < old.low and new.median < old.median * (1 - LEVEL):
        return "faster"
    if new.low > old.high and new.median > old.median * (1 + LEVEL):
        return "SLOWER"
    return UNCHANGED


def divided(ours, reference):
    """The Spread of a ratio of independent numbers: their relative deviations add up as squares do."""
    ratio = ours.median / reference.median
    def deviation(side):
        return math.hypot(*(getattr(spread, side) / spread.median - 1 if spread.median else 0 for spread in (ours, reference)))
    return Spread(ratio, ratio * (1 - deviation("low")), ratio * (1 + deviation("high")), min(ours.count, reference.count))


def same_machine(old, new):
    return all(a is not None and a == b for a, b in ((old.context.get("processor"), new.context.get("processor")),
                                                     (old.compilers, new.compilers)))


def reference_of(question, old, new, key):
    """The contender that a row's numbers are divided by, or None."""
    both = [c for c in old.rows[key] if new.get(key, c) and old.get(key, c)]
    foreign = sorted((c for c in both if old.rows[key][c][1] != "ours"), key=lambda c: (old.rows[key][c][1] != "limit", old.get(key, c)))
    return next((c for c in (question.limit, question.means_over, *foreign) if c in both), None)


def changes(old, new):
    """Every number of ours that is in both {question: Results}."""
    found = []
    for name, results in new.items():
        before, question = old.get(name), QUESTIONS[name]
        keys = [] if before is None else [key for key in results.rows if key in before.rows]
        for key in sorted(keys, key=order if question.means_over is None else operation_order):
            reference = reference_of(question, before, results, key)
            for contender, (_, role) in results.rows[key].items():
                if role != "ours" or before.get(key, contender) is None:
                    continue
                a, b = before.spread(key, contender), results.spread(key, contender)
                state, to_reference = change(a, b, counted(name, key)), None
                if reference not in (None, contender):
                    x, y = divided(a, before.spread(key, reference)), divided(b, results.spread(key, reference))
                    to_reference = y.median / x.median if x.median else None
                    relative = change(x, y, counted(name, key))
                    state = relative if relative == state or not same_machine(before, results) else UNCHANGED
                found.append(Change(name, key, contender, a, b, b.median / a.median if a.median else None, to_reference, reference, state))
    return found


def count_of(found):
    counts = collections.Counter(each.state for each in found)
    return f"{counts['faster']} rows faster, {counts['SLOWER']} slower, {counts[UNCHANGED]} unchanged."


HEAD = ["row", "contender", "old", "new", "new / old", "relative to", "change"]


def lines_of(found, name):
    """Cells under HEAD: the rows of the contender that stands for ours, and of the others of ours those that changed."""
    return [[row_name(each.key), short(each.contender), number(each.old.median), number(each.new.median), times(each.ratio),
             "-" if each.to_reference is None else f"{times(each.to_reference)} ({short(each.reference)})",
             "" if each.state == UNCHANGED else each.state]
            for each in found if each.question == name and (each.contender == QUESTIONS[name].ours or each.state != UNCHANGED)]


def notes(old, new, found):
    """What a reader of the numbers must know, as sentences."""
    said = []
    if any(name in old and not same_machine(old[name], results) for name, results in new.items()):
        said.append("The processor or the compiler is another one, or not known: only ratios to the reference count.")
    for words, a, b in (("only in the new file", new, old), ("only in the old file", old, new)):
        alone = sum(1 for name, results in a.items() for key in results.rows if name not in b or key not in b[name].rows)
        if alone:
            said.append(f"{alone} rows are {words}.")
    few = sum(1 for each in found if min(each.old.count, each.new.count) < LEAST and not counted(each.question, each.key))
    if few:
        said.append(f"{few} times were measured less than {LEAST} times: their noise is not known, and they count as unchanged.")
    return said


def compare(old, new):
    found = changes(old, new)
    for name in new:
        lines = lines_of(found, name)
        if lines:
            ours = [c for c, role in roles_of(new[name]).items() if role == "ours" and c != QUESTIONS[name].ours]
            print(f"\n{name}, compared: {QUESTIONS[name].unit}; every row of {short(QUESTIONS[name].ours)}"
                  f"{f', and what changed of {len(ours)} others of ours' if ours else ''}\n")
            print(markdown(HEAD, lines))
    print("\n" + "\n".join([*notes(old, new, found), count_of(found)]))
