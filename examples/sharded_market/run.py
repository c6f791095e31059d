# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What on_ray.py and on_dask.py run: a market is loaded and updated, its shards are killed, it is doubled, and each time compared with
what it must be. It ends in a check and a picture."""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile
import time

import numpy as np

try:
    from tqdm import tqdm
except ImportError:  # the bar is an ornament

    class tqdm:
        def __init__(self, **_):
            pass

        def set_description(self, _):
            pass

        def update(self, _):
            pass

        def close(self):
            pass


from market import Expected, Market, quotes

SECTORS = ("rates", "credit", "energy", "metals", "grains", "tech")
INDEX = f"SELECT key % {len(SECTORS)} AS sector, sum(price * size) / sum(size) AS price FROM market GROUP BY sector ORDER BY sector"


class Run:
    """A market, what it must be, and what was measured."""

    def __init__(self, market, keys, rows, seed, bar):
        self.market, self.expected, self.bar, self.rows = market, Expected(keys), bar, rows
        self.random = np.random.default_rng(seed)
        self.index, self.deaths, self.failures, self.doubled = [], [], [], None  # points of time are windows
        self.trend = self.random.normal(0, 0.004, len(SECTORS))

    def load(self):
        """Returns rows a second, answered."""
        begin, keys = time.perf_counter(), len(self.expected.quotes)
        for first in range(0, keys, self.rows):
            chunk = np.arange(first, min(first + self.rows, keys))
            self.expected.write(chunk, made := quotes(np.full(len(chunk), 100.0)))
            self.market.write(chunk, made)
            self.bar.update(1)
        self.market.flush()
        return keys / (time.perf_counter() - begin)

    def invent(self):
        """A window of random rows: prices of a random walk, and some keys that leave. Those that left come back."""
        keys, now = len(self.expected.quotes), self.expected.quotes
        self.trend = 0.93 * self.trend + self.random.normal(0, 0.004, len(SECTORS))
        chosen = self.random.integers(0, keys, self.rows)
        step = self.trend[chosen % len(SECTORS)] + self.random.normal(0, 0.01, self.rows)
        prices = np.where(now["size"][chosen] > 0, now["price"][chosen], 100.0) * np.exp(keys / self.rows * step)
        made = quotes(prices, self.random.integers(1, 10, self.rows))
        gone = np.setdiff1d(self.random.integers(0, keys, 16), chosen)
        gone = gone[now["size"][gone] > 0]
        self.expected.write(chosen, made, gone)
        return chosen, made, gone

    def updates(self, count, during=None):
        """`count` windows, invented before the clock starts. during(window) may kill. Returns rows a second, answered."""
        windows = [self.invent() for _ in range(count)]
        begin = time.perf_counter()
        for number, window in enumerate(windows):
            self.market.write(*window)
            self.bar.update(1)
            if during is not None:
                during(number)
        self.market.flush()
        return count * self.rows / (time.perf_counter() - begin)

    def ask(self):
        """A point of each sector's index. Returns milliseconds."""
        begin = time.perf_counter()
        answer = self.market.query(INDEX)
        taken = 1000 * (time.perf_counter() - begin)
        self.index.append((self.market.window, answer["price"]))
        return taken

    def kill(self, number):
        """Kills a shard between two windows. Returns the seconds until it answers again, and is what it was."""
        link = self.market.links[number]
        self.market.flush()
        begin = time.perf_counter()
        link.kill()
        status = link.recover()
        taken = time.perf_counter() - begin
        self.deaths.append((self.market.window, taken, number, status["replayed"]))
        return taken

    def compare(self, when):
        difference = self.expected.difference(self.market.table())
        if difference is not None:
            self.failures.append(f"{when}: {difference}")
        self.bar.update(1)


