# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Map against a dict, for random types of keys and values and random histories."""

import copy
import pickle

import numpy
import pytest
import slotwise
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from random_types import columns_of_rows, key_types, same, same_items, schemas


class MapAgainstDict(RuleBasedStateMachine):
    @initialize(key=key_types(), value=schemas())
    def start(self, key, value):
        self.key_type, self.keys = key
        self.value_type, self.values = value
        self.map = slotwise.Map(key=self.key_type, value=self.value_type)
        self.model = {}
        self.views = []

    @rule(data=st.data())
    def set(self, data):
        key, value = data.draw(self.keys), data.draw(self.values)
        self.map[key] = value
        self.model[key] = value

    @rule(data=st.data())
    def delete(self, data):
        key = data.draw(self.keys)
        if key in self.model:
            del self.map[key]
            del self.model[key]
        else:
            with pytest.raises(KeyError):
                del self.map[key]

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def delete_a_member(self, data):
        key = data.draw(st.sampled_from(list(self.model)))
        assert self.map.erase(key)
        del self.model[key]

    @rule(data=st.data())
    def pop(self, data):
        key, otherwise = data.draw(self.keys), object()
        found, expected = self.map.pop(key, otherwise), self.model.pop(key, otherwise)
        assert found is expected is otherwise or same(found, expected)

    @rule()
    def popitem(self):
        if self.model:
            last = list(self.map)[-1]
            key, value = self.map.popitem()
            assert key == last and same(value, self.model.pop(key))
        else:
            with pytest.raises(KeyError):
                self.map.popitem()

    @rule(data=st.data())
    def setdefault(self, data):
        key, value = data.draw(self.keys), data.draw(self.values)
        assert same(self.map.setdefault(key, value), self.model.setdefault(key, value))

    @rule(data=st.data())
    def update(self, data):
        pairs = data.draw(st.dictionaries(self.keys, self.values, max_size=6))
        forms = [lambda: pairs, lambda: list(pairs.items()), lambda: iter(pairs.items())]
        self.map.update(data.draw(st.sampled_from(forms))())
        self.model.update(pairs)

    @rule(data=st.data())
    def update_by_columns(self, data):
        keys = data.draw(st.lists(self.keys, max_size=40))
        rows = [data.draw(self.values) for _ in keys]
        self.map.update(keys, columns_of_rows(self.value_type, rows))
        self.model.update(zip(keys, rows))

    @rule(data=st.data())
    def erase_many(self, data):
        keys = data.draw(st.lists(self.keys, max_size=6))
        members = set(keys) & self.model.keys()
        assert self.map.erase_many(keys) == len(members)
        for key in members:
            del self.model[key]

    @rule()
    def clear(self):
        self.map.clear()
        self.model.clear()

    @rule(how=st.sampled_from(["copy", "copy.copy", "deepcopy", "pickle", "snapshot", "arrow"]))
    def replace_by_a_copy(self, how):
        before, keys = self.map, list(self.map)
        if how == "copy":
            self.map = before.copy()
        elif how == "copy.copy":
            self.map = copy.copy(before)
        elif how == "deepcopy":
            self.map = copy.deepcopy(before)
        elif how == "pickle":
            self.map = pickle.loads(pickle.dumps(before))
        else:
            self.map = slotwise.Map(key=before.key_type, value=before.schema)
            if how == "snapshot":
                self.map.restore(before.snapshot())
            else:
                self.map.update(before)
        assert list(self.map) == keys and self.map == before
        assert self.map.schema == before.schema and self.map.key_type == before.key_type

    @rule()
    def keep_a_view(self):
        for name, array in self.map.to_numpy().items():
            self.views.append((array, array.copy()))
        del self.views[:-20]

    @rule()
    def drop_views(self):
        self.views.clear()

    @rule(data=st.data())
    def look_many_up(self, data):
        keys = data.draw(st.lists(self.keys, max_size=6)) + list(self.model)[:5]
        assert self.map.contains_many(keys).tolist() == [key in self.model for key in keys]
        members = [key for key in keys if key in self.model]
        rows = slotwise.Map(key=int, value=self.value_type)
        found = self.map.get_many(members)
        names = list(self.value_type) if isinstance(self.value_type, dict) else None
        if names is None or not any(isinstance(kind, dict) for kind in self.value_type.values()):
            rows.update(numpy.arange(len(members)), found)
            assert all(same(rows[i], self.model[key]) for i, key in enumerate(members))

    @invariant()
    def has_the_items_of_the_model(self):
        assert len(self.map) == len(self.model) and bool(self.map) == bool(self.model)
        assert same_items(self.map, self.model)
        keys = list(self.map)
        assert keys == [key for key, _ in self.map.items()] and len(keys) == len(list(self.map.values()))
        for key in keys[:5]:
            assert key in self.map and same(self.map[key], self.model[key]) and same(self.map.get(key), self.model[key])

    @invariant()
    def leaves_views_as_they_are(self):
        for array, expected in self.views:
            numpy.testing.assert_array_equal(numpy.ma.getmaskarray(array), numpy.ma.getmaskarray(expected))
            numpy.testing.assert_array_equal(numpy.ma.compressed(array), numpy.ma.compressed(expected))


