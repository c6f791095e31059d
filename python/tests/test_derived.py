# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What holds of every container class alike: classes that derive from it, iteration while it changes, numpy.asarray()."""

import collections.abc
import copy
import pickle
import sys

import numpy as np
import pytest
import slotwise as sw

ALL = {
    "Map": (sw.Map, lambda cls: cls({1: 1.0, 2: 2.0})),
    "Set": (sw.Set, lambda cls: cls([1, 2])),
    "Series": (sw.Series, lambda cls: cls({1: 1.0, 2: 2.0}, time=1)),
    "SeriesSet": (sw.SeriesSet, lambda cls: cls([1, 2], time=1)),
    "SlotMap": (sw.SlotMap, lambda cls: cls([1.0, 2.0], value=float)),
    "Table": (sw.Table, lambda cls: cls(float, [1.0, 2.0])),
    "World": (sw.World, lambda cls: cls()),
}
COPIES = [lambda thing: thing.copy(), copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]


def derived(name, **members):
    """A class that pickles find."""
    cls = type(f"Own{name}", (ALL[name][0],), {"__module__": __name__, **members})
    setattr(sys.modules[__name__], cls.__name__, cls)
    return cls


@pytest.fixture(params=ALL)
def name(request):
    return request.param


@pytest.mark.parametrize("copied", COPIES)
def test_copies_have_attributes_and_slots(name, copied):
    thing = ALL[name][1](derived(name, __slots__=("extra", "unset")))
    thing.extra, thing.other = [1], "other"
    got = copied(thing)
    assert type(got) is type(thing) and got.extra == [1] and got.other == "other" and not hasattr(got, "unset")
    assert (got.extra is thing.extra) == (copied in COPIES[:2])


@pytest.mark.parametrize("copied", COPIES)
def test_copies_ask_getstate_and_setstate(name, copied):
    def setstate(self, state):
        self.seen = state

    thing = ALL[name][1](derived(name, __getstate__=lambda self: {"state": 5}, __setstate__=setstate))
    assert copied(thing).seen == {"state": 5}


def test_a_copy_sets_the_state_once(name):
    states = []
    thing = ALL[name][1](derived(name, __setstate__=lambda self, state: states.append(state)))
    thing.other = 1
    for copied in COPIES:
        copied(thing)
    assert states == [{"other": 1}] * len(COPIES)


def test_the_module_copy_calls_copy(name):
    thing = ALL[name][1](derived(name, copy=lambda self: "own"))
    assert copy.copy(thing) == "own" and type(copy.deepcopy(thing)) is type(thing)


def test_its_text_names_its_own_class(name):
    thing = ALL[name][1](derived(name))
    assert repr(thing).startswith(f"<{__name__}.Own{name}") and repr(ALL[name][1](ALL[name][0])).startswith(f"<slotwise.{name}")


def test_it_is_made_once(name):
    thing = ALL[name][1](ALL[name][0])
    before = thing.snapshot()
    again = {"SlotMap": {"value": int}, "Table": {}, "World": {}}.get(name, {"key": int} if "Set" in name else {"key": int, "value": int})
    with pytest.raises(TypeError, match="made already"):
        thing.__init__(*([int] if name == "Table" else []), **again)
    assert thing.snapshot() == before


def test_on_write_is_one_of_two_texts(name):
    thing = ALL[name][1](ALL[name][0])
    if name == "World":
        return
    for wrong in (None, 5, b"refuse"):
        with pytest.raises(TypeError, match="on_write: .*'refuse' or 'detach'"):
            thing.on_write = wrong
    with pytest.raises(ValueError, match="on_write"):
        thing.on_write = "other"


def test_one_column_is_an_array_and_several_are_none(name):
    thing = ALL[name][1](ALL[name][0])
    if "Set" in name:
        assert np.asarray(thing).tolist() == [1, 2] and np.array(thing, dtype="f4").dtype == "f4"
    elif name == "Table":
        assert np.asarray(thing).tolist() == [1.0, 2.0]
        with pytest.raises(TypeError, match="several columns"):
            np.asarray(sw.Table({"x": "f8"}, {"x": [1.0]}))
    else:
        with pytest.raises(TypeError, match="several columns"):
            np.asarray(thing)


@pytest.mark.parametrize("cls", [sw.Set, sw.SeriesSet])
def test_an_array_without_a_dimension_is_no_column_of_keys(cls):
    for give in (lambda: cls(np.array(5), **({"time": 1} if cls is sw.SeriesSet else {})),):
        with pytest.raises((TypeError, ValueError), match="dimension"):
            give()


# iteration


