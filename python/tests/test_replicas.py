# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Replicas that are led by frames without metadata, and what a delta says of values that were lost."""

import io
import pickle
import random

import pytest
import slotwise
from hypothesis import given, settings
from hypothesis import strategies as st

pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")


def said_by(delta):
    """What a frame of the delta does not say."""
    return {"since": delta.since, "until": delta.until, "cleared": delta.cleared, "replaced": delta.replaced}


@pytest.mark.parametrize("frame_of", [slotwise.Delta.to_polars, slotwise.Delta.to_pandas], ids=["polars", "pandas"])
@pytest.mark.parametrize("make", [slotwise.Series, slotwise.SeriesSet], ids=["Series", "SeriesSet"])
def test_a_replica_is_led_by_frames(frame_of, make):
    types = {"key": str, "value": {"a": float}} if make is slotwise.Series else {"key": str}
    series, replica = make(**types), make(**types)

    def write(key, time):
        series.set(key, a=1.0, time=time) if make is slotwise.Series else series.add(key, time=time)

    def lead():
        delta = series.capture()
        applied = replica.apply(frame_of(delta), **said_by(delta))
        assert applied == slotwise.Applied.done and replica == series and replica.window == series.window

    write("x", 1)
    lead()
    series.touch(time=2)  # a window without rows
    assert len(frame_of(series.capture())) == 0
    lead()
    write("y", 3)
    lead()
    series.erase("x", time=4)
    lead()
    delta = series.capture()
    assert replica.apply(frame_of(delta), **said_by(delta)) == slotwise.Applied.already
    late = make(**types)
    assert late.apply(frame_of(delta), **said_by(delta)) == slotwise.Applied.gap


def test_what_a_frame_does_not_say_is_asked_for():
    series = slotwise.Series(key=int, value=float)
    series.set(1, 1.0, time=1)
    delta = series.capture()
    frame = delta.to_polars()
    replica = slotwise.Series(key=int, value=float)
    with pytest.raises(ValueError, match="since: .*pass since=delta.since.*until=delta.until"):
        replica.apply(frame)
    with pytest.raises(ValueError, match="'time' is 1, not 2"):
        replica.apply(frame, since=None, until=2, cleared=False, replaced=False)
    series.touch(time=2)
    with pytest.raises(ValueError, match="no rows.*until="):
        replica.apply(series.capture().to_polars(), since=1, cleared=False, replaced=False)
    assert replica.window is None
    assert replica.apply(frame, since=None, cleared=False, replaced=False) == slotwise.Applied.done
    # What has metadata, or is a delta, needs neither.
    assert slotwise.Series(key=int, value=float).apply(delta.to_arrow()) == slotwise.Applied.done


def test_only_a_value_that_was_there_is_lost():
    series = slotwise.Series(key=str, value=float)
    series.create("k", time=1)
    series.set("v", 1.0, time=1)
    series.set("k", 2.0, time=2)
    series.invalidate("k", time=2)
    assert series.capture().invalidated == []
    series.erase("k", time=2)
    series.create("k", time=2)
    series.invalidate("v", time=2)
    delta = series.capture()
    assert delta.invalidated == ["v"] and delta.added == delta.removed == []

    series = slotwise.Series(key=str, value=float)
    series.create("k", time=1)
    series.set("k", 2.0, time=2)
    first = series.capture()
    series.invalidate("k", time=3)
    series.touch(time=3)
    joined = first.then(series.capture())
    assert joined.invalidated == [] and joined.modified == {} and (joined.since, joined.until) == (1, 3)


KEYS = "abc"
STEPS = st.lists(
    st.tuples(st.sampled_from(["set", "create", "invalidate", "erase", "next"]), st.sampled_from(KEYS)), max_size=24
)


def states_and_deltas(steps):
    """The members with their values before and after each window, and the delta of each."""
    series = slotwise.Series(key=str, value=float)
    states, deltas = [dict(series.items())], []
    time = 1
    series.touch(time=time)
    for what, key in [*steps, ("next", "")]:
        if what == "next":
            deltas.append(series.capture())
            states.append(dict(series.items()))
            time += 1
            series.touch(time=time)
        elif what == "set":
            series.set(key, float(time), time=time)
        else:
            getattr(series, what)(key, time=time)
    return states, deltas


