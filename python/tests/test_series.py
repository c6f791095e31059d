# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Series: windows, deltas, replicas."""

import math
import pickle
import random

import numpy as np
import pytest
import slotwise
from slotwise import Applied


def test_a_window_opens_with_its_first_write(series_subject):
    s = series_subject.cls()
    assert s.window is None
    s.set(series_subject.keys[0], 1.0, time=5)
    assert s.window == 5 and s.time_of(series_subject.keys[0]) == 5
    s.set(series_subject.keys[1], 1.0, time=6)
    assert s.window == 6 and s.time_of(series_subject.keys[0]) == 5
    assert s.time_of(series_subject.keys[2]) is None


def test_an_older_time_is_refused(series_subject):
    s = series_subject.filled()
    s.clear(time=9)
    with pytest.raises(ValueError, match="window|time|late"):
        s.set(series_subject.keys[0], 1.0, time=8)
    assert len(s) == 0 and s.window == 9


def test_a_write_must_name_its_time(series_subject):
    with pytest.raises(TypeError):
        series_subject.cls().set(series_subject.keys[0], 1.0)


def test_a_member_without_a_value_is_none(series_subject):
    a, b, c = series_subject.keys
    s = series_subject.filled()
    s.erase(c, time=2)
    s.create(c, time=2)
    assert c in s and s[c] is None and s.get(c, 7) is None and s.time_of(c) is None
    assert s.values() == [1.5, 2.5, None] and s.items()[2] == (c, None)
    column = s.column()
    assert column.tolist()[:2] == [1.5, 2.5] and math.isnan(column[2])
    with pytest.raises(ValueError, match="no value"):
        s.column(copy=False)


def test_times_are_a_column_with_nat_for_never(series_subject):
    a, b, c = series_subject.keys
    s = series_subject.cls()
    s.set(a, 1.0, time=3)
    s.set(b, 1.0, time=4)
    s.create(c, time=4)
    times = s.column("time")
    assert times[:2].tolist() == [3, 4] and np.isnat(times.view("datetime64[ns]")[2])
    assert np.shares_memory(times, s.column("time", copy=False)) and not times.flags.writeable
    (run,) = s.chunks("time")
    assert np.shares_memory(times, run) and run.tolist() == times.tolist()
    assert not np.shares_memory(times, s.column("time", copy=True))
    s.set(a, 2.0, time=5)  # the views keep what they show
    assert times[0] == run[0] == 3 and s.column("time")[0] == 5
    s.erase(b, time=5)
    assert len(s.column("time")) == 2
    with pytest.raises(ValueError, match="holes"):
        s.column("time", copy=False)


def test_a_delta_has_exactly_the_changes_of_the_window(series_subject):
    a, b, c = series_subject.keys
    s = series_subject.cls()
    s.update({a: 1.0, b: 2.0}, time=1)
    s.set(a, 3.0, time=2)
    s.erase(b, time=2)
    s.create(c, time=2)
    d = s.capture()
    assert (d.since, d.until) == (1, 2)
    assert (d.added, d.removed, d.reset, d.modified) == ([c], [b], [], {a: 3.0})
    assert d and "1 -> 2: 1 added, 1 removed, 1 written" in repr(d)


def test_a_change_that_was_undone_is_not_in_the_delta(series_subject):
    a, _, c = series_subject.keys
    s = series_subject.cls()
    s.set(a, 1.0, time=1)
    s.set(c, 1.0, time=2)
    s.erase(c, time=2)
    assert not s.capture() and s.capture().added == []


def test_a_delta_leads_a_replica_to_the_same_state(series_subject):
    s, replica = series_subject.filled(), series_subject.cls()
    assert replica.apply(s.capture()) == Applied.done
    s.erase(series_subject.keys[0], time=2)
    assert replica.apply(s.capture()) == Applied.done
    assert replica == s and replica.window == 2 and replica.capture() == s.capture()


def test_a_delta_may_come_twice(series_subject):
    s, replica = series_subject.filled(), series_subject.cls()
    d = s.capture()
    assert replica.apply(d) == Applied.done
    bytes_of = replica.snapshot()
    assert replica.apply(d) == Applied.already and replica.snapshot() == bytes_of


def test_a_missing_delta_is_a_gap(series_subject):
    s, replica = series_subject.filled(), series_subject.cls()
    s.set(series_subject.keys[0], 9.0, time=2)
    bytes_of = replica.snapshot()
    assert replica.apply(s.capture()) == Applied.gap and replica.snapshot() == bytes_of


def test_a_delta_that_does_not_fit_changes_nothing(series_subject):
    s, replica = series_subject.filled(), series_subject.cls()
    s.erase(series_subject.keys[0], time=2)
    replica.set(series_subject.keys[1], 1.0, time=1)  # the windows agree, the members do not
    bytes_of = replica.snapshot()
    with pytest.raises(ValueError, match=r"removed\[0\]"):
        replica.apply(s.capture())
    assert replica.snapshot() == bytes_of and replica.window == 1


def test_deltas_can_be_pickled(series_subject):
    a, b, c = series_subject.keys
    s = series_subject.filled()
    s.erase(a, time=2)
    s.set(b, 4.0, time=2)
    s.erase(c, time=2)
    s.create(c, time=2)
    d = s.capture()
    again = pickle.loads(pickle.dumps(d))
    assert again == d and again.reset == [c] and again.since == 1 and again != 5
    replica = series_subject.filled()
    assert replica.apply(again) == Applied.done and replica == s


def test_after_restore_the_window_before_must_be_said(series_subject):
    s = series_subject.filled()
    s.set(series_subject.keys[0], 9.0, time=2)
    other = series_subject.cls()
    other.restore(s.snapshot())
    with pytest.raises(ValueError, match="since="):
        other.capture()
    assert other.capture(since=1) == s.capture()
    other.set(series_subject.keys[0], 9.5, time=3)
    assert other.capture().since == 2


def test_a_pickled_series_knows_the_window_before(series_subject):
    s = series_subject.filled()
    s.set(series_subject.keys[0], 9.0, time=2)
    for other in (pickle.loads(pickle.dumps(s)), s.copy()):
        assert other.capture() == s.capture() and other.capture().since == 1


def test_random_windows_lead_a_replica_to_the_same_state():
    rng = random.Random(7)
    s, replica = slotwise.Int64Series(), slotwise.Int64Series()
    for time in range(1, 200):
        for _ in range(rng.randrange(6)):
            key = rng.randrange(12)
            what = rng.randrange(4)
            if what == 0:
                s.erase(key, time=time)
            elif what == 1:
                s.create(key, time=time)
            else:
                s.set(key, rng.random(), time=time)
        if s.window != time:
            continue
        assert replica.apply(pickle.loads(pickle.dumps(s.capture()))) == Applied.done
        assert replica == s
