# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Series: windows, writes of records, deltas, replicas, subscribers, streams of deltas."""

import asyncio
import copy
import dataclasses
import gc
import inspect
import pickle
import sys
import threading
import weakref

import numpy as np
import pyarrow as pa
import pytest
import slotwise as sw
from hypothesis import given, settings
from hypothesis import strategies as st
from random_types import columns_of_rows, key_types, same, same_items, schemas
from slotwise import Applied

QUOTE = {"bid": "f8", "ask": "f8", "size": "i4", "venue": str}


@dataclasses.dataclass
class Quote:
    bid: float
    ask: float
    size: int
    venue: str


def quotes(**arguments):
    q = sw.Series(key=str, value=QUOTE, **arguments)
    q.set("bund", bid=131.2, ask=131.3, size=5, venue="eurex", time=1)
    q.set("gilt", (92.1, 92.2, 7, "a venue of more than twelve letters"), time=1)
    return q


def empty(like):
    return sw.Series(key=like.key_type, value=like.schema)


# ---- windows and writes ----


def test_a_window_opens_with_its_first_write():
    q = sw.Series(key=int, value=float)
    assert q.window is None and q.last_modified is None and not q
    q.set(3, 1.5, time=5)
    assert q.window == q.last_modified == q.time_of(3) == 5
    q.set(4, 2.5, time=6)
    assert q.window == 6 and q.time_of(3) == 5 and q.time_of(9) is None and q.time_of("x") is None


@pytest.mark.parametrize(
    "write",
    [
        lambda q, time: q.set("bund", bid=1.0, time=time),
        lambda q, time: q.set("bund", (1.0, 2.0, 3, "x"), time=time),
        lambda q, time: q.update({"bund": (1.0, 2.0, 3, "x")}, time=time),
        lambda q, time: q.update(["bund"], {"bid": [1.0]}, time=time),
        lambda q, time: q.assign({"bund": (1.0, 2.0, 3, "x")}, time=time),
        lambda q, time: q.erase("bund", time=time),
        lambda q, time: q.erase("nobody", time=time),
        lambda q, time: q.erase_many(["bund"], time=time),
        lambda q, time: q.create("oat", time=time),
        lambda q, time: q.invalidate("bund", time=time),
        lambda q, time: q.invalidate_all(time=time),
        lambda q, time: q.pop("bund", time=time),
        lambda q, time: q.clear(time=time),
        lambda q, time: q.touch(time=time),
        lambda q, time: q.reconcile(quotes(), time=time),
    ],
)
def test_the_past_can_not_be_written(write):
    q = quotes()
    q.touch(time=9)
    before = q.snapshot()
    with pytest.raises(ValueError, match="time: 8 is older than the open window 9"):
        write(q, 8)
    q.close_window()
    with pytest.raises(ValueError, match="time: window 9 is closed"):
        write(q, 9)
    with pytest.raises(ValueError, match='"never"'):
        write(q, -(2**63))
    with pytest.raises(TypeError, match="time: an int"):
        write(q, "9")
    with pytest.raises(OverflowError, match="time: "):
        write(q, 2**63)
    assert q.closed and q.window == 9 and dict(q.items()) == dict(quotes().items())
    other = quotes()
    other.touch(time=9)
    assert other.snapshot() == before
    write(q, 10)
    assert q.window == 10 and not q.closed


@pytest.mark.parametrize("name", ["set", "update", "erase", "erase_many", "create", "invalidate", "clear", "touch", "pop"])
def test_a_write_names_its_time(name):
    q = quotes()
    arguments = {"set": ("a", (1, 2, 3, "")), "update": ({},), "clear": (), "touch": (), "erase_many": ([],)}.get(name, ("a",))
    with pytest.raises(TypeError, match="time"):
        getattr(q, name)(*arguments)


def test_a_record_is_said_in_many_ways():
    q = quotes()
    wanted = (1.0, 2.0, 3, "x")
    for value in (wanted, list(wanted), dict(zip(QUOTE, wanted)), Quote(*wanted), None):
        if value is None:
            q.set("oat", **dict(zip(QUOTE, wanted)), time=2)
        else:
            q.set("oat", value, time=2)
        assert tuple(q["oat"]) == wanted and q["oat"].venue == "x"
        q.erase("oat", time=2)


def test_fields_that_are_not_named_stay():
    q = quotes()
    q.set("bund", bid=131.5, venue="xetra", time=2)
    assert tuple(q["bund"]) == (131.5, 131.3, 5, "xetra") and q.time_of("bund") == 2
    assert tuple(q.capture().modified["bund"]) == (131.5, 131.3, 5, "xetra")
    q.update(["bund", "gilt"], {"size": [1, 2]}, time=2)
    assert q.column("size").tolist() == [1, 2] and q["bund"].bid == 131.5


