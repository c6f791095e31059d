#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Milliseconds to update a map of a million rows from Arrow, beside a loop over the items of a dict: usage: update.py [ROWS]

It needs slotwise and pyarrow. The contenders alternate, and the best of each counts. The limit is a loop that writes into a dict.
"""

import sys
import time

if "--help" in sys.argv[1:]:
    print(__doc__)
    sys.exit()
try:
    import numpy as np
    import pyarrow as pa
    import slotwise
except ImportError as missing:
    sys.exit(f"{missing.name} is not here; tools/dev python installs it into build/python/venv")


def measure(contenders, rounds=5):
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], 1e3 * (time.perf_counter() - start))
    return best


def main(rows=1_000_000):
    random = np.random.default_rng(1)
    values = np.arange(rows, dtype=np.float64)
    scattered = random.integers(0, 2**63, rows).astype(np.uint64)
    numbers = np.arange(rows, dtype=np.uint64)
    names = pa.array([f"XS{number}" for number in range(rows)])
    order = random.permutation(rows)
    for title, cls, keys, writes in (("uint64 in order", slotwise.UInt64Float64Map, numbers, numbers),
                                     ("uint64 shuffled", slotwise.UInt64Float64Map, numbers, numbers[order]),
                                     ("any uint64, shuffled", slotwise.UInt64Float64Map, scattered, scattered[order]),
                                     ("texts, shuffled", slotwise.StrFloat64Map, names, names.take(pa.array(order)))):
        table, written = cls(), pa.table({"key": writes, "value": values})
        table.update(pa.table({"key": keys, "value": values}))
        pairs = dict(zip(written["key"].to_pylist(), values.tolist()))
        plain = dict(pairs)

        def loop(into):
            for key, value in pairs.items():
                into[key] = value

        best = measure({"update(Arrow)": lambda: table.update(written), "update(dict)": lambda: table.update(pairs),
                        "loop": lambda: loop(table), "loop into a dict": lambda: loop(plain)})
        print(f"{title:22}" + ", ".join(f"{name} {ms:.0f} ms" for name, ms in best.items()) +
              f": {best['loop'] / best['update(Arrow)']:.1f} times a loop", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
