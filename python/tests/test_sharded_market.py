# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""examples/sharded_market: the shard and its two files; with processes that are killed, nothing is lost or doubled."""

import multiprocessing
import os
import pathlib
import random
import signal
import sys
import time

import numpy as np
import pytest
import slotwise

pa = pytest.importorskip("pyarrow")
pytest.importorskip("fcntl")  # Windows locks files in another way
HERE = pathlib.Path(__file__).resolve().parents[2] / "examples/sharded_market"
if not HERE.is_dir():
    pytest.skip("the examples are not here", allow_module_level=True)
sys.path.insert(0, str(HERE))
import market as markets  # noqa: E402
from market import quotes  # noqa: E402
from shard import NEVER, Damaged, Shard, rows, to_ipc  # noqa: E402


def message(keys, prices=None):
    return to_ipc(rows(np.asarray(keys, dtype=np.int64), None if prices is None else quotes(prices)))


def fill(shard, windows, first=1):
    """Windows in which keys come, change and leave."""
    for window in range(first, first + windows):
        since = shard.window
        table = pa.concat_tables([rows(np.arange(window, window + 5), quotes(np.full(5, window / 2), window)), rows(np.array([window - 1, 10_000 + window]))])
        assert shard.write(since, window, to_ipc(table)) == "done"
    return shard


def state(folder, **arguments):
    shard = Shard(folder, **arguments)
    try:
        return shard.series, shard.window, shard.replayed
    finally:
        shard.close()


@pytest.fixture
def full(tmp_path):
    """A folder of a shard with a log of four windows, the series, and where each record ends."""
    shard, ends = Shard(tmp_path / "shard"), []
    for window in range(1, 5):
        fill(shard, 1, window)
        ends.append((tmp_path / "shard/log").stat().st_size)
    shard.close()
    return tmp_path / "shard", shard.series, ends


def test_a_new_folder_is_an_empty_shard(tmp_path):
    series, window, replayed = state(tmp_path / "made" / "here")
    assert len(series) == 0 and window == NEVER and replayed == 0
    assert state(tmp_path / "made" / "here")[1] == NEVER  # again, with an empty log


def test_a_log_leads_to_the_same_series(full):
    folder, series, _ = full
    again, window, replayed = state(folder)
    assert again == series and window == 4 and replayed == 4
    assert 3 not in again and again[5] == (2.0, 4) and again.time_of(5) == 4


def test_a_log_torn_at_any_byte_of_its_last_record_loses_that_window_only(full):
    folder, series, ends = full
    log = (folder / "log").read_bytes()
    for cut in range(ends[2], ends[3]):
        (folder / "log").write_bytes(log[:cut])
        shard = Shard(folder)
        assert shard.window == 3 and (folder / "log").stat().st_size == ends[2]
        fill(shard, 1, 4)  # it comes again, and the log is whole after it
        shard.close()
        assert shard.series == series and state(folder)[0] == series


def test_a_changed_byte_is_found_and_nothing_is_cut(full):
    folder, _, ends = full
    log = (folder / "log").read_bytes()
    for at in range(0, ends[3], 7):
        (folder / "log").write_bytes(log[:at] + bytes([log[at] ^ 0x41]) + log[at + 1 :])
        with pytest.raises(Damaged, match="record"):
            Shard(folder)
        assert (folder / "log").stat().st_size == ends[3]


def test_a_window_that_is_missing_in_the_log_is_found(full):
    folder, _, ends = full
    log = (folder / "log").read_bytes()
    (folder / "log").write_bytes(log[: ends[0]] + log[ends[1] :])
    with pytest.raises(Damaged, match="before 3 is missing"):
        Shard(folder)


def test_a_snapshot_newer_than_the_log_skips_its_records(full):
    folder, series, _ = full
    log = (folder / "log").read_bytes()
    shard = Shard(folder)
    shard.save()
    assert (folder / "log").stat().st_size == 0
    shard.close()
    (folder / "log").write_bytes(log)  # as if it died between the two
    again, window, replayed = state(folder)
    assert again == series and window == 4 and replayed == 0