def test_a_new_member_needs_the_fields_that_are_not_nullable():
    q = sw.Series(key=str, value={"bid": "f8", "ask": "f8", "venue": "str?"})
    with pytest.raises(ValueError, match="'oat' has no value yet.*there is no 'ask'"):
        q.set("oat", bid=1.0, time=1)
    with pytest.raises(ValueError, match="'gilt' has no value yet.*'ask'"):
        q.update(["gilt"], {"bid": [1.0]}, time=1)
    assert q.window is None and len(q) == 0
    q.set("oat", bid=1.0, ask=2.0, time=1)
    assert q["oat"].venue is None
    q.set("oat", venue="x", time=2)
    q.erase("oat", time=3)
    q.set("oat", bid=3.0, ask=4.0, time=3)  # its slot has the old text until the window rolls
    assert tuple(q["oat"]) == (3.0, 4.0, None)
    q.invalidate("oat", time=4)
    with pytest.raises(ValueError, match="all fields are needed"):
        q.set("oat", bid=1.0, time=4)
    with pytest.raises(TypeError, match="nobody"):
        q.set("oat", nobody=1.0, time=4)
    with pytest.raises(TypeError, match="not both"):
        q.set("oat", (1.0, 2.0, None), bid=1.0, time=4)


def test_a_member_without_a_value_is_none():
    q = quotes()
    assert q.create("oat", time=2) and not q.create("bund", time=2)
    assert q.invalidate("gilt", time=2) and not q.invalidate("gilt", time=2) and not q.invalidate("nobody", time=2)
    assert q["oat"] is None and q["gilt"] is None and q.get("oat", 7) is None and q.get("nobody", 7) == 7
    assert q.count_valid == 1 and len(q) == 3 and q.time_of("gilt") is None and "gilt" in q
    assert list(q.values())[1:] == [None, None]
    bids = q.column("bid")
    assert bids.mask.tolist() == [False, True, True]
    assert q.get_many(["gilt", "bund"])["bid"].mask.tolist() == [True, False]
    with pytest.raises(ValueError, match="no value"):
        q.column("bid", copy=False)
    assert q.to_arrow().column("venue").to_pylist() == ["eurex", None, None]
    assert q.column("time").tolist() == [1, -(2**63), -(2**63)]
    delta = q.capture()
    assert delta.added == ["oat"] and delta.invalidated == ["gilt"] and len(delta.modified) == 0


def test_pop_and_assign():
    q = quotes()
    assert q.pop("bund", time=2).size == 5 and "bund" not in q
    assert q.pop("bund", None, time=2) is None
    with pytest.raises(KeyError, match="bund"):
        q.pop("bund", time=2)
    q.assign({"oat": (1.0, 2.0, 3, "x"), "gilt": (4.0, 5.0, 6, "y")}, time=3)
    assert set(q) == {"oat", "gilt"} and q.capture().added == ["oat"]
    q.assign(["btp"], {"bid": [1], "ask": [2], "size": [3], "venue": [""]}, time=4)
    assert list(q) == ["btp"] and sorted(q.capture().removed) == ["gilt", "oat"]


def test_a_refused_update_changes_nothing():
    q = quotes()
    before = q.snapshot()
    with pytest.raises(OverflowError):
        q.update({"oat": (1.0, 2.0, 3, ""), "btp": (1.0, 2.0, 2**40, "")}, time=2)
    frames = [pa.table({"key": ["oat"], "bid": [1.0], "ask": [1.0], "size": [size], "venue": [""]}) for size in (1, 2**40)]
    reader = pa.RecordBatchReader.from_batches(frames[0].schema, [batch for table in frames for batch in table.to_batches()])
    with pytest.raises((ValueError, OverflowError), match="size"):
        q.update(reader, time=2)
    assert q.snapshot() == before and q.window == 1


def test_the_constructor_takes_what_update_takes():
    q = sw.Series({"a": 1.5, "b": 2.5}, time=3)
    assert dict(q) == {"a": 1.5, "b": 2.5} and q.window == 3
    table = pa.table({"key": [1, 2], "bid": [1.0, 2.0], "n": [3, 4]})
    q = sw.Series(table, time=1)
    assert q[2].n == 4 and sw.Series(table, key=int, value={"bid": float, "n": int}, time=1) == q
    assert sw.Series([1, 2], {"bid": np.array([1.0, 2.0]), "n": np.array([3, 4])}, time=1) == q
    with pytest.raises(TypeError, match="time: "):
        sw.Series({"a": 1.5})
    with pytest.raises(TypeError, match="value: "):
        sw.Series(key=str)
    for name in ("time", "op", "valid"):
        with pytest.raises(ValueError, match=f"'{name}'"):
            sw.Series(key=str, value={name: float, "x": float})


