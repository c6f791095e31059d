#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Runs the meadows of world.py, keeps a frame of each tick as Arrow tables, asks DuckDB about them, and draws the answers.

    usage: frames.py [--ticks N] [--seed N] [--out FILE.png]

It needs slotwise (`pip install .` in a checkout), pyarrow, duckdb and matplotlib. It ends in a check of what it has computed.
"""

import argparse
import contextlib
import sys
import time

if __name__ == "__main__" and "--help" in sys.argv[1:]:
    print(__doc__)
    sys.exit()
try:
    import numpy as np
    import pyarrow as pa
    import slotwise
except ImportError as missing:
    if __name__ != "__main__":
        raise
    print(f"left out: {missing.name} is not here; python3 -m pip install numpy pyarrow, and slotwise from a checkout")
    sys.exit(77)
from world import KINDS, SIZE, World  # noqa: E402

# What an entity has: a body and an energy, by the entity's handle.
SNAPSHOT = """
    SELECT kind, x, y, dx, dy, energy.value AS energy FROM bodies JOIN energy ON energy.key = handle ORDER BY energy"""
CENSUS = """
    SELECT bodies.tick, kind, count(*) AS count, sum(energies.value) AS energy
    FROM bodies JOIN energies ON energies.tick = bodies.tick AND energies.key = handle GROUP BY ALL ORDER BY ALL"""
# A handle never names another entity, so that it is a key for all times.
LIVES = """
    SELECT kind, key, min(time) FILTER (op = 1) AS born, min(time) FILTER (op = 3) AS died
    FROM changes JOIN (SELECT DISTINCT handle AS key, kind FROM bodies) USING (key) GROUP BY ALL"""
BALANCE = """
    SELECT count(*) AS off FROM (
        SELECT tick, kind, count - lag(count) OVER (PARTITION BY kind ORDER BY tick)
            - (SELECT count(*) FROM lives WHERE lives.kind = census.kind AND born = tick)
            + (SELECT count(*) FROM lives WHERE lives.kind = census.kind AND died = tick) AS off
        FROM census) WHERE off <> 0"""
SURVIVAL = """
    SELECT kind, age, (SELECT count(*) FROM lives l WHERE l.kind = s.kind AND l.born > 0 AND l.born + age <= {last}
                           AND (died IS NULL OR died - born > age))
        / (SELECT count(*) FROM lives l WHERE l.kind = s.kind AND l.born > 0 AND l.born + age <= {last})::DOUBLE AS alive
    FROM (SELECT DISTINCT kind FROM lives) s, range(0, {ages}, 2) r(age) ORDER BY ALL"""


class Run:
    """A world that was stepped: its frames, one a tick, and its deltas as they would be sent to another machine."""

    def __init__(self, ticks, seed, progress=lambda ticks: None):
        self.world = World(seed)
        self.deltas = [self.world.energy.capture()]
        self.frames = [self.world.frame()]
        self.first_energy = self.frames[0].energy["value"].to_pylist()
        for _ in range(ticks):
            self.deltas.append(self.world.step())
            self.frames.append(self.world.frame())
            progress(1)

    def over_time(self, component):
        """A component of all frames as one table, with the tick."""
        return pa.concat_tables(
            getattr(frame, component).append_column("tick", pa.array(np.full(getattr(frame, component).num_rows, frame.tick)))
            for frame in self.frames
        )

    def changes(self):
        return pa.concat_tables(pa.table(delta).replace_schema_metadata() for delta in self.deltas)

    def check(self):
        """Yields what does not hold."""
        if self.frames[0].energy["value"].to_pylist() != self.first_energy:
            yield "a frame keeps what it shows while the world goes on"
        replica = slotwise.Series(key="u8", value=float)
        for delta in self.deltas:
            table = pa.table(delta)
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, table.schema) as writer:
                writer.write_table(table)
            if replica.apply(pa.ipc.open_stream(sink.getvalue())) != slotwise.Applied.done:
                yield f"the delta of tick {delta.until} follows the one before"
        if replica != self.world.energy:
            yield "a replica that follows by deltas equals the world"
        last = self.frames[-1]
        if not len(self.world.bodies) == last.bodies.num_rows == last.energy.num_rows:
            yield "each entity has a body and an energy"


def ask(run, shown, ages):
    """The answers of DuckDB as arrays by column. @param shown the ticks of the snapshots @param ages of the survival"""
    import duckdb

    database = duckdb.connect()

    def query(text):
        return database.sql(text).fetchnumpy()

    tables = {"bodies": run.over_time("bodies"), "energies": run.over_time("energy"), "changes": run.changes()}
    for name, table in tables.items():
        database.register(name, table)  # read where it lies
    for name, text in (("census", CENSUS), ("lives", LIVES)):
        database.execute(f"CREATE TABLE {name} AS {text}")
    answers = {"census": query("FROM census"), "off": query(BALANCE)["off"].tolist(), "snapshots": {},
               "survival": query(SURVIVAL.format(last=run.frames[-1].tick, ages=ages)),
               "rows": sum(table.num_rows for table in tables.values())}
    for tick in shown:
        frame = run.frames[tick]
        for name in ("bodies", "energy"):
            database.register(name, getattr(frame, name))
        answers["snapshots"][tick] = query(SNAPSHOT)
    return answers


def draw(run, answers, file):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.colors import LinearSegmentedColormap

    ink, paper, panel = "#e8e6df", "#14181d", "#1b2027"
    colours = ("#6fae5a", "#f2c14e", "#ef5b3f")
    hunger = LinearSegmentedColormap.from_list("hunger", ["#8a5a2b", colours[1], "#fff6d5"])
    plt.rcParams.update({"text.color": ink, "axes.labelcolor": ink, "xtick.color": ink, "ytick.color": ink, "axes.edgecolor": "#4a525c",
                         "axes.facecolor": panel, "figure.facecolor": paper, "font.size": 10, "axes.titlesize": 11,
                         "axes.titlelocation": "left"})
    snapshots, census, survival = answers["snapshots"], answers["census"], answers["survival"]
    figure = plt.figure(figsize=(16, 8.2), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)
    upper, lower = figure.subfigures(2, 1, height_ratios=[1.2, 1])
    for axes, (tick, seen) in zip(upper.subplots(1, len(snapshots), squeeze=False)[0], snapshots.items()):
        plants, grazers, hunters = ({name: values[seen["kind"] == kind] for name, values in seen.items()} for kind in range(3))
        axes.scatter(plants["x"], plants["y"], s=3.5, color=colours[0], alpha=0.6, linewidths=0)
        dots = axes.scatter(grazers["x"], grazers["y"], s=9, c=grazers["energy"], cmap=hunger, vmin=0, vmax=2, linewidths=0)
        axes.quiver(hunters["x"], hunters["y"], hunters["dx"], hunters["dy"], color=colours[2], angles="xy", scale_units="xy", scale=0.25,
                    width=0.006, headwidth=4.5, headlength=5, headaxislength=4.5)
        axes.set(xlim=(0, SIZE), ylim=(0, SIZE), aspect="equal", xticks=[], yticks=[], title=f"tick {tick}")
    bar = upper.colorbar(dots, ax=upper.axes, location="right", aspect=30, pad=0.01, shrink=0.8)
    bar.set_label("energy of a grazer")
    bar.outline.set_visible(False)

    population, energy, ages = lower.subplots(1, 3)
    for kind, name in enumerate(KINDS):
        rows = census["kind"] == kind
        tick, count = census["tick"][rows], census["count"][rows]
        population.plot(tick, count, color=colours[kind], linewidth=1.7)
        population.annotate(name, (tick[-1], count[-1]), (6, 0), textcoords="offset points", color=colours[kind], va="center")
        if name != "plants":  # theirs does not change
            energy.plot(tick, census["energy"][rows] / count, color=colours[kind], linewidth=1.7)
        rows = survival["kind"] == kind
        ages.plot(survival["age"][rows], 100 * survival["alive"][rows], color=colours[kind], linewidth=1.7)
    population.set(yscale="log", title="how many there are", xlabel="tick")
    energy.set(title="energy of one, on average", xlabel="tick", ylim=(0, None))
    ages.set(title="of those born, percent alive at an age", xlabel="age in ticks", ylim=(0, 103), xlim=(0, max(1, survival["age"].max())))
    for axes in (population, energy):
        axes.set_xlim(0, run.frames[-1].tick)
        for tick in snapshots:
            axes.axvline(tick, color="#5b6672", linewidth=0.9, linestyle=":")
    for axes in (population, energy, ages):
        axes.grid(color="#323a44", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, dpi=100)
    plt.close(figure)


@contextlib.contextmanager
def bar(total):
    """What is called with the ticks that were done: a bar of tqdm, where it is here and a terminal is attached."""
    try:
        from tqdm import tqdm
    except ImportError:  # the bar is an ornament
        yield lambda ticks: None
    else:
        with tqdm(total=total, unit="tick", disable=None) as shown:
            yield shown.update


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ticks", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="frames.png")
    given = parser.parse_args(arguments)

    start = time.perf_counter()
    with bar(given.ticks) as progress:
        run = Run(given.ticks, given.seed, progress)
    stepped = time.perf_counter()
    failures = list(run.check())
    try:
        asked = time.perf_counter()
        shown = [given.ticks * part // 4 for part in range(1, 5)]
        answers = ask(run, list(dict.fromkeys(shown)), ages=max(2, min(100, given.ticks // 2)))
        answered = time.perf_counter()
        draw(run, answers, given.out)
    except ImportError as missing:
        print(f"left out, the queries and the picture: {missing.name} is not here; python3 -m pip install duckdb matplotlib")
        return 77
    if answers["off"] != [0]:
        failures.append("births and deaths in the deltas are those of the frames, in each tick and of each kind")
    changes = sum(len(delta.added) + len(delta.removed) for delta in run.deltas)
    print(f"{given.ticks} ticks in {stepped - start:.1f} s, {changes} births and deaths; DuckDB read {answers['rows']} rows of "
          f"{len(run.frames)} frames in {answered - asked:.1f} s; {given.out}")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"check: {'FAILED' if failures else 'passed'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
