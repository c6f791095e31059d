# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Set against Python's set, for random types of keys and random histories."""

import collections.abc
import copy
import inspect
import operator
import pickle

import numpy as np
import pytest
import slotwise
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from random_types import key_types


COPIES = [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s)), slotwise.Set, slotwise.Set.copy]


class SetAgainstSet(RuleBasedStateMachine):
    @initialize(key=key_types())
    def start(self, key):
        self.key_type, self.keys = key
        self.set = slotwise.Set(key=self.key_type)
        self.model = set()

    @rule(data=st.data())
    def add(self, data):
        key = data.draw(self.keys)
        self.set.add(key)
        self.model.add(key)

    @rule(data=st.data())
    def discard(self, data):
        key = data.draw(self.keys)
        self.set.discard(key)
        self.model.discard(key)

    @rule(data=st.data())
    def remove(self, data):
        key = data.draw(st.sampled_from(sorted(self.model)) if self.model and data.draw(st.booleans()) else self.keys)
        if key in self.model:
            self.set.remove(key)
            self.model.remove(key)
        else:
            with pytest.raises(KeyError):
                self.set.remove(key)

    @rule()
    def pop(self):
        if self.model:
            self.model.remove(self.set.pop())
        else:
            with pytest.raises(KeyError):
                self.set.pop()

    @rule(data=st.data(), name=st.sampled_from(["", "difference_", "intersection_", "symmetric_difference_"]))
    def change_by_a_method(self, data, name):
        keys = data.draw(st.lists(self.keys, max_size=8))
        forms = [lambda: keys, lambda: iter(keys), lambda: slotwise.Set(keys, key=self.key_type)]
        getattr(self.set, name + "update")(data.draw(st.sampled_from(forms))())
        getattr(self.model, name + "update")(keys)

    @rule(data=st.data(), name=st.sampled_from(["ior", "iand", "isub", "ixor"]))
    def change_by_an_operator(self, data, name):
        keys = data.draw(st.sets(self.keys, max_size=8))
        other = data.draw(st.sampled_from([lambda: keys, lambda: slotwise.Set(keys, key=self.key_type)]))()
        before = self.set
        self.set = getattr(operator, name)(self.set, other)
        self.model = getattr(operator, name)(self.model, keys)
        assert self.set is before

    @rule(data=st.data())
    def compare(self, data):
        keys = data.draw(st.sets(self.keys, max_size=6))
        if data.draw(st.booleans()):
            keys |= set(sorted(self.model)[:3])
        for other in (keys, slotwise.Set(keys, key=self.key_type), {key: 1 for key in keys}.keys()):
            for name in ("and_", "or_", "sub", "xor", "lt", "le", "gt", "ge", "eq", "ne"):
                call = getattr(operator, name)
                expected = call(self.model, keys)
                assert call(self.set, other) == expected, name
                if name not in ("lt", "le", "gt", "ge"):
                    assert call(other, self.set) == call(keys, self.model), name
            assert self.set.isdisjoint(other) == self.model.isdisjoint(keys)
            assert self.set.issubset(other) == self.model.issubset(keys)
            assert self.set.issuperset(other) == self.model.issuperset(keys)

    @rule(how=st.sampled_from(COPIES))
    def replace_by_a_copy(self, how):
        before, self.set = self.set, how(self.set)
        assert self.set == before and list(self.set) == list(before) and self.set.key_type == before.key_type
        before.clear()

    @rule(data=st.data())
    def look_many_up(self, data):
        keys = data.draw(st.lists(self.keys, max_size=6)) + sorted(self.model)[:3]
        assert self.set.contains_many(keys).tolist() == [key in self.model for key in keys]

    @invariant()
    def has_the_keys_of_the_model(self):
        keys = list(self.set)
        assert len(keys) == len(self.set) == len(self.model) and set(keys) == self.model and self.set == self.model


TestSetAgainstSet = SetAgainstSet.TestCase
TestSetAgainstSet.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)