def test_with_closes_a_window():
    q = quotes()
    got = []
    q.subscribe(got.append)
    with q.at(2) as window:
        window.set("bund", bid=1.0)
        window.erase("gilt")
        assert window.time == 2 and len(got) == 1  # that of window 1
    assert len(got) == 2 and got[1] == q.capture() and q.closed
    with pytest.raises(ZeroDivisionError), q.at(3) as window:
        window.set("bund", bid=2.0)
        1 / 0
    assert not q.closed and q["bund"].bid == 2.0 and len(got) == 2
    with pytest.raises(AttributeError, match="there is no 'column'"):
        q.at(4).column


def test_times_are_a_column_without_a_copy():
    q = sw.Series([1, 2, 3], np.array([1.0, 2.0, 3.0]), key=int, value=float, time=4)
    times = q.column("time")
    assert times.tolist() == [4, 4, 4] and np.shares_memory(times, q.column("time", copy=False)) and q.pinned
    q.set(2, 9.0, time=5)
    assert times.tolist() == [4, 4, 4] and q.column("time").tolist() == [4, 5, 4]
    assert [chunk.tolist() for chunk in q.chunks("time")] == [[4, 5, 4]]


def test_on_write():
    q = quotes(on_write="refuse")
    view = q.column("bid")
    for write in (lambda: q.set("bund", bid=1.0, time=2), lambda: q.clear(time=2), lambda: q.apply(quotes().state())):
        pass
    with pytest.raises(BufferError):
        q.set("bund", bid=1.0, time=2)
    with pytest.raises(BufferError):
        q.restore(q.snapshot())
    assert q.window == 1
    del view
    gc.collect()
    q.set("bund", bid=1.0, time=2)


# ---- the face of a mapping ----


def test_it_is_a_mapping():
    from collections.abc import Mapping

    q = quotes()
    assert isinstance(q, Mapping) and list(q.keys()) == list(q) == ["bund", "gilt"] and dict(q)["bund"].size == 5
    assert [key for key, _ in q.items()] == ["bund", "gilt"] and q.keys() & {"bund"} == {"bund"}
    with pytest.raises(KeyError, match="nobody"):
        q["nobody"]
    with pytest.raises(TypeError):
        hash(q)
    assert q == quotes() and q != 3 and q != {"bund": 1} and sw.Series({"a": 1.5}, time=1) == {"a": 1.5}
    assert weakref.ref(q)() is q and sw.Series[str, float]
    assert "Series: 2 elements, window 1" in repr(q) and "bund" in repr(q) and "<table>" in q._repr_html_()
    assert "never written" in repr(sw.Series(key=int, value=float))
    assert q.memory_usage() > 0


def test_copies_and_pickles():
    q = quotes()
    q.erase("gilt", time=2)
    q.create("gilt", time=2)
    q.close_window()
    q.tag = ["more"]
    for again in (q.copy(), copy.copy(q), copy.deepcopy(q), pickle.loads(pickle.dumps(q))):
        assert again == q and again.window == 2 and again.capture() == q.capture() and again.closed
        again.set("bund", bid=0.0, time=3)
        assert q["bund"].bid == 131.2 and again.capture().since == 2
    assert copy.copy(q).tag is q.tag and copy.deepcopy(q).tag == ["more"] and pickle.loads(pickle.dumps(q)).tag == ["more"]
    assert copy.deepcopy(q).tag is not q.tag


def test_signatures_and_docstrings():
    for cls in (sw.Series, sw.SeriesSet, sw.Delta, sw.Subscription, sw.DeltaStream, sw.Window):
        assert inspect.getdoc(cls)
        for name in dir(cls):
            if not name.startswith("_"):
                assert inspect.getdoc(getattr(cls, name)), (cls, name)
    assert list(inspect.signature(sw.Series.set).parameters) == ["self", "key", "value", "time", "fields"]


# ---- snapshots ----


def test_every_byte_of_a_snapshot_is_checked():
    q = quotes()
    q.erase("gilt", time=2)
    data = q.snapshot()
    other = quotes()
    before = other.snapshot()
    for place in range(0, len(data), 3):
        damaged = bytearray(data)
        damaged[place] ^= 0x10
        with pytest.raises(ValueError, match="^data: "):
            other.restore(damaged)
    for end in range(0, len(data), 7):
        with pytest.raises(ValueError, match="^data: "):
            other.restore(data[:end])
    assert other.snapshot() == before
    done = []
    other.restore(memoryview(data), progress=done.append)
    assert other == q and other.capture() == q.capture() and sum(done) == len(data)
    with pytest.raises(ValueError, match="its values are"):
        sw.Series(key=str, value=float).restore(data)
    with pytest.raises(ValueError, match="its keys are"):
        sw.Series(key=int, value=QUOTE).restore(data)
    with pytest.raises(TypeError, match="data: "):
        other.restore("text")


# ---- deltas ----