def test_a_snapshot_and_the_log_after_it(full):
    folder, _, _ = full
    shard = Shard(folder)
    shard.save()
    fill(shard, 3, first=5)
    shard.close()
    (folder / "snapshot.new").write_bytes(b"half of one")
    again, window, replayed = state(folder)
    assert again == shard.series and window == 7 and replayed == 3 and not (folder / "snapshot.new").exists()


def test_a_damaged_snapshot_is_refused(full):
    folder, _, _ = full
    shard = Shard(folder)
    shard.save()
    shard.close()
    snapshot = (folder / "snapshot").read_bytes()
    for wrong in (b"", snapshot[:-1], snapshot[:20], snapshot[:-1] + bytes([snapshot[-1] ^ 1]), snapshot + snapshot):
        (folder / "snapshot").write_bytes(wrong)
        with pytest.raises(Damaged, match="snapshot"):
            Shard(folder)


def test_a_long_log_becomes_a_snapshot(tmp_path):
    shard = fill(Shard(tmp_path, log_limit=5_000), 40)
    shard.close()
    assert (tmp_path / "snapshot").exists() and (tmp_path / "log").stat().st_size <= 5_000
    assert state(tmp_path)[0] == shard.series


def test_a_window_that_comes_twice_or_too_early_changes_nothing(full):
    folder, series, ends = full
    shard = Shard(folder)
    for since, until in ((3, 4), (1, 2), (NEVER, 1)):
        assert shard.write(since, until, message([1], [9.0])) == "already"
    for since in (5, 3, NEVER):
        assert shard.write(since, 6, message([1], [9.0])) == "gap"
    assert shard.series == series and (folder / "log").stat().st_size == ends[-1]
    shard.close()


def test_rows_that_are_no_rows_of_the_shard_change_nothing(tmp_path):
    shard = Shard(tmp_path, 0, 2)
    mine = int(np.flatnonzero(slotwise.shard_ids(np.arange(100), 2) == 0)[0])
    other = int(np.flatnonzero(slotwise.shard_ids(np.arange(100), 2) == 1)[0])
    for wrong in (message([mine, other], [1.0, 2.0]), to_ipc(pa.table({"key": [mine]})),
                  to_ipc(pa.table({"key": pa.array([None], pa.int64()), "price": [1.0], "size": pa.array([1], pa.int32())}))):
        with pytest.raises(ValueError, match="another shard|rows of"):
            shard.write(NEVER, 1, wrong)
        with pytest.raises(pa.ArrowInvalid):
            shard.write(NEVER, 1, bytes(wrong)[:40])
    assert shard.write(NEVER, 1, message([mine], [1.0])) == "done" and shard.series[mine] == (1.0, 1)
    shard.close()


def test_a_log_that_can_not_be_written_breaks_the_shard_until_it_is_opened_again(full, monkeypatch):
    folder, series, ends = full
    shard = Shard(folder)
    whole = os.writev
    monkeypatch.setattr(os, "writev", lambda file, parts: whole(file, [b"".join(map(bytes, parts))[:60]]))  # a full disk
    with pytest.raises(OSError):
        shard.write(4, 5, message([1], [9.0]))
    monkeypatch.undo()
    for call in (shard.read, shard.save, lambda: shard.write(4, 5, message([1], [9.0]))):
        with pytest.raises(RuntimeError, match="opened again"):
            call()
    shard.close()
    shard = Shard(folder)
    assert shard.series == series and (folder / "log").stat().st_size == ends[-1]
    assert shard.write(4, 5, message([1], [9.0])) == "done"
    shard.close()


def test_a_folder_has_one_writer(full):
    shard = Shard(full[0])
    with pytest.raises(BlockingIOError):
        Shard(full[0], patience=0)
    shard.close()
    Shard(full[0], patience=0).close()


def test_a_folder_of_another_shard_is_refused(full):
    for number, shards in ((0, 2), (1, 2)):
        with pytest.raises(Damaged, match="is of shard 0 of 1"):
            Shard(full[0], number, shards)