def draw(run, figures, rows_of, file):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ink, paper, panel, faint, alarm = "#e8e6df", "#14181d", "#1b2027", "#323a44", "#ef5b3f"
    colours = ("#7fb2e5", "#f2c14e", "#c98bdb", "#6fae5a", "#d9a066", "#5fd0c5")
    plt.rcParams.update({"text.color": ink, "axes.labelcolor": ink, "xtick.color": ink, "ytick.color": ink, "axes.edgecolor": "#4a525c",
                         "axes.facecolor": panel, "figure.facecolor": paper, "font.size": 10, "axes.titlesize": 11,
                         "axes.titlelocation": "left"})
    figure = plt.figure(figsize=(14, 8), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)
    upper, lower = figure.subfigures(2, 1, height_ratios=[1.25, 1])
    market, (recovery, spread, speed) = upper.subplots(), lower.subplots(1, 3)
    windows, last = [window for window, _ in run.index], run.index[-1][1]
    for sector in range(len(SECTORS)):
        market.plot(windows, [index[sector] for _, index in run.index], color=colours[sector], linewidth=1.8, marker="o", markersize=3)
    (low, high), place = market.get_ylim(), -np.inf
    for sector in sorted(range(len(SECTORS)), key=lambda sector: last[sector]):  # names, where they do not lie upon each other
        place = max(last[sector], place + (high - low) / 18)
        market.annotate(SECTORS[sector], (windows[-1], place), (8, 0), textcoords="offset points", color=colours[sector], va="center",
                        annotation_clip=False)
    for window, _, number, _ in run.deaths:
        market.axvline(window, color=alarm, linewidth=1.2)
        market.annotate(f"shard {number} dies", (window, high), (-3, -6), textcoords="offset points", color=alarm, va="top", ha="right",
                        rotation=90, fontsize=8.5)
    market.axvline(run.doubled, color=ink, linewidth=1.2, linestyle="--")
    market.annotate(f"{len(rows_of[0])} shards become {len(rows_of[1])}", (run.doubled, low), (-3, 6), textcoords="offset points", va="bottom",
                    ha="right", rotation=90, fontsize=8.5)
    market.set(title="price of each sector, weighted by size: DuckDB over the streams of all shards", xlabel="window", ylim=(low, high),
               xlim=(windows[0], windows[-1] + 0.06 * (windows[-1] - windows[0])))

    bars = recovery.bar(range(len(run.deaths)), [taken for _, taken, _, _ in run.deaths], color=alarm, width=0.6)
    recovery.bar_label(bars, [f"{taken:.2f}" for _, taken, _, _ in run.deaths], padding=2)
    recovery.set_xticks(range(len(run.deaths)), [f"shard {number}" for _, _, number, _ in run.deaths])
    recovery.axhline(1.0, color=ink, linewidth=0.9, linestyle=":")
    fewest, most = (pick(replayed for _, _, _, replayed in run.deaths) for pick in (min, max))
    recovery.set(title="seconds from the kill to the next answer", xlabel=f"each: a snapshot, and {fewest} to {most} windows of its log", ylim=(0, 1.18 * max([1.0, *(taken for _, taken, _, _ in run.deaths)])))

    before, after = rows_of
    spread.bar(np.arange(len(before)) * 2 + 0.5, before, color=colours[0], alpha=0.35, width=1.86, label=f"{len(before)} shards")
    spread.bar(range(len(after)), after, color=colours[0], width=0.8, label=f"{len(after)} shards")
    spread.set_xticks(range(len(after)), [str(number) for number in range(len(after))])
    spread.set(title="rows: shard s becomes 2 s and 2 s + 1", xlabel="shard", ylim=(0, 1.3 * max(before)))
    spread.yaxis.set_major_formatter(lambda value, _: f"{value / 1000:g} k")
    spread.legend(loc="upper right", ncols=2, frameon=False)

    names = [name for name in figures if name.endswith("rows/s")]
    bars = speed.barh(range(len(names)), [figures[name] / 1e6 for name in names], color=colours[3], height=0.55)
    speed.bar_label(bars, [f"{figures[name] / 1e6:.2f}" for name in names], padding=4)
    speed.set_yticks(range(len(names)), [name.removesuffix(", rows/s") for name in names])
    speed.invert_yaxis()
    speed.set(title="million rows a second, answered", xlim=(0, 1.2 * max(figures[name] for name in names) / 1e6))
    for axes, along in ((market, "both"), (recovery, "y"), (spread, "y"), (speed, "x")):
        axes.grid(color=faint, linewidth=0.6, axis=along)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(length=0)
    figure.savefig(file, dpi=100)
    plt.close(figure)