def test_a_delta_is_columns():
    q = quotes()
    q.set("bund", size=9, time=2)
    q.erase("gilt", time=2)
    q.create("oat", time=2)
    d = q.capture()
    assert (d.since, d.until, len(d)) == (1, 2, 3) and d and not d.cleared and not d.replaced
    assert (d.added, d.removed, d.invalidated) == (["oat"], ["gilt"], [])
    assert dict(d.modified).keys() == {"bund"} and d.modified["bund"].size == 9 and "gilt" not in d.modified
    with pytest.raises(KeyError):
        d.modified["gilt"]
    table = d.to_arrow()
    assert table.column_names == ["time", "op", "key", "bid", "ask", "size", "venue"]
    rows = {row["key"]: row for row in table.to_pylist()}
    assert rows["bund"] == {"time": 2, "op": 2, "key": "bund", "bid": 131.2, "ask": 131.3, "size": 9, "venue": "eurex"}
    assert rows["gilt"]["op"] == 3 and rows["oat"]["op"] == 1 and rows["oat"]["venue"] is None and rows["gilt"]["bid"] is None
    assert table.schema.metadata[b"slotwise.from"] == b"1" and table.schema.metadata[b"slotwise.to"] == b"2"
    assert sorted(d.to_polars()["key"]) == ["bund", "gilt", "oat"] and len(d.to_pandas()) == 3
    assert d.to_numpy()["op"].dtype == np.int8 and d.to_numpy()["bid"].mask.sum() == 2
    assert d.modified.to_arrow().to_pylist() == [{"key": "bund", "bid": 131.2, "ask": 131.3, "size": 9, "venue": "eurex"}]
    assert len(d.modified.to_polars()) == len(d.modified.to_pandas()) == len(d.modified.to_numpy()["key"]) == 1
    assert "1 -> 2: 1 added, 1 removed, 1 written" in repr(d) and "bund" in repr(d.modified)
    with pytest.raises(TypeError):
        hash(d)
    assert pa.schema(d).metadata == table.schema.metadata


def test_a_change_that_was_undone_is_in_no_delta():
    q = quotes()
    q.set("oat", (1, 2, 3, ""), time=2)
    q.erase("oat", time=2)
    d = q.capture()
    assert not d and len(d) == 0 and d.to_arrow().num_rows == 0 and (d.since, d.until) == (1, 2)
    replica = quotes()
    assert replica.apply(d.to_arrow()) == Applied.done and replica.window == 2


def test_a_delta_outlives_its_window():
    q = quotes()
    d = q.capture()
    before = d.to_arrow()
    q.clear(time=2)
    q.set("bund", (0, 0, 0, ""), time=3)
    assert d.to_arrow().equals(before)
    del q
    gc.collect()
    assert d.modified["gilt"].venue == "a venue of more than twelve letters"


WAYS = {
    "delta": lambda d: d,
    "pickle": lambda d: pickle.loads(pickle.dumps(d)),
    "bytes": lambda d: d.to_bytes(),
    "memoryview": lambda d: memoryview(d.to_bytes()),
    "arrow": lambda d: d.to_arrow(),
    "chunks": lambda d: pa.concat_tables([d.to_arrow().slice(i, 1) for i in range(max(len(d), 1))]),
}


@pytest.mark.parametrize("way", WAYS)
def test_replicas_follow_by_deltas_that_are_lost_doubled_and_late(way):
    q, replica = quotes(), empty(quotes())
    deltas = [q.capture()]
    for time in range(2, 6):
        q.set("bund", bid=float(time), time=time)
        q.set(f"bond {time}", (time, time, time, "x" * time), time=time)
        q.erase(f"bond {time - 1}", time=time)
        if time == 4:
            q.invalidate("gilt", time=time)
        deltas.append(q.capture())
    sent = [WAYS[way](d) for d in deltas]
    assert replica.apply(sent[0]) == Applied.done
    assert replica.apply(sent[0]) == Applied.already
    assert replica.apply(sent[2]) == Applied.gap
    before = replica.snapshot()
    assert replica.apply(sent[4]) == Applied.gap and replica.snapshot() == before
    for each, d in zip(sent[1:], deltas[1:]):
        assert replica.apply(each) == Applied.done
        assert replica.capture() == d
        assert replica.apply(each) == Applied.already
    assert replica == q and replica.window == 5


def test_a_frame_that_lost_its_metadata_needs_since():
    q, replica = quotes(), quotes()
    q.set("bund", bid=1.0, time=2)
    frame = q.capture().to_polars()
    for given, missing in (({}, "since"), ({"since": 1}, "cleared"), ({"since": 1, "cleared": False}, "replaced")):
        with pytest.raises(ValueError, match=f"{missing}: .*cleared=delta.cleared, replaced=delta.replaced"):
            replica.apply(frame, **given)
    with pytest.raises(ValueError, match="state: .*assign"):
        replica.reconcile(frame, time=2)
    assert replica.apply(frame, since=0, cleared=False, replaced=False) == Applied.gap
    assert replica.apply(frame, since=1, cleared=False, replaced=False) == Applied.done and replica == q
    assert replica.apply(frame.to_pandas(), since=1, cleared=False, replaced=False) == Applied.already