def test_a_split_shard_has_each_row_in_one_half(tmp_path):
    shard = Shard(tmp_path / "whole")
    shard.write(NEVER, 1, message(np.arange(1000), np.arange(1000) / 2))
    shard.write(1, 2, message(np.arange(500), np.arange(500) / 4))
    counts = shard.split([tmp_path / "low", tmp_path / "high"])
    halves = [Shard(tmp_path / name, half, 2) for half, name in enumerate(("low", "high"))]
    assert sum(counts) == 1000 and [len(half.series) for half in halves] == counts and min(counts) > 400
    for key in range(1000):
        half = halves[slotwise.shard_ids([key], 2)[0]]
        assert half.series[key] == shard.series[key] and half.series.time_of(key) == shard.series.time_of(key)
    assert [half.window for half in halves] == [2, 2]
    assert [half.write(2, 3, message([])) for half in halves] == ["done", "done"]
    for each in (shard, *halves):
        each.close()


class OnProcesses:
    """A face of processes of this machine: what Ray and Dask do, in the small."""

    def __init__(self):
        self.context = multiprocessing.get_context("fork")

    def start(self, number, shards, folder):
        near, far = self.context.Pipe()
        process = self.context.Process(target=self.serve, args=(far, near, folder, number, shards), daemon=True)
        process.start()
        far.close()
        return {"pipe": near, "process": process, "sent": 0, "answers": []}

    @staticmethod
    def serve(pipe, other, folder, number, shards):
        other.close()
        shard = Shard(folder, number, shards, log_limit=20_000)
        while True:
            method, arguments = pipe.recv()
            pipe.send(getattr(shard, method)(*[pa.py_buffer(each) if isinstance(each, bytes) else each for each in arguments]))

    def call(self, handle, method, *arguments):
        try:
            handle["pipe"].send((method, [each.to_pybytes() if isinstance(each, pa.Buffer) else each for each in arguments]))
        except OSError:
            pass  # result() finds out
        handle["sent"] += 1
        return handle, handle["sent"]

    def result(self, future):
        handle, number = future
        try:
            while len(handle["answers"]) < number:
                handle["answers"].append(handle["pipe"].recv())
        except (EOFError, OSError) as error:
            raise markets.Lost(str(error)) from error
        return handle["answers"][number - 1]

    def revive(self, handle, number, shards, folder):
        self.stop(handle)
        return self.start(number, shards, folder)

    def stop(self, handle):
        handle["process"].kill()
        handle["process"].join()
        handle["pipe"].close()

    def close(self):
        pass


