# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Replicas that are led by frames without metadata, and what a delta says of values that were lost."""

import pickle

import pytest
import slotwise
from hypothesis import given, settings
from hypothesis import strategies as st

pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")


@pytest.mark.parametrize("frame_of", [slotwise.Delta.to_polars, slotwise.Delta.to_pandas], ids=["polars", "pandas"])
@pytest.mark.parametrize("make", [slotwise.Series, slotwise.SeriesSet], ids=["Series", "SeriesSet"])
def test_a_replica_is_led_by_frames(frame_of, make):
    types = {"key": str, "value": {"a": float}} if make is slotwise.Series else {"key": str}
    series, replica = make(**types), make(**types)

    def write(key, time):
        series.set(key, a=1.0, time=time) if make is slotwise.Series else series.add(key, time=time)

    def lead():
        delta = series.capture()
        applied = replica.apply(frame_of(delta), since=delta.since, until=delta.until)
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
    assert replica.apply(frame_of(delta), since=delta.since, until=delta.until) == slotwise.Applied.already
    late = make(**types)
    assert late.apply(frame_of(delta), since=delta.since, until=delta.until) == slotwise.Applied.gap


def test_what_a_frame_does_not_say_is_asked_for():
    series = slotwise.Series(key=int, value=float)
    series.set(1, 1.0, time=1)
    delta = series.capture()
    frame = delta.to_polars()
    replica = slotwise.Series(key=int, value=float)
    with pytest.raises(ValueError, match="since: .*pass since=delta.since.*until=delta.until"):
        replica.apply(frame)
    with pytest.raises(ValueError, match="'time' is 1, not 2"):
        replica.apply(frame, since=None, until=2)
    series.touch(time=2)
    with pytest.raises(ValueError, match="no rows.*until="):
        replica.apply(series.capture().to_polars(), since=1)
    assert replica.window is None
    assert replica.apply(frame, since=None) == slotwise.Applied.done
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