def test_a_delta_that_does_not_fit_changes_nothing():
    q, replica = quotes(), empty(quotes())
    q.erase("gilt", time=2)
    q.set("bund", bid=1.0, time=2)
    replica.set("bund", (1, 2, 3, ""), time=1)
    before = replica.snapshot()
    with pytest.raises(ValueError, match="remove of the key 'gilt': it is no member"):
        replica.apply(q.capture())
    assert replica.snapshot() == before and replica.window == 1
    assert replica.apply(q.capture(), strict=False) == Applied.done and dict(replica) == dict(q)
    with pytest.raises(ValueError, match="other types"):
        sw.Series(key=str, value=float).apply(q.capture())
    with pytest.raises(TypeError, match="delta: "):
        replica.apply(3)


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda t: t.set_column(1, "op", pa.array([9] * len(t), pa.int8())), "'op' is 9"),
        (lambda t: t.set_column(1, "op", pa.array([2] * len(t), pa.int8())), "update"),
        (lambda t: t.set_column(0, "time", pa.array([7] * len(t), pa.int64())), "'time' is 7, not 2"),
        (lambda t: pa.concat_tables([t, t]), "twice"),
        (lambda t: t.drop_columns(["bid"]), "bid"),
        (lambda t: t.replace_schema_metadata({**t.schema.metadata, b"slotwise.from": b"x"}), "damaged"),
        (lambda t: t.replace_schema_metadata({**t.schema.metadata, b"slotwise.from": b"3"}), "begins after"),
        (lambda t: t.set_column(3, "bid", pa.array([1.0] * len(t))), "is null, and 'bid' is not|a remove has a value"),
    ],
)
def test_streams_that_are_no_delta_are_refused(change, words):
    q, replica = quotes(), quotes()
    q.set("bund", bid=1.0, time=2)
    q.erase("gilt", time=2)
    q.create("oat", time=2)
    table = change(q.capture().to_arrow())
    before = replica.snapshot()
    with pytest.raises(ValueError, match=words):
        replica.apply(table)
    assert replica.snapshot() == before


def test_every_byte_of_a_delta_is_checked():
    q, replica = quotes(), quotes()
    q.set("bund", bid=1.0, time=2)
    q.erase("gilt", time=2)
    data = q.capture().to_bytes()
    before = replica.snapshot()
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 0x04
        with pytest.raises(ValueError, match="^data: "):
            replica.apply(damaged)
    for end in range(len(data)):
        with pytest.raises(ValueError, match="^data: "):
            replica.apply(data[:end])
    assert replica.snapshot() == before and replica.apply(data) == Applied.done


def test_deltas_are_joined():
    q = quotes()
    first = q.capture()
    q.set("oat", (1, 2, 3, ""), time=2)
    q.erase("gilt", time=2)
    second = q.capture()
    q.erase("oat", time=3)
    q.set("gilt", (4, 5, 6, "z"), time=3)
    third = q.capture()
    both = second.then(third)
    assert both.added == both.removed == [] and list(both.modified) == ["gilt"] and (both.since, both.until) == (1, 3)
    replica = empty(q)
    assert replica.apply(first.then(second).then(third)) == Applied.done and replica == q
    with pytest.raises(ValueError, match="does not begin where this delta ends"):
        first.then(third)


def test_state_and_reconcile():
    q, other = quotes(), empty(quotes())
    q.create("oat", time=2)
    other.set("bund", q["bund"], time=1)
    other.set("btp", (1, 2, 3, ""), time=1)
    other.reconcile(q.state(), time=2)
    assert other == q and "bund" not in other.capture().modified and other.capture().removed == ["btp"]
    assert sorted(other.capture().added) == ["gilt", "oat"]
    other.reconcile(q, time=3)
    assert len(other.capture()) == 0
    fresh = empty(q)
    assert fresh.apply(q.state()) == Applied.done and fresh == q and fresh.window == 2


def test_invalidate_all_is_relative_to_an_empty_series():
    q, replica = quotes(), quotes()
    q.invalidate_all(time=2)
    q.set("oat", (1, 2, 3, ""), time=2)
    d = q.capture()
    assert d.cleared and d.added == ["oat"] and d.removed == []
    for way in WAYS.values():
        replica = quotes()
        assert replica.apply(way(d)) == Applied.done and replica == q and replica.capture().cleared
    q.set("oat", size=9, time=3)
    joined = d.then(q.capture())
    replica = quotes()
    assert joined.cleared and replica.apply(joined) == Applied.done and replica == q