@settings(max_examples=60, deadline=None)
@given(key=key_types(), data=st.data())
def test_a_damaged_snapshot_is_refused_or_read_as_some_set(key, data):
    table = slotwise.Set(data.draw(st.sets(key[1], min_size=1, max_size=8)), key=key[0])
    snapshot = bytearray(table.snapshot())
    snapshot[data.draw(st.integers(0, len(snapshot) - 1))] = data.draw(st.integers(0, 255))
    other = table.copy()
    for damaged in (snapshot, table.snapshot()[:-1], b""):
        try:
            other.restore(damaged)
        except ValueError as error:
            assert str(error).startswith("data: ")
        assert len(list(other)) == len(other)


def test_it_has_every_name_of_a_mutable_set_and_of_a_set():
    assert isinstance(slotwise.Set([1]), collections.abc.MutableSet)
    for name in set(dir(set)) | set(dir(collections.abc.MutableSet)):
        if name not in ("_abc_impl", "__slots__", "__abstractmethods__", "_hash", "_from_iterable"):
            assert hasattr(slotwise.Set, name), name
    for name in "add discard remove pop update union intersection issubset contains_many erase_many column".split():
        assert inspect.getdoc(getattr(slotwise.Set, name)), name
    with pytest.raises(TypeError, match="unhashable"):
        hash(slotwise.Set([1]))
    assert not isinstance(slotwise.Set([1]), collections.abc.Mapping)
    with pytest.raises(TypeError):
        slotwise.Set([1])[0]


def test_a_set_is_made_of_arrays_and_frames():
    import polars
    import pyarrow

    arrays = np.arange(3), pyarrow.array([0, 1, 2]), polars.Series([0, 1, 2])
    for source in (*arrays, [0, 1, 2], {0, 1, 2}, iter(range(3))):
        made = slotwise.Set(source)
        assert made == {0, 1, 2} and made.column().tolist() == sorted(made) and np.asarray(made).dtype == np.int64
    assert slotwise.Set(pyarrow.table({"key": ["a", "b"]})) == {"a", "b"}
    assert slotwise.Set(slotwise.Map({"a": 1})) == {"a"}
    assert pyarrow.table(slotwise.Set(["b", "a"])).to_pydict() == {"key": ["b", "a"]}
    assert slotwise.Set([("a", 1), ("b", 2)]).to_pandas().columns.tolist() == ["key_0", "key_1"]


def test_a_key_that_does_not_fit_is_refused_and_changes_nothing():
    table = slotwise.Set([1, 2])
    refused = ([3, "a"], TypeError), ([3, 2**63], OverflowError), (np.array([1.5]), ValueError), (["x"], TypeError)
    for keys, error in refused:
        with pytest.raises(error):
            table.update(keys)
        assert table == {1, 2}
    with pytest.raises(TypeError):
        table | {"a"}
    with pytest.raises(TypeError, match="source: an iterable of keys"):
        slotwise.Set(5)
    assert table & {"a", 1} == {1} and table - {"a", 1} == {2} and table >= {1} and not table >= {"a"}
    assert {"a", 1} - table == {"a"} and table.isdisjoint(["a", None])
    for call in (table.add, table.discard, table.remove, table.__contains__):
        with pytest.raises(TypeError):
            call([])


def test_a_large_set_equals_what_numpy_finds():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 100_000, 50_000), rng.integers(0, 100_000, 50_000)
    x, y = slotwise.Set(a), slotwise.Set(b)
    for ours, theirs in (
        (x & y, np.intersect1d(a, b)),
        (x | y, np.union1d(a, b)),
        (x - y, np.setdiff1d(a, b)),
        (x ^ y, np.setxor1d(a, b)),
    ):
        np.testing.assert_array_equal(np.sort(ours.column()), theirs)
    np.testing.assert_array_equal(x.contains_many(b), np.isin(b, a))