TestMapAgainstDict = MapAgainstDict.TestCase
TestMapAgainstDict.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


@settings(max_examples=60, deadline=None)
@given(key=key_types(), value=schemas(), data=st.data())
def test_a_map_is_equal_to_one_with_the_same_items_in_another_order(key, value, data):
    pairs = data.draw(st.dictionaries(key[1], value[1], max_size=8))
    a = slotwise.Map(pairs, key=key[0], value=value[0])
    b = slotwise.Map(list(pairs.items())[::-1], key=key[0], value=value[0])
    assert a == b and not a != b
    if pairs:
        del b[next(iter(pairs))]
        assert a != b


@settings(max_examples=60, deadline=None)
@given(key=key_types(), value=schemas(), data=st.data())
def test_a_damaged_snapshot_is_refused_or_read_as_some_map(key, value, data):
    pairs = data.draw(st.dictionaries(key[1], value[1], min_size=1, max_size=8))
    table = slotwise.Map(pairs, key=key[0], value=value[0])
    snapshot = bytearray(table.snapshot())
    for at in data.draw(st.lists(st.integers(0, len(snapshot) - 1), min_size=1, max_size=3)):
        snapshot[at] = data.draw(st.integers(0, 255))
    other = table.copy()
    for damaged in (bytes(snapshot), bytes(table.snapshot()[: data.draw(st.integers(0, len(snapshot) - 1))]), b""):
        try:
            other.restore(damaged)
        except ValueError as error:
            assert str(error).startswith("data: ")
        list(other.items())
        other.restore(table.snapshot())
        assert other == table


def test_types_are_found_from_what_a_map_is_made_of():
    def types(*source, **more):
        made = slotwise.Map(*source, **more)
        return repr(made.key_type), repr(made.schema)

    assert types({"a": 1.0}) == ("slotwise.KeyType(str)", "slotwise.Schema(f8)")
    assert types({1: "x", 2: None}) == ("slotwise.KeyType(i8)", "slotwise.Schema(str?)")
    assert types({2**63: 1, 1: 2.5}) == ("slotwise.KeyType(u8)", "slotwise.Schema(f8)")
    assert types([(b"x", True)]) == ("slotwise.KeyType(bytes)", "slotwise.Schema(bool)")
    assert types({("a", 1): numpy.float32(1)})[1] == "slotwise.Schema(f4)"
    assert types(numpy.arange(3), numpy.arange(3) / 2) == ("slotwise.KeyType(i8)", "slotwise.Schema(f8)")
    assert types(["a", "b"], {"bid": [1.0, 2.0], "n": [1, 2]})[1] == "slotwise.Schema(bid f8, n i8)"
    rows = {"a": {"bid": 1.0, "venue": None}, "b": {"bid": 2.0, "venue": "x"}}
    assert types(rows)[1] == "slotwise.Schema(bid f8, venue str?)"
    refused = (({}, "key: "), ({"a": None}, "value: "), ({"a": 1, 2: 1}, "key: "), ({"a": 1, "b": "x"}, "value: "))
    for source, words in refused:
        with pytest.raises(TypeError, match=words):
            slotwise.Map(source)
    with pytest.raises(TypeError, match="key: a type is needed"):
        slotwise.Map()
    with pytest.raises(TypeError, match="value: a type is needed"):
        slotwise.Map(key=int)


