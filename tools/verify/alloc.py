# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Every container keeps the rules of allocators: each setting of propagate and equality, full and empty, equal and unequal.

    tools/verify/alloc.py [--quick] [--programs DIR]

The test cases [alloc] run the matrix of tests/support/whole.hpp: 16 settings (copy, move, swap, always equal) x copies, moves,
assignments, swap, assignment to itself x empty and full source and target x equal and unequal allocators, and check which allocator ends
where, the contents, whose memory it is, and what allocates. Their cases with memory resources, fancy pointers, allocators without a
default constructor and over-aligned elements run with them ([allocators]). It fails when a case fails, when a container of
CONTAINERS reports nothing, and when a setting or operation is left out.
"""
import collections

import proof
import sweeps

SETTINGS = 16
CONTAINERS = ("SlotMap", "DenseSlotMap", "BasicSoaSlotMap", "SecondaryMap", "SparseSecondaryMap", "IdentityMap", "KeySet", "SetStorage",
              "MapStorage", "BasicAnySetStorage", "BasicAnyMapStorage", "HashIndex", "TSSStorage", "TSDStorage")


def judge(lines, containers):
    """(settings, cases, containers); raises Failed with all that is wrong."""
    cases = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for line in lines:
        if line[0] == "alloc":
            _, container, setting, operation, count = line
            cases[container][setting][operation] += int(count)
    wrong = [f"{name}: no program reports it" for name in containers if name not in cases]
    for container, settings in sorted(cases.items()):
        if len(settings) != SETTINGS:
            wrong.append(f"{container}: {len(settings)} of {SETTINGS} settings")
        operations = {operation for counts in settings.values() for operation in counts}
        for setting, counts in sorted(settings.items()):
            wrong += [f"{container}, {setting}: no case of `{operation}`" for operation in sorted(operations) if not counts[operation]]
    if wrong:
        raise sweeps.Failed(*wrong)
    total = sum(count for settings in cases.values() for counts in settings.values() for count in counts.values())
    return SETTINGS, total, len(cases)


def main():
    options = sweeps.arguments(__doc__)

    def check():
        folder = options.programs or sweeps.build("alloc", sweeps.sources(r"alloc_matrix|\[allocators\]|failing_new\.hpp"))
        settings, total, containers = judge(sweeps.run(folder, "[allocators]", proof.BUILD / "alloc" / "report.txt"), CONTAINERS)
        return f"alloc: {settings} settings x {total // settings} cases over {containers} containers, 0 failures"

    return sweeps.main(check)


if __name__ == "__main__":
    raise SystemExit(main())