def check(delta, before, after):
    assert sorted(delta.added) == sorted(set(after) - set(before))
    assert sorted(delta.removed) == sorted(set(before) - set(after))
    lost = [key for key in after if key in before and before[key] is not None and after[key] is None]
    assert sorted(delta.invalidated) == sorted(lost)
    assert all(after[key] == value for key, value in delta.modified.items())


@settings(deadline=None)
@given(STEPS, st.data())
def test_deltas_say_exactly_what_has_changed(steps, data):
    states, deltas = states_and_deltas(steps)
    for i, delta in enumerate(deltas):
        check(delta, states[i], states[i + 1])
    first = data.draw(st.integers(0, len(deltas) - 1))
    joined = deltas[first]
    for i in range(first + 1, len(deltas)):
        if data.draw(st.booleans()):
            joined = pickle.loads(pickle.dumps(joined))
        joined = joined.then(deltas[i])
        check(joined, states[first], states[i + 1])
    replica = slotwise.Series(key=str, value=float)
    for delta in deltas[:first]:
        assert replica.apply(delta) == slotwise.Applied.done
    assert replica.apply(joined) == slotwise.Applied.done and dict(replica.items()) == states[-1]


# Histories once had writes of single keys only: a series that was cleared or restored led replicas by frames to a wrong
# state, because no row says that what was there before is gone. So these have every verb that empties a series, and every
# way of a delta through a frame.


def through_parquet(write, read):
    file = io.BytesIO()
    write(file)
    file.seek(0)
    return read(file)


def by_duckdb(delta):
    duckdb = pytest.importorskip("duckdb")
    changes = delta.to_arrow()  # noqa: F841, DuckDB finds it by its name
    with duckdb.connect() as connection:
        return connection.sql("SELECT * FROM changes").to_arrow_table()


FRAMES = {
    "pandas": slotwise.Delta.to_pandas,
    "polars": slotwise.Delta.to_polars,
    "numpy": slotwise.Delta.to_numpy,
    "arrow without metadata": lambda delta: delta.to_arrow().replace_schema_metadata(None),
    "duckdb": by_duckdb,
    "parquet of pandas": lambda delta: through_parquet(delta.to_pandas().to_parquet, pd.read_parquet),
    "parquet of polars": lambda delta: through_parquet(delta.to_polars().write_parquet, pl.read_parquet),
}
TYPES = {
    "record": (slotwise.Series, {"key": int, "value": {"x": "f8", "s": "str?"}}),
    "nullable": (slotwise.Series, {"key": str, "value": {"x": "f8?", "s": "str?"}}),
    "scalar": (slotwise.Series, {"key": (str, int), "value": "i4"}),
    "set": (slotwise.SeriesSet, {"key": str}),
}


def random_deltas(of, seed):
    """The deltas of a random history, and the series that they lead to."""
    cls, types = TYPES[of]
    rng = random.Random(seed)
    series, deltas = cls(**types), []
    series.subscribe(deltas.append)
    has_values = cls is slotwise.Series

    def key():
        n = rng.randrange(8)
        return {"record": n, "nullable": str(n), "scalar": (str(n), n), "set": str(n)}[of]

    def value():
        return rng.randrange(99) if of == "scalar" else (float(rng.randrange(99)), rng.choice([None, "a", "b" * 20]))

    def write(time):
        what = rng.choice("set set set erase create invalidate clear invalidate_all assign restore".split())
        if what == "restore":
            other = cls(**types)
            for at in range(1, rng.randrange(1, 4)):
                other.set(key(), value(), time=at) if has_values else other.add(key(), time=at)
            series.restore(other.snapshot())
            return
        if what in ("clear", "invalidate_all"):
            getattr(series, what)(time=time)
        elif what == "assign":
            keys = {key() for _ in range(rng.randrange(4))}
            series.assign({each: value() for each in keys} if has_values else keys, time=time)
        elif what == "set" or not has_values:
            if what == "erase":
                series.erase(key(), time=time)
            elif has_values:
                series.set(key(), value(), time=time)
            else:
                series.add(key(), time=time)
        else:
            getattr(series, what)(key(), time=time)

    for _ in range(25):
        time = (series.window or 0) + rng.randint(1, 3)
        series.touch(time=time)
        for _ in range(rng.randrange(6)):
            if series.window == time and not series.closed:  # restore() leads elsewhere
                write(time)
    series.close_window()
    return deltas, series