def test_a_map_is_made_of_every_frame():
    import pandas
    import polars
    import pyarrow

    table = pyarrow.table({"key": ["a", "b"], "bid": [1.5, 2.5], "venue": ["x", None]})
    expected = {"a": (1.5, "x"), "b": (2.5, None)}
    for source in (table, table.to_batches()[0], table.to_reader(), polars.DataFrame(table), table.to_pandas()):
        made = slotwise.Map(source)
        assert dict(made.items()) == expected and repr(made.schema) == "slotwise.Schema(bid f8, venue str?)"
    assert dict(slotwise.Map(pandas.Series({"a": 1.5, "b": 2.5}))) == {"a": 1.5, "b": 2.5}
    encoded = table.set_column(0, "key", table.column("key").dictionary_encode())
    assert dict(slotwise.Map(encoded, key=str)) == expected
    with pytest.raises(ValueError, match="source: there is no column 'key'"):
        slotwise.Map(table.rename_columns(["sym", "bid", "venue"]))


def test_fields_are_set_by_name():
    quotes = slotwise.Map(key=str, value={"bid": float, "ask": float, "note": "str?"})
    quotes.set("a", bid=1.0, ask=2.0)
    assert quotes["a"] == (1.0, 2.0, None)
    quotes.set("a", note="x")
    quotes.set("b", {"bid": 3, "ask": 4, "note": "y"})
    assert dict(quotes) == {"a": (1.0, 2.0, "x"), "b": (3.0, 4.0, "y")}
    with pytest.raises(ValueError, match="key: 'c' is no member yet.*'ask' is missing"):
        quotes.set("c", bid=1.0)
    with pytest.raises(TypeError, match="bide"):
        quotes.set("a", bide=1.0)
    with pytest.raises(TypeError, match="a value, or fields by name"):
        quotes.set("a")
    with pytest.raises(TypeError, match="not both"):
        quotes.set("a", (1, 2, None), bid=1.0)
    assert len(quotes) == 2


def test_columns_that_a_source_lacks_keep_their_values():
    quotes = slotwise.Map({"a": {"bid": 1.0, "ask": 2.0}, "b": {"bid": 3.0, "ask": 4.0}})
    quotes.update(["a", "b"], {"bid": [10.0, 30.0]})
    assert dict(quotes) == {"a": (10.0, 2.0), "b": (30.0, 4.0)}
    with pytest.raises(ValueError, match="there is no column 'ask', and the key 'c' is no member yet"):
        quotes.update(["a", "c"], {"bid": [0.0, 0.0]})
    assert dict(quotes) == {"a": (10.0, 2.0), "b": (30.0, 4.0)}


def test_a_walk_is_safe_while_the_map_changes():
    table = slotwise.Map({i: i for i in range(1000)})
    seen = []
    for key in table:
        seen.append(key)
        del table[key]
        table[key + 10_000] = 0
    assert set(range(1000)) <= set(seen) and len(seen) <= 2000 and len(table) == 1000
    table = slotwise.Map({i: i for i in range(1000)})
    values = table.values()
    assert len(values) == 1000
    walk = iter(table.items())
    next(walk)
    table.clear()
    assert len(values) == 0 and len(list(walk)) < 1000


def test_a_large_map_keeps_what_was_loaded_by_columns():
    rng = numpy.random.default_rng(7)
    keys = rng.permutation(200_000)
    for names in (keys, [f"key number {key}" for key in keys]):
        table = slotwise.Map(names, {"x": keys * 0.5, "n": keys.astype("i4")})
        assert len(table) == 200_000
        some = rng.permutation(200_000)[:5000]
        asked = keys[some] if names is keys else [names[i] for i in some]
        found = table.get_many(asked)
        numpy.testing.assert_array_equal(found["x"], keys[some] * 0.5)
        numpy.testing.assert_array_equal(found["n"], keys[some])
        assert table.erase_many(asked) == 5000 and not table.contains_many(asked).any()
        restored = slotwise.Map(key=table.key_type, value=table.schema)
        restored.restore(table.snapshot())
        assert restored == table and list(restored) == list(table)
