# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""SeriesSet: sets over time, their deltas and replicas."""

import copy
import gc
import pickle
import weakref
from collections.abc import Set

import numpy as np
import pyarrow as pa
import pytest
import slotwise as sw
from hypothesis import given, settings
from hypothesis import strategies as st
from random_types import key_types
from slotwise import Applied

WAYS = {
    "delta": lambda d: d,
    "pickle": lambda d: pickle.loads(pickle.dumps(d)),
    "bytes": lambda d: d.to_bytes(),
    "arrow": lambda d: d.to_arrow(),
}


def names():
    s = sw.SeriesSet(key=str)
    s.update(["bund", "gilt", "a key of more than twelve letters"], time=1)
    return s


def test_it_is_a_set_over_time():
    s = names()
    assert s.window == 1 and len(s) == 3 and "bund" in s and "oat" not in s and 3 not in s
    assert s.add("oat", time=2) and not s.add("bund", time=2) and s.erase("gilt", time=2) and not s.erase("gilt", time=2)
    s.discard("nobody", time=2)
    assert set(s) == {"bund", "oat", "a key of more than twelve letters"} and s == set(s) and s != {"bund"} and s != 3
    assert s.time_of("bund") == 1 and s.time_of("oat") == 2 and s.time_of("gilt") is None
    d = s.capture()
    assert (d.added, d.removed, d.invalidated) == (["oat"], ["gilt"], []) and "1 added, 1 removed>" in repr(d)
    assert d.to_arrow().column_names == ["time", "op", "key"]
    assert sorted(zip(d.to_numpy()["op"], d.to_numpy()["key"])) == [(1, "oat"), (3, "gilt")]
    assert sorted(s.column("time")) == [1, 1, 2] and s.to_arrow().column_names == ["key"]
    assert s.contains_many(["bund", "gilt"]).tolist() == [True, False]
    with pytest.raises(TypeError):
        hash(s)
    assert "SeriesSet: 3 elements, window 2" in repr(s) and weakref.ref(s)() is s and sw.SeriesSet[str]


def test_the_past_can_not_be_written():
    s = names()
    s.touch(time=9)
    before = s.snapshot()
    for write in (s.touch, s.clear, s.invalidate_all, lambda time: s.add("x", time=time), lambda time: s.update(["x"], time=time)):
        with pytest.raises(ValueError, match="time: 8 is older than the open window 9"):
            write(time=8)
    assert s.snapshot() == before
    s.close_window()
    with pytest.raises(ValueError, match="closed"):
        s.add("x", time=9)


def test_sources():
    for source in ([1, 2], {1, 2}, np.array([1, 2]), pa.table({"key": [1, 2]}), pa.array([1, 2]), iter([1, 2])):
        assert set(sw.SeriesSet(source, time=1)) == {1, 2}
        s = sw.SeriesSet([2, 3], time=1)
        s.assign(source if not hasattr(source, "__next__") else [1, 2], time=2)
        assert set(s) == {1, 2} and s.capture().added == [1] and s.capture().removed == [3]
    s = sw.SeriesSet(key=(str, int))
    s.update([("a", 1), ("b", 2)], time=1)
    assert set(s) == {("a", 1), ("b", 2)} and s.erase_many([("a", 1), ("c", 1)], time=2) == 1
    assert s.capture().to_arrow().column_names == ["time", "op", "key_0", "key_1"]
    for source in (None, 3, "text"):
        with pytest.raises(TypeError):
            s.update(source, time=3)
    with pytest.raises(TypeError, match="key: "):
        sw.SeriesSet()
    with pytest.raises(TypeError, match="time: "):
        sw.SeriesSet([1])
    before = s.snapshot()
    with pytest.raises(TypeError):
        s.update([("a", 9), "b"], time=3)
    assert s.snapshot() == before