def test_since_of_a_capture_can_be_said():
    q = quotes()
    assert q.capture().since is None and q.capture(since=0).since == 0
    with pytest.raises(TypeError, match="since: "):
        q.capture(since="x")


def test_all_fields_nullable_has_a_column_valid():
    q = sw.Series(key=int, value={"a": "f8?", "b": "str?"})
    q.set(1, (None, None), time=1)
    q.create(2, time=1)
    table = q.capture().to_arrow()
    assert table.column_names == ["time", "op", "key", "valid", "a", "b"]
    replica = empty(q)
    assert replica.apply(table) == Applied.done and replica == q and replica[2] is None and tuple(replica[1]) == (None, None)
    assert replica.capture() == q.capture()


def test_a_member_without_a_value_that_was_replaced_by_such_a_one_has_lost_none():
    q, replica = sw.Series(key=int, value=float), sw.Series(key=int, value=float)
    q.create(1, time=1)
    replica.apply(q.capture())
    q.erase(1, time=2)
    q.create(1, time=2)
    assert q.capture().invalidated == []
    assert replica.apply(q.capture()) == Applied.done and replica.capture() == q.capture()


# ---- models ----


class Model:
    """What a series should be: a dict of values, where None is none, and that of the window before."""

    def __init__(self):
        self.now, self.before, self.window, self.previous = {}, {}, None, None
        self.written, self.cleared = set(), False

    def at(self, time):
        if self.window is None or time > self.window:
            self.before, self.previous, self.window = dict(self.now), self.window, time
            self.written, self.cleared = set(), False

    def set(self, key, value):
        self.now[key] = value
        self.written.add(key)

    def erase(self, key):
        if key in self.now:
            del self.now[key]
            self.written.discard(key)

    def create(self, key):
        self.now.setdefault(key, None)

    def invalidate(self, key):
        if self.now.get(key) is not None:
            self.now[key] = None
            self.written.discard(key)

    def clear(self):
        for key in list(self.now):
            self.erase(key)

    def invalidate_all(self):
        self.clear()
        if self.window is not None:
            self.before, self.cleared = {}, True

    def check(self, delta):
        assert (delta.since, delta.until) == (self.previous, self.window)
        assert delta.cleared == self.cleared
        assert set(delta.added) == self.now.keys() - self.before.keys() and len(delta.added) == len(set(delta.added))
        assert set(delta.removed) == self.before.keys() - self.now.keys()
        assert dict(delta.modified).keys() == self.written
        assert all(same(delta.modified[key], self.now[key]) for key in self.written)
        lost = {key for key, value in self.before.items() if value is not None and self.now.get(key, value) is None}
        assert set(delta.invalidated) == lost and len(delta.invalidated) == len(lost)


class Wrapped(tuple):
    """A value of the model that is not None, though the value may be."""


@st.composite
def histories(draw):
    key, keys = draw(key_types())
    schema, values = draw(schemas())
    some = draw(st.lists(keys, min_size=1, max_size=6, unique=True))
    names = ["set", "set", "update", "rows", "erase", "erase_many", "create", "invalidate", "clear", "invalidate_all", "touch", "same"]
    steps = []
    for _ in range(draw(st.integers(1, 25))):
        name = draw(st.sampled_from(names))
        many = draw(st.lists(st.tuples(st.sampled_from(some), values), max_size=5))
        steps.append((name, draw(st.sampled_from(some)), draw(values), many, draw(st.integers(0, 2))))
    return key, schema, steps