def kill_at_random(face, folder, kills, keys=4000, seed=None):
    """Kills shards at random points, doubles them once, and compares with what the market must be."""
    seed = random.randrange(2**32) if seed is None else seed
    print(f"seed {seed}")  # of a failure
    choose = random.Random(seed)
    market, expected = markets.Market(face, folder, 4), markets.Expected(keys)
    deaths = 0

    def write(count):
        chosen = np.array(choose.sample(range(keys), count))
        gone, chosen = chosen[: count // 20], chosen[count // 20 :]
        made = quotes([choose.random() for _ in chosen], [choose.randrange(1, 100) for _ in chosen])
        market.write(chosen, made, gone)
        expected.write(chosen, made, gone)

    write(keys)
    for kill in range(kills):
        link = choose.choice(market.links)
        if choose.random() < 0.5:
            face.call(link.handle, "die_at", choose.choice(Shard.POINTS))
        for _ in range(choose.randrange(4)):
            write(choose.choice((1, 100, 1000)))
        if choose.random() < 0.5:  # whatever it is doing
            time.sleep(choose.random() * 0.01)
            if link.pid is None:
                link.pid = link.call("status")["pid"]
            try:
                os.kill(link.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it was faster
        if choose.random() < 0.2:
            market.save()
        if kill == kills // 2:
            deaths += sum(link.deaths for link in market.links)
            market.double()
        if kill % 5 == 4:
            assert expected.difference(market.table()) is None
    assert expected.difference(market.table()) is None
    deaths += sum(link.deaths for link in market.links)
    assert deaths >= kills // 3 and len(market.links) == 8
    assert {link.call("status")["window"] for link in market.links} == {market.window}
    market.close()
    reopened = markets.Market(face, folder)  # all die at once
    assert len(reopened.links) == 8 and reopened.window == market.window
    assert expected.difference(reopened.table()) is None
    reopened.close()
    return market


@pytest.mark.parametrize("seed", [1, 2, None])
def test_shards_killed_at_random_points_lose_and_double_nothing(tmp_path, seed):
    market = kill_at_random(OnProcesses(), tmp_path, kills=40, seed=seed)
    assert sum(link.repeated for link in market.links) > 0


@pytest.mark.parametrize("point", Shard.POINTS)
def test_a_shard_killed_at_each_point_comes_back(tmp_path, point):
    face = OnProcesses()
    market, expected = markets.Market(face, tmp_path, 2), markets.Expected(500)
    for window in range(4):
        keys, made = np.arange(500), quotes(np.full(500, float(window)))
        if window == 2:
            face.call(market.links[1].handle, "die_at", point)
        market.write(keys, made)
        expected.write(keys, made)
        if point in ("snapshot", "replaced"):
            market.save()
    assert expected.difference(market.table()) is None and market.links[1].deaths == 1
    if point == "logged":
        assert market.links[1].known == 1  # it was in the log, came again, and changed nothing
    market.close()


def test_a_market_doubled_while_shards_die_has_each_row_once(tmp_path):
    face = OnProcesses()
    market, expected = markets.Market(face, tmp_path, 4), markets.Expected(2000)
    keys, made = np.arange(2000), quotes(np.arange(2000) / 8)
    market.write(keys, made)
    expected.write(keys, made)
    for link in market.links[::2]:
        face.call(link.handle, "die_at", "snapshot")  # with the first half written in part
    assert sum(market.double()) == 2000 and len(market.links) == 8
    assert expected.difference(market.table()) is None
    made = quotes(np.arange(2000) / 4, 7)
    market.write(keys, made)
    expected.write(keys, made)
    assert expected.difference(market.table()) is None
    market.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [*(f"{number}-of-8" for number in range(8)), "market.json"]


def test_what_is_lost_doubled_or_wrong_is_found():
    expected = markets.Expected(10)
    expected.write(np.arange(5), quotes(np.arange(5.0)))
    right = rows(np.arange(5), quotes(np.arange(5.0)))
    assert expected.difference(right) is None
    assert "1 rows are lost" in expected.difference(right.slice(1))
    assert "doubled" in expected.difference(pa.concat_tables([right, right.slice(4)]))
    assert "1 should not" in expected.difference(rows(np.arange(6), quotes(np.arange(6.0))))
    assert "1 quotes are wrong, the first of key 4" in expected.difference(rows(np.arange(5), quotes([0.0, 1, 2, 3, 5])))


@pytest.fixture(params=["on_ray", "on_dask"])
def face(request):
    pytest.importorskip({"on_ray": "ray", "on_dask": "distributed"}[request.param])
    module = __import__(request.param)
    face = (module.OnRay if request.param == "on_ray" else module.OnDask)()
    yield face
    face.close()


def test_actors_killed_at_random_points_lose_and_double_nothing(tmp_path, face):
    kill_at_random(face, tmp_path, kills=12)


@pytest.mark.parametrize("name", ["on_ray", "on_dask"])
def test_the_example_runs_and_draws(tmp_path, capsys, name):
    for library in ({"on_ray": "ray", "on_dask": "distributed"}[name], "duckdb", "matplotlib"):
        pytest.importorskip(library)
    module, picture = __import__(name), tmp_path / "market.png"
    face = module.OnRay if name == "on_ray" else module.OnDask
    from run import main

    assert main(face, ["--keys", "20000", "--rows", "5000", "--windows", "5", "--out", str(picture)]) == 0
    assert "check: passed" in capsys.readouterr().out and picture.read_bytes().startswith(b"\x89PNG")