@pytest.mark.parametrize("key", [int, str])
def test_a_walk_shows_what_is_there_when_it_is_asked(key):
    m = sw.Map({key(i): float(i) for i in range(1000)})
    for i, (k, v) in enumerate(m.items()):
        assert v == (float(i) if i == 0 else -1.0)
        m[key(i + 1)] = -1.0
    m = sw.Map({key(i): float(i) for i in range(1000)})
    walk = iter(m)
    assert next(walk) == key(0)
    m.clear()
    assert list(walk) == []
    m = sw.Map({key(i): float(i) for i in range(1000)})
    seen = []
    for k in m:
        seen.append(int(k))
        m.erase(key(int(k) + 1))
    assert seen == list(range(0, 1000, 2))
    s = sw.Set([key(i) for i in range(1000)])
    for k in s:
        assert k in s
        s.discard(key(int(k) + 7))
    series = sw.Series({key(i): float(i) for i in range(1000)}, time=1)
    values = iter(series.values())
    next(values)
    series.set(key(1), 50.0, time=2)
    assert next(values) == 50.0
    series.clear(time=3)
    assert list(values) == []


def test_a_walk_while_each_value_is_written_is_no_slower_by_the_number_read_ahead():
    m = sw.Map({i: float(i) for i in range(3000)})
    for k, v in m.items():
        m[k] = v * 2
    assert m == {i: 2.0 * i for i in range(3000)}


# sets


def test_a_series_set_is_a_set_of_python():
    s = sw.SeriesSet(["a", "b"], time=1)
    assert isinstance(s, collections.abc.Set)
    for other in ({"a"}, {"a", "b"}, {"a", "b", "c"}, {"c"}, set(), sw.Set(["b"]), sw.SeriesSet(["b", "x"], time=1)):
        plain, theirs = set(s), set(other)
        for sign in ("__le__", "__lt__", "__ge__", "__gt__", "__eq__", "__ne__", "__and__", "__or__", "__sub__", "__xor__"):
            expected = getattr(plain, sign)(theirs)
            got = getattr(s, sign)(other)
            assert got == expected and type(got) is (bool if type(expected) is bool else sw.Set)
        assert other & s == theirs & plain and other | s == theirs | plain
        assert other - s == theirs - plain and other ^ s == theirs ^ plain
        assert (other < s, other <= s, other > s) == (theirs < plain, theirs <= plain, theirs > plain)
        for verb in ("union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint"):
            assert getattr(s, verb)(other) == getattr(plain, verb)(theirs)
    assert s.__and__(5) is NotImplemented and s != 5 and set(s) == {"a", "b"}


VERBS = ["union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint"]
CHANGES = ["update", "intersection_update", "difference_update", "symmetric_difference_update"]


@pytest.mark.parametrize("verb", VERBS + CHANGES)
def test_each_method_of_a_set_takes_every_iterable(verb):
    for members, other in [
        (["a", "b"], "bc"),
        ([97, 98], b"bc"),
        ([97, 98], bytearray(b"bc")),
        ([("a", 1), ("b", 2)], {("a", 1): 5, ("c", 3): 6}),
        ([("a", 1), ("b", 2)], [("a", 1)]),
        ([1, 2], range(2, 4)),
        ([1, 2], {2: "two"}.keys()),
        ([1, 2], {2: "two"}),
        (["a", "b"], sw.Map({"b": 1.0})),
        (["a", "b"], sw.Series({"b": 1.0}, time=1)),
        (["a", "b"], sw.SeriesSet(["b"], time=1)),
        ([1, 2], sw.Table(int, [2, 3])),
        ([1, 2], np.array([2, 3])),
        ([1, 2], sw.Set([2, 3])),
    ]:
        got, plain = sw.Set(members), set(members)
        results = (getattr(got, verb)(other), getattr(plain, verb)(list(other)))
        assert results[0] == results[1] and got == plain
        assert getattr(sw.Set(members), verb)(iter(list(other))) == results[1]
    with pytest.raises(TypeError):
        getattr(sw.Set([1]), verb)(5)


# single values


def test_what_is_masked_is_none():
    m = sw.Map(key=int, value={"x": "f8?", "n": "i4?", "s": "str?"})
    m[1] = {"x": np.ma.masked, "n": np.ma.masked, "s": np.ma.masked}
    m.set(1, x=np.ma.masked)
    assert m[1] == (None, None, None)
    m.update([2, 3], {"x": [np.ma.masked, 1.0], "n": [np.ma.masked, 1], "s": [np.ma.masked, "a"]})
    assert m[2] == (None, None, None) and m[3] == (1.0, 1, "a")
    with pytest.raises(TypeError, match="a float"):
        sw.Map(key=int, value=float)[1] = np.ma.masked
    with pytest.raises((TypeError, ValueError)):
        sw.Map(key=int, value=float).update([1], [np.ma.masked])


def test_bytes_come_from_what_has_bytes():
    m = sw.Map(key=int, value=bytes)
    changing = bytearray(b"ab")
    m.update([1, 2, 3], [changing, memoryview(b"abcd")[::2], b"x" * 20])
    changing[0] = 0
    m[4] = memoryview(b"abcd")[::-1]
    m[5] = bytearray(b"z")
    assert dict(m) == {1: b"ab", 2: b"ac", 3: b"x" * 20, 4: b"dcba", 5: b"z"}
    doubled = bytes(byte for byte in m.snapshot() for _ in range(2))
    other = sw.Map(key=int, value=bytes)
    other.restore(memoryview(doubled)[::2])
    assert other == m