def test_copies_pickles_and_snapshots():
    s = names()
    s.erase("bund", time=2)
    for again in (s.copy(), copy.copy(s), copy.deepcopy(s), pickle.loads(pickle.dumps(s))):
        assert again == s and again.capture() == s.capture() and again.window == 2
    data = s.snapshot()
    other = names()
    before = other.snapshot()
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 0x20
        with pytest.raises(ValueError, match="^data: "):
            other.restore(damaged)
    assert other.snapshot() == before
    other.restore(data)
    assert other == s
    with pytest.raises(ValueError, match="^data: "):
        sw.SeriesSet(key=int).restore(data)
    with pytest.raises(ValueError, match="^data: "):
        sw.Series(key=str, value=float).restore(data)


def test_subscribers_and_windows():
    s, replica, got = names(), sw.SeriesSet(key=str), []
    s.subscribe(replica.apply, initial=True)
    s.subscribe(got.append)
    with s.at(2) as window:
        window.add("oat")
        window.discard("bund")
        with pytest.raises(AttributeError):
            window.set
    assert replica == s and got[-1].added == ["oat"]
    s.restore(names().snapshot())
    assert replica == s and got[-1].replaced
    gone = weakref.ref(s)
    del s, window
    gc.collect()
    assert gone() is None


def test_state_and_reconcile():
    s, other = names(), sw.SeriesSet(["oat", "bund"], time=1)
    other.reconcile(s, time=2)
    assert other == s and other.capture().removed == ["oat"] and "bund" not in other.capture().added
    fresh = sw.SeriesSet(key=str)
    assert fresh.apply(s.state()) == Applied.done and fresh == s and isinstance(set(s), Set)


@st.composite
def histories(draw):
    key, keys = draw(key_types())
    some = st.sampled_from(draw(st.lists(keys, min_size=1, max_size=6, unique=True)))
    names = ["add", "update", "erase", "erase_many", "assign", "clear", "invalidate_all", "touch"]
    steps = st.tuples(st.sampled_from(names), some, st.lists(some, max_size=5), st.integers(0, 2))
    return key, draw(st.lists(steps, min_size=1, max_size=30))


@settings(deadline=None)
@given(histories(), st.sampled_from(sorted(WAYS)))
def test_sets_and_replicas_agree_with_a_model(history, way):
    key, steps = history
    s, replica, late = (sw.SeriesSet(key=key) for _ in range(3))
    now, before, added_at = set(), set(), {}
    time, pending, cleared, previous = 0, None, False, None

    def check():
        d = s.capture()
        assert (d.since, d.until, d.cleared) == (previous, s.window, cleared)
        assert set(d.added) == now - before and set(d.removed) == before - now and len(d) == len(now ^ before)
        return d

    for name, one, many, later in steps:
        if later and s.window is not None and replica.window != s.window:
            d = check()
            sent = WAYS[way](d)
            assert replica.apply(sent) == Applied.done and replica.apply(sent) == Applied.already
            assert replica == s and replica.capture() == d
            pending = d if pending is None else pending.then(d)
        time += later
        if s.window is None or time > s.window:
            previous, before, cleared = s.window, set(now), False
        arguments = {"add": (one,), "erase": (one,), "update": (many,), "erase_many": (many,), "assign": (many,)}.get(name, ())
        getattr(s, name)(*arguments, time=time)
        kept = set(now)
        if name == "add":
            now.add(one)
        elif name == "update":
            now |= set(many)
        elif name == "erase":
            now.discard(one)
        elif name == "erase_many":
            now -= set(many)
        elif name == "assign":
            now = set(many)
        elif name in ("clear", "invalidate_all"):
            now = set()
        if name == "invalidate_all":
            before, cleared, kept = set(), True, set()
        for each in now - kept:
            if each not in before:
                added_at[each] = time
        assert s == now and set(s) == now and len(s) == len(now)
        for each in now - before:
            assert s.time_of(each) == added_at[each]
    d = check()
    if replica.window != s.window:
        pending = d if pending is None else pending.then(d)
    assert late.apply(WAYS[way](pending)) == Applied.done and late == s
    again = sw.SeriesSet(key=key)
    again.restore(s.snapshot())
    assert again == s and again.capture() == d
    again = sw.SeriesSet(key=key)
    again.reconcile(s, time=1)
    assert again == s