@settings(deadline=None)
@given(histories(), st.sampled_from(sorted(WAYS)), st.data())
def test_series_and_replica_agree_with_a_model(history, way, data):
    key, schema, steps = history
    q, model = sw.Series(key=key, value=schema), Model()
    replica, late = sw.Series(key=key, value=schema), sw.Series(key=key, value=schema)
    time, pending, told = 0, None, []
    q.subscribe(told.append)
    record = isinstance(schema, dict)

    def value_of(value):
        return value if record or value is not None else Null

    for name, one, value, many, later in steps:
        if later and q.window is not None and replica.window != q.window:
            d = q.capture()
            model.check(d)
            sent = WAYS[way](d)
            assert replica.apply(sent) == Applied.done and replica.apply(sent) == Applied.already
            assert replica == q and replica.capture() == d and replica.window == q.window
            pending = d if pending is None else pending.then(d)
        time += later
        if name == "set":
            model.at(time)
            q.set(one, value, time=time)
            model.set(one, value_of(value))
        elif name == "update":
            model.at(time)
            q.update(many, time=time)
            for k, v in many:
                model.set(k, value_of(v))
        elif name == "rows":
            if not many:
                continue
            model.at(time)
            columns = columns_of_rows(schema, [v for _, v in many])
            q.update([k for k, _ in many], columns if record else columns, time=time)
            for k, v in many:
                model.set(k, value_of(v))
        elif name in ("erase", "create", "invalidate"):
            model.at(time)
            getattr(q, name)(one, time=time)
            getattr(model, name)(one)
        elif name == "erase_many":
            model.at(time)
            keys = [k for k, _ in many]
            assert q.erase_many(keys, time=time) == len(set(keys) & model.now.keys())
            for k in keys:
                model.erase(k)
        elif name == "same":
            q = data.draw(st.sampled_from([lambda s: s.copy(), lambda s: pickle.loads(pickle.dumps(s))]))(q)
            q.subscribe(told.append)
        else:
            model.at(time)
            getattr(q, name)(time=time)
            if name != "touch":
                getattr(model, name)()
        shown = {k: None if v is Null else v for k, v in model.now.items()}
        assert same_items(q, shown)
        assert q.count_valid == sum(v is not None for v in model.now.values())
        for k in model.written:
            assert q.time_of(k) == q.window
    if q.window is None:
        return
    d = q.capture()
    model.check(d)
    if replica.window != q.window:
        pending = d if pending is None else pending.then(d)
    assert late.apply(WAYS[way](pending)) == Applied.done and late == q and late.window == q.window
    again = sw.Series(key=key, value=schema)
    again.reconcile(q, time=1)
    assert again == q
    again.restore(q.snapshot())
    assert again == q and again.capture() == d


class _Null:
    """A value that is None: a member that has one."""


Null = _Null()


# `same` compares values of the model with what a series gives: a null value is None there.
_same = same


def same(a, b):  # noqa: F811
    return _same(a, None if b is Null else b)


# ---- subscribers ----


def test_subscribers_get_the_delta_of_each_closed_window():
    q = quotes()
    got = []
    subscription = q.subscribe(got.append)
    q.set("bund", bid=1.0, time=1)
    assert got == []
    q.set("bund", bid=2.0, time=2)
    assert [(d.since, d.until) for d in got] == [(None, 1)] and isinstance(got[0], sw.Delta)
    q.close_window()
    q.close_window()
    assert [(d.since, d.until) for d in got] == [(None, 1), (1, 2)] and got[1].modified["bund"].bid == 2.0
    q.touch(time=5)
    q.touch(time=6)
    assert [(d.since, d.until) for d in got[2:]] == [(2, 5)]
    subscription.close()
    subscription.close()
    q.touch(time=7)
    assert len(got) == 3 and subscription.closed
    with pytest.raises(TypeError, match="callback: "):
        q.subscribe(3)


def test_a_replica_by_subscription_is_complete():
    q = quotes()
    replica = empty(q)
    q.set("bund", bid=0.0, time=2)
    q.subscribe(replica.apply, initial=True)
    assert replica == q and q.closed
    q.update({"oat": (1, 2, 3, "")}, time=3)
    q.erase("gilt", time=4)
    q.close_window()
    assert replica == q
    data = quotes().snapshot()
    q.restore(data)
    assert replica == q and replica.window == 1
    q.set("bund", bid=5.0, time=2)
    q.close_window()
    assert replica == q and replica.window == 2


def test_subscribers_are_called_in_order_without_the_lock():
    q = quotes()
    order = []

    def first(delta):
        order.append(("first", delta.until))
        assert len(q) >= 2
        if delta.until == 1:
            q.set("bund", bid=9.0, time=3)  # closes window 2
            order.append("written")

    q.subscribe(first)
    q.subscribe(lambda delta: order.append(("second", delta.until)))
    q.touch(time=2)
    assert order == [("first", 1), "written", ("second", 1), ("first", 2), ("second", 2)]


def test_what_a_subscriber_raises_stops_no_other(monkeypatch):
    q, got, raised = quotes(), [], []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: raised.append(what.exc_value))

    def bad(delta):
        raise ValueError(delta.until)

    q.subscribe(bad)
    q.subscribe(got.append)
    q.touch(time=2)
    q.touch(time=3)
    assert [d.until for d in got] == [1, 2] and [e.args for e in raised] == [(1,), (2,)]


def test_keyboard_interrupts_pass_and_lose_no_delta():
    q, got = quotes(), []

    def interrupted(delta):
        if delta.until == 1:
            raise KeyboardInterrupt

    q.subscribe(interrupted)
    q.subscribe(got.append)
    with pytest.raises(KeyboardInterrupt):
        q.touch(time=2)
    assert q.window == 2 and got == []
    q.touch(time=3)
    assert [d.until for d in got] == [1, 2]