def main(face_of, arguments=None):
    parser = argparse.ArgumentParser(description=sys.modules[face_of.__module__].__doc__ + "\n" + __doc__)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=200_000, help="of a window")
    parser.add_argument("--windows", type=int, default=40, help="of updates, before the shards are killed")
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", help="of the shards; a temporary one")
    parser.add_argument("--out", default="sharded_market.png")
    given = parser.parse_args(arguments)
    try:
        import duckdb  # noqa: F401
        import matplotlib  # noqa: F401

        face = face_of()
    except ImportError as missing:
        print(f"left out: {missing.name} is not here; python3 -m pip install -r examples/sharded_market/requirements.txt")
        return 77
    folder = pathlib.Path(given.folder or tempfile.mkdtemp(prefix="sharded_market"))
    market = Market(face, folder / "shards", given.shards)
    steps = -(-given.keys // given.rows) + given.windows + 2 * given.shards + 12 + 10
    run = Run(market, given.keys, given.rows, given.seed, tqdm(total=steps, unit="step", disable=None))
    figures = {}
    try:
        run.bar.set_description("load")
        figures["load, rows/s"] = run.load()
        run.compare("after the load")
        market.save()
        run.bar.set_description("updates")
        run.updates(4)  # the first ones are of another speed: memory is asked for
        rates = []
        for _ in range(5):
            rates.append(run.updates(max(1, given.windows // 5)))
            run.ask()
        figures["updates, rows/s"] = float(np.median(rates))
        figures["query, ms"] = float(np.median([run.ask() for _ in range(5)]))
        run.compare("after the updates")
        run.bar.set_description("kill")
        for number in range(given.shards):
            figures.setdefault("recovery, s", []).append(run.kill(number))
            run.compare(f"after the death of shard {number}")
            run.updates(1)
            run.ask()
        victim, points = market.links[0], iter(("torn", "logged"))
        figures["with 2 deaths, rows/s"] = run.updates(
            5, lambda window: victim.face.call(victim.handle, "die_at", next(points)) if window in (1, 3) else None)
        run.compare("after deaths in the middle of a window")
        run.ask()
        run.bar.set_description("double")
        begin = time.perf_counter()
        before = [link.call("status")["rows"] for link in market.links]
        after = market.double()
        figures["doubling, s"] = time.perf_counter() - begin
        run.doubled = market.window
        run.compare("after doubling")
        rates = []
        for _ in range(5):
            rates.append(run.updates(2))
            run.ask()
        figures[f"of {2 * given.shards} shards, rows/s"] = float(np.median(rates))
        run.compare("after updates of twice the shards")
        repeated, known = (sum(getattr(link, name) for link in [*market.links, victim]) for name in ("repeated", "known"))
        run.bar.close()
        draw(run, figures, (before, after), given.out)
        worst = max(figures.pop("recovery, s"))
        print(f"{face.name}, {given.keys} keys, {given.shards} shards, {os.cpu_count()} processors:")
        for name, value in {**figures, "recovery of a killed shard, the worst, s": worst}.items():
            print(f"  {name}: {value:,.0f}" if value > 100 else f"  {name}: {value:.3g}")
        print(f"  windows that were sent again: {repeated}, known already: {known}; {given.out}")
    finally:
        face.close()
        if given.folder is None:
            shutil.rmtree(folder, ignore_errors=True)
    for failure in run.failures:
        print(f"FAILED: {failure}")
    print(f"check: {'FAILED' if run.failures else 'passed'}")
    return 1 if run.failures else 0