@pytest.mark.parametrize("of", TYPES)
@pytest.mark.parametrize("way", FRAMES)
def test_frames_lead_replicas_through_histories_that_clear_and_restore(way, of):
    cls, types = TYPES[of]
    seen = set()
    for seed in range(6):
        deltas, series = random_deltas(of, seed)
        led, replica = cls(**types), cls(**types)
        for delta in deltas:
            assert led.apply(delta) == slotwise.Applied.done
            frame = FRAMES[way](delta)
            assert replica.apply(frame, **said_by(delta)) == slotwise.Applied.done
            assert replica == led and replica.window == led.window
            if not delta.replaced:  # twice, as delivery at least once may
                assert replica.capture() == led.capture()
                assert replica.apply(frame, **said_by(delta)) == slotwise.Applied.already
            seen |= {("cleared", len(delta) != 0)} if delta.cleared else set()
            seen |= {("replaced", len(delta) != 0)} if delta.replaced else set()
            seen |= set(delta.to_numpy()["op"].tolist())
            with pytest.raises(ValueError, match="cleared: .*cleared=delta.cleared"):
                replica.apply(frame, since=delta.since, until=delta.until)
        assert replica == series
    flags = {(flag, rows) for flag in ("cleared", "replaced") for rows in (False, True)}
    assert seen == flags | ({1, 3} if of == "set" else {1, 2, 3, 4})


def test_what_keeps_the_metadata_needs_nothing_said():
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    ways = [
        slotwise.Delta.to_arrow,
        lambda delta: through_parquet(lambda file: parquet.write_table(delta.to_arrow(), file), parquet.read_table),
        slotwise.Delta.to_bytes,
        lambda delta: pickle.loads(pickle.dumps(delta)),
    ]
    for of, (cls, types) in TYPES.items():
        deltas, series = random_deltas(of, 1)
        assert any(delta.cleared for delta in deltas) and any(delta.replaced for delta in deltas)
        for way in ways:
            replica = cls(**types)
            assert all(replica.apply(way(delta)) == slotwise.Applied.done for delta in deltas) and replica == series
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, deltas[0].to_arrow().schema) as writer:
        writer.write_table(deltas[0].to_arrow())
    replica = cls(**types)
    with pytest.raises(ValueError, match="pyarrow.ipc.open_stream"):
        replica.apply(sink.getvalue().to_pybytes())
    assert replica.apply(pa.ipc.open_stream(sink.getvalue())) == slotwise.Applied.done


def test_the_window_of_a_restored_series_is_closed_for_those_who_have_its_state():
    saved = slotwise.Series({"a": 1.0}, time=5)
    series, replica = (slotwise.Series(key=str, value=float) for _ in range(2))
    with series.subscribe(lambda delta: replica.apply(delta.to_bytes())):
        series.restore(saved.snapshot())
        with pytest.raises(ValueError, match="window 5 is closed, subscribers have its delta"):
            series.set("b", 2.0, time=5)
        series.set("b", 2.0, time=6)
        series.restore(saved.snapshot())  # back to an earlier window
        assert replica == series and replica.window == 5
        series.set("c", 3.0, time=6)
        series.close_window()
    assert replica == series and len(replica) == 2
    series.restore(saved.snapshot())  # nobody has its state
    series.set("b", 2.0, time=5)


def test_the_text_of_a_delta_says_what_is_gone():
    series, seen = slotwise.Series({"a": 1.0}, time=1), []
    series.subscribe(seen.append)
    series.invalidate_all(time=2)
    series.restore(series.snapshot())
    assert "1 -> 2: cleared, 0 added" in repr(seen[1]) and "2 -> 2: replaced, 0 added" in repr(seen[2])