def test_subscriptions_end_and_begin_inside_of_callbacks():
    q, got = quotes(), []
    subscriptions = []

    def once(delta):
        got.append(("once", delta.until))
        subscriptions[0].close()
        subscriptions[1].close()
        q.subscribe(lambda d: got.append(("new", d.until)))

    subscriptions.append(q.subscribe(once))
    subscriptions.append(q.subscribe(lambda d: got.append(("never", d.until))))
    q.touch(time=2)
    q.touch(time=3)
    assert got == [("once", 1), ("new", 2)]
    with q.subscribe(lambda d: got.append(("with", d.until))):
        q.touch(time=4)
    q.touch(time=5)
    assert ("with", 3) in got and ("with", 4) not in got


def test_weak_subscribers_keep_nothing_alive():
    class Listener:
        def __init__(self):
            self.got = []

        def hear(self, delta):
            self.got.append(delta)

    q = quotes()
    listener = Listener()
    subscription = q.subscribe(listener.hear, weak=True)
    q.touch(time=2)
    assert len(listener.got) == 1
    alive = weakref.ref(listener)
    del listener
    gc.collect()
    assert alive() is None and subscription.closed
    q.touch(time=3)
    strong = Listener()
    alive = weakref.ref(strong)
    q.subscribe(strong.hear)
    del strong
    gc.collect()
    assert alive() is not None
    gone = weakref.ref(q)
    del q
    gc.collect()
    assert gone() is None and alive() is None


def test_a_series_that_subscribes_to_itself_is_collected():
    q = quotes()
    q.subscribe(lambda delta, q=q: q)
    gone = weakref.ref(q)
    del q
    gc.collect()
    assert gone() is None


def test_threads_write_and_every_window_is_told_once_in_order():
    q, got = sw.Series(key=int, value=int), []
    q.subscribe(got.append)
    lock = threading.Lock()
    next_time = iter(range(1, 10_000))

    def work(me):
        for _ in range(300):
            with lock:
                q.set(me, me, time=next(next_time))

    threads = [threading.Thread(target=work, args=(me,)) for me in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    q.close_window()
    assert [(d.since or 0, d.until) for d in got] == [(t - 1, t) for t in range(1, 1201)]


# ---- asynchronous streams ----


def test_deltas_come_to_a_task_from_threads():
    async def main():
        q = sw.Series(key=int, value=float)
        replica = sw.Series(key=int, value=float)
        got = []
        stream = q.deltas(initial=True)

        async def follow():
            async for delta in stream:
                got.append(delta)
                assert replica.apply(delta) in (Applied.done, Applied.already)

        task = asyncio.create_task(follow())

        def write():
            for time in range(1, 200):
                q.set(time % 7, float(time), time=time)
            q.close_window()

        thread = threading.Thread(target=write)
        thread.start()
        while not got or got[-1].until != 199:
            await asyncio.sleep(0.001)
        thread.join()
        await stream.aclose()
        await task
        assert replica == q

    asyncio.run(main())


def test_a_slow_task_gets_joined_deltas():
    async def main():
        q = quotes()
        replica = quotes()
        replica_late = quotes()
        stream = q.deltas(limit=3)
        q.touch(time=2)
        for time in range(3, 50):
            q.set("bund", bid=float(time), time=time)
            q.set(f"bond {time}", (1, 2, 3, ""), time=time)
            q.erase(f"bond {time - 1}", time=time)
        q.close_window()
        await stream.aclose()
        got = [delta async for delta in stream]
        assert len(got) == 3 and got[-1].until == 49 and got[0].until == 1
        for delta in got:
            assert replica.apply(delta) in (Applied.done, Applied.already)
        assert replica == q and len(got[-1].added) == 1
        with pytest.raises(ValueError, match="limit: "):
            q.deltas(limit=0)
        del replica_late

    asyncio.run(main())


def test_a_stream_ends_with_its_last_reference_and_with_cancellation():
    async def main():
        q = quotes()
        stream = q.deltas()
        task = asyncio.create_task(stream.__anext__())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        q.touch(time=2)
        assert (await stream.__anext__()).until == 1
        subscription = stream._subscription
        del stream, task
        await asyncio.sleep(0)
        gc.collect()
        assert subscription.closed
        q.touch(time=3)

    asyncio.run(main())
    with pytest.raises(RuntimeError):
        quotes().deltas()


# ---- progress ----


def test_progress_counts_every_row():
    q, counts = sw.Series(key=int, value=float), []
    q.update(range(1000), np.arange(1000.0), time=1, progress=counts.append)
    assert sum(counts) == 1000
    counts.clear()
    batches = [pa.record_batch({"key": [i], "value": [1.0]}) for i in range(50)]
    q.update(pa.RecordBatchReader.from_batches(batches[0].schema, batches), time=2, progress=counts.append)
    assert sum(counts) == 50 and len(counts) < 50
    with pytest.raises(TypeError, match="progress: "):
        q.update({1: 1.0}.keys(), [1.0], time=3, progress=3)
