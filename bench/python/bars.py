#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Milliseconds of the Python package beside dict, NumPy, pandas and Polars: usage: bars.py [--rows N] [--rounds N] [QUESTION...]

Questions: fill, lookup, get_many, tick, export, snapshot, world, import; without any, all. The contenders of a question take turns, and the
median of each counts. Behind a figure of slotwise stands its bar, and MISSED where it is above it. Bars are for a million rows. It needs
slotwise, pandas, Polars and pyarrow.
"""

import argparse
import gc
import pickle
import statistics
import subprocess
import sys
import time

if "--help" in sys.argv[1:]:
    print(__doc__)
    sys.exit()
try:
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import slotwise as sw
except ImportError as missing:
    sys.exit(f"{missing.name} is not here; the long form of tools/dev python installs it into build/python/venv")

FIELDS = {"bid": "f8", "ask": "f8", "size": "i4", "at": "datetime64[ns]", "venue": str}
random = np.random.default_rng(1)


def timed(make):
    """A contender whose result is freed when the clock stands."""

    def run():
        start = time.perf_counter()
        made = make()
        taken = time.perf_counter() - start
        del made
        return taken

    return run


class Bench:
    def __init__(self, rows, rounds):
        self.rows, self.rounds, self.missed = rows, rounds, 0

    def show(self, title, contenders, bars=None, rounds=None):
        """Runs {name: function} in turns. A function may return seconds that it measured itself. @param bars {name: milliseconds, or
        (times, name of another)}"""
        taken = {name: [] for name in contenders}
        gc.collect()
        for _ in range(rounds or self.rounds):
            for name, run in contenders.items():
                start = time.perf_counter()
                seconds = run()
                taken[name].append(seconds if isinstance(seconds, float) else time.perf_counter() - start)
        median = {name: 1e3 * statistics.median(each) for name, each in taken.items()}
        print(title)
        for name, ms in median.items():
            note = ""
            if bar := (bars or {}).get(name):
                most = bar if not isinstance(bar, tuple) else bar[0] * median[bar[1]]
                said = f"{most:g} ms" if not isinstance(bar, tuple) else f"{bar[0]:g} times {bar[1]}: {ms / median[bar[1]]:.2f} times"
                self.missed += ms > most
                note = f"   bar {said}{'   MISSED' if ms > most else ''}"
            print(f"    {name:34}{ms:10.3f} ms{note}", flush=True)

    def keys(self):
        """Keys of both kinds, and values."""
        ints = random.permutation(self.rows).astype(np.int64) * 7
        return {"ints in order": (int, pa.array(np.arange(self.rows))), "ints, shuffled": (int, pa.array(ints)),
                "texts, shuffled": (str, pa.array([f"XS{number}" for number in ints.tolist()]))}, np.arange(self.rows, dtype="f8")

    def record(self, keys):
        rows = len(keys)
        return pa.table({"key": keys, "bid": random.random(rows), "ask": random.random(rows), "size": np.arange(rows, dtype="i4"),
                         "at": pa.array(np.arange(rows), pa.timestamp("ns")), "venue": pa.array((["eurex", "ice"] * rows)[:rows])})

    def fill(self):
        keys, values = self.keys()
        for name, (kind, column) in keys.items():
            table = pa.table({"key": column, "value": values})
            one = column[:1].to_pylist()
            self.show(f"a map of {self.rows} {name} from Arrow", {
                "slotwise": timed(lambda: sw.Map(table, key=kind, value=float)),
                "dict": timed(lambda: dict(zip(table["key"].to_pylist(), table["value"].to_pylist()))),
                "pandas, set_index and a lookup": timed(lambda: (frame := table.to_pandas().set_index("key"), frame.index.get_indexer(one))),
            }, {"slotwise": 40 if kind is int else 150})

    def lookup(self):
        keys, values = self.keys()
        for name, (kind, column) in keys.items():
            plain = dict(zip(column.to_pylist(), values.tolist()))
            table = sw.Map(plain)

            def loop(m, looked):
                start = time.perf_counter()
                for key in looked:
                    m[key]
                return time.perf_counter() - start

            for order, looked in (("as inserted", list(plain)), ("at random", random.permutation(np.array(list(plain), dtype=object)).tolist())):
                self.show(f"m[key] of {self.rows} {name}, {order}", {"slotwise": lambda: loop(table, looked), "dict": lambda: loop(plain, looked)},
                          {"slotwise": (1.5, "dict")})

    def get_many(self):
        keys, values = self.keys()
        for name, (kind, column) in keys.items():
            table = sw.Map(pa.table({"key": column, "value": values}), key=kind, value=float)
            asked = column.take(pa.array(random.permutation(self.rows)))
            listed = asked.to_pylist()
            asked = asked.to_numpy() if kind is int else asked
            plain, series = dict(zip(column.to_pylist(), values.tolist())), pd.Series(values, index=column.to_pandas())
            frame, wanted = pl.DataFrame({"key": column, "value": values}), pl.DataFrame({"key": asked})
            contenders = {
                "slotwise": lambda: table.get_many(asked),
                "dict": lambda: np.array([plain[key] for key in listed]),
                "pandas, reindex": lambda: series.reindex(asked if kind is int else listed).to_numpy(),
                "Polars, left join": lambda: wanted.join(frame, on="key", how="left", maintain_order="left")["value"].to_numpy(),
            }
            answers = [run() for run in contenders.values()]
            assert all(np.array_equal(answers[0], answer) for answer in answers)
            self.show(f"{self.rows} random keys at once, {name}", contenders, {"slotwise": 60} if kind is int else None, max(3, self.rounds // 2))

    def tick(self):
        names = np.array([f"XS{number}" for number in range(self.rows)], dtype=object)
        ticks, updates = 24, min(10_000, self.rows)
        whole = self.record(pa.array(names))
        batches = [self.record(pa.array(names[random.choice(self.rows, updates, replace=False)])) for _ in range(ticks)]
        series = sw.Series(key=str, value=FIELDS)
        series.update(whole, time=0)
        series.capture()
        fields = whole.column_names[1:]
        plain = dict(zip(names.tolist(), zip(*(whole[name].to_pylist() for name in fields[:3]))))
        base, frame, clock = dict(plain), whole.to_pandas().set_index("key"), iter(range(1, 10**9))

        def ours():
            now = next(clock)
            batch = batches[now % ticks]
            start = time.perf_counter()
            series.update(batch, time=now)
            delta = series.capture().to_arrow()
            taken = time.perf_counter() - start
            assert delta.num_rows == updates
            return taken

        def dicts():
            batch = batches[next(clock) % ticks]
            start = time.perf_counter()
            touched = batch["key"].to_pylist()
            plain.update(zip(touched, zip(*(batch[name].to_pylist() for name in fields[:3]))))
            changed = [(key, *plain[key]) for key in touched if plain[key] != base[key]]
            base.update((key, plain[key]) for key in touched)
            pa.table(dict(zip(("key", *fields), map(list, zip(*changed)))))
            return time.perf_counter() - start

        def pandas():
            batch = batches[next(clock) % ticks]
            start = time.perf_counter()
            new = batch.to_pandas().set_index("key")
            at = frame.index.get_indexer(new.index)
            changed = np.zeros(len(at), bool)
            for name in fields:
                changed |= frame[name].to_numpy()[at] != new[name].to_numpy()
                frame.iloc[at, frame.columns.get_loc(name)] = new[name].to_numpy()
            pa.Table.from_pandas(new[changed])
            return time.perf_counter() - start

        self.show(f"{updates} updates of five fields among {self.rows} keys, and their net delta as a frame",
                  {"slotwise": ours, "dict, of three fields": dicts, "pandas": pandas}, {"slotwise": 2.5}, 4 * self.rounds)

    def export(self):
        keys = np.arange(self.rows)
        table = sw.Map(key=int, value={"bid": "f8", "ask": "f8", "size": "i4"})
        table.update(keys, {"bid": random.random(self.rows), "ask": random.random(self.rows), "size": keys.astype("i4")})
        frame, polars = table.to_pandas(), table.to_polars()
        self.show(f"{self.rows} rows without holes to Arrow",
                  {"slotwise": timed(table.to_arrow), "pandas": timed(lambda: pa.Table.from_pandas(frame)), "Polars": timed(polars.to_arrow)}, {"slotwise": 0.2})

    def snapshot(self):
        keys, values = self.keys()
        for name, (kind, column) in keys.items():
            source = pa.table({"key": column, "value": values})
            table, series = sw.Map(source, key=kind, value=float), sw.Series(key=kind, value=float)
            series.update(source, time=1)
            plain, back, other = dict(zip(column.to_pylist(), values.tolist())), sw.Map(key=kind, value=float), sw.Series(key=kind, value=float)
            data, kept, pickled = table.snapshot(), series.snapshot(), pickle.dumps(plain)
            self.show(f"snapshot of {self.rows} {name}: {len(data) >> 20} MiB, of a series {len(kept) >> 20} MiB", {
                "memcpy": timed(lambda: bytearray(data)), "memcpy of the series": timed(lambda: bytearray(kept)), "slotwise": timed(table.snapshot),
                "slotwise, Series": timed(series.snapshot), "dict, pickled": timed(lambda: pickle.dumps(plain))},
                {"slotwise": (1.5, "memcpy"), "slotwise, Series": (1.5, "memcpy of the series")})
            self.show(f"restore of {self.rows} {name}", {
                "slotwise": lambda: back.restore(data), "slotwise, Series": lambda: other.restore(kept), "dict, pickled": timed(lambda: pickle.loads(pickled))},
                {"slotwise": 100, "slotwise, Series": 100})

    def world(self):
        xs, ys = random.random(self.rows, dtype="f4"), random.random(self.rows, dtype="f4")

        def spawned():
            world = sw.World()
            position, velocity = (world.component(name, {"x": "f4", "y": "f4"}) for name in ("position", "velocity"))
            world.spawn_many(self.rows, {position: {"x": xs, "y": ys}, velocity: {"x": ys, "y": xs}})
            return world, position, velocity

        self.show(f"{self.rows} entities of two components from columns",
                  {"slotwise": timed(spawned), "NumPy, four copies": timed(lambda: [each.copy() for each in (xs, ys, ys, xs)])}, {"slotwise": 50})
        world, position, velocity = spawned()
        x, y, dx, dy = xs.copy(), ys.copy(), ys.copy(), xs.copy()
        frame = pl.DataFrame({"x": xs, "y": ys, "dx": ys, "dy": xs})
        step = np.float32(0.1)

        def ours():
            for chunk in world.query(position, velocity.const):
                here, moved = chunk[position], chunk[velocity.const]
                here.x += moved.x * step
                here.y += moved.y * step

        def arrays():
            nonlocal x, y
            x += dx * step
            y += dy * step

        def polars():
            nonlocal frame
            frame = frame.with_columns(x=pl.col("x") + pl.col("dx") * step, y=pl.col("y") + pl.col("dy") * step)

        self.show(f"one update of {self.rows} entities", {"slotwise": ours, "plain arrays": arrays, "Polars": polars},
                  {"slotwise": (1.05, "plain arrays")}, 4 * self.rounds)

    def imports(self):
        def run(name):
            code = f"import sys, time, numpy; sys.path[:0] = {sys.path!r}; t = time.perf_counter(); import {name}; print(time.perf_counter() - t)"
            return lambda: float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)

        self.show("import, beyond numpy", {"slotwise": run("slotwise"), "pandas": run("pandas"), "Polars": run("polars")}, {"slotwise": 60})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("questions", nargs="*")
    given = parser.parse_args()
    bench = Bench(given.rows, given.rounds)
    known = {"fill": bench.fill, "lookup": bench.lookup, "get_many": bench.get_many, "tick": bench.tick, "export": bench.export,
             "snapshot": bench.snapshot, "world": bench.world, "import": bench.imports}
    if unknown := [question for question in given.questions if question not in known]:
        parser.error(f"no question {unknown[0]}; there are {', '.join(known)}")
    for question in given.questions or known:
        known[question]()
    print(f"bars missed: {bench.missed}")


if __name__ == "__main__":
    main()
