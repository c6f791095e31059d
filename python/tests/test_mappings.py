# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Map is a mapping as Python means it."""

import collections
import collections.abc
import copy
import dataclasses
import gc
import inspect
import pickle
import random
import sys
import typing
import weakref

import numpy as np
import pytest
import slotwise

ABSTRACT = collections.abc.MutableMapping


class Derived(slotwise.Map):
    """A class of a program."""

    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.extra = ["x"]


@dataclasses.dataclass
class Place:
    x: float
    y: float


@pytest.fixture(params=["ints", "texts", "tuples", "records"])
def filled(request):
    """A map and the dict that it equals."""
    items = {
        "ints": {1: 10, -2: 20, 3: -30},
        "texts": {"a": "x", "Ünïcödé": "", "": "a text of more than twelve bytes"},
        "tuples": {("a", 1): 1.5, ("", -1): 2.5, ("ü", 2**63 - 1): -0.5},
        "records": {"a": Place(1.0, 2.0), "b": Place(3.0, 4.0), "c": Place(-0.5, 0.0)},
    }[request.param]
    return slotwise.Map(items), items


def test_it_has_every_name_of_a_mutable_mapping_and_of_a_dict(filled):
    table, _ = filled
    assert isinstance(table, ABSTRACT) and issubclass(slotwise.Map, collections.abc.Mapping)
    for name in set(dir(dict)) | set(dir(ABSTRACT)):
        if name not in ("_abc_impl", "__slots__", "__abstractmethods__") and "__marker" not in name:
            assert hasattr(slotwise.Map, name), name
    for name in "get pop popitem setdefault update clear keys values items copy fromkeys get_many set erase".split():
        assert inspect.getdoc(getattr(slotwise.Map, name)), name


def test_it_becomes_a_dict_and_equals_one(filled):
    table, items = filled
    assert dict(table) == items and table == items and items == table and not table != items
    assert table == collections.ChainMap(items) and table != {} and table != {**items, 99: 1} and (table == 5) is False
    assert table != list(items.items()) and table == table.copy()
    match table:
        case {**rest}:
            assert rest == items
        case _:
            pytest.fail("it is matched as no mapping")
    with pytest.raises(TypeError, match="unhashable"):
        hash(table)


def test_reading(filled):
    table, items = filled
    absent = object()
    for key, value in items.items():
        assert key in table and table[key] == value and table.get(key) == value == table.get(key, absent)
    for other in (4, "zz", b"a", ("a", 2), None, 1.5, ("a",), frozenset(), 2**70):
        assert other not in table and table.get(other) is None and table.get(other, absent) is absent
        with pytest.raises(KeyError) as caught:
            table[other]
        assert caught.value.args == (other,)
    for unhashable in ([], {}, set()):
        for call in (table.__getitem__, table.__contains__, table.get, table.pop, table.__delitem__):
            with pytest.raises(TypeError, match="unhashable"):
                call(unhashable)


def test_keys_that_are_equal_find_each_other():
    table = slotwise.Map({1: "x", 0: "y"})
    assert table[True] == table[1.0] == table[np.int8(1)] == table[np.float64(1)] == "x"
    assert False in table and 1.5 not in table
    table[True] = "z"
    assert dict(table) == {1: "z", 0: "y"}

    class Text(str):
        pass

    named = slotwise.Map({"a": 1})
    assert named[Text("a")] == 1 and "\ud800" not in named
    with pytest.raises(UnicodeEncodeError):
        named["\ud800"] = 1


def test_keys_values_and_items_are_views():
    table = slotwise.Map({"a": 1, "b": 2, "c": 3})
    keys, values, items = table.keys(), table.values(), table.items()
    assert isinstance(keys, collections.abc.KeysView) and isinstance(values, collections.abc.ValuesView)
    assert isinstance(items, collections.abc.ItemsView) and keys.mapping is values.mapping is items.mapping is table
    assert list(keys) == ["a", "b", "c"] and list(values) == [1, 2, 3]
    assert list(items) == [("a", 1), ("b", 2), ("c", 3)]
    assert list(reversed(keys)) == ["c", "b", "a"] == list(reversed(table)) and list(reversed(values)) == [3, 2, 1]
    assert list(reversed(items))[0] == ("c", 3)
    table["d"] = 4
    assert len(keys) == len(values) == len(items) == 4 and "d" in keys and 4 in values and ("d", 4) in items
    assert ("d", 5) not in items and ("e", 4) not in items and 4 not in items and 5 not in values
    assert keys & {"a", "z"} == {"a"} and {"a", "z"} & keys == {"a"} and keys | {"z"} == {"a", "b", "c", "d", "z"}
    assert keys - {"a"} == {"b", "c", "d"} and keys ^ {"a", "z"} == {"b", "c", "d", "z"}
    assert keys == {"a", "b", "c", "d"}
    assert items & {("a", 1), ("b", 5)} == {("a", 1)} and keys <= {"a", "b", "c", "d", "e"} and keys.isdisjoint({"z"})
    assert keys == table.keys() == {"a": 0, "b": 0, "c": 0, "d": 0}.keys()
    assert repr(keys) == "Map.keys(['a', 'b', 'c', 'd'])"
    assert repr(slotwise.Map({i: i for i in range(20)}).values()).endswith("9, ...])")
    table.clear()
    assert len(keys) == 0 and list(values) == [] and not items


def test_pop_popitem_and_setdefault(filled):
    table, items = filled
    first, value = next(iter(items.items()))
    assert table.pop(first) == value and table.pop(first, None) is None and first not in table
    with pytest.raises(KeyError) as caught:
        table.pop(first)
    assert caught.value.args == (first,)
    with pytest.raises(TypeError):
        table.pop(first, 1, 2)
    with pytest.raises(TypeError, match="default: "):
        table.setdefault(first)
    assert first not in table
    assert table.setdefault(first, value) == value and table.setdefault(first, "unused") == value
    left = dict(items)
    while table:
        key, value = table.popitem()
        assert left.pop(key) == value
    assert not left
    with pytest.raises(KeyError, match="popitem"):
        table.popitem()


def test_update_has_the_forms_of_a_dict():
    table = slotwise.Map(key=str, value=float)
    assert table.update() is None
    table.update({"a": 1}, b=2)
    table.update(source=3)
    table.update([("c", 4)], a=5)
    table.update([["d", 6], "e7"[:1] and ("e", 7)])
    assert table == {"a": 5.0, "b": 2.0, "source": 3.0, "c": 4.0, "d": 6.0, "e": 7.0}
    before = dict(table)
    for source, more, error in (
        ({"x": 1}, {"e": None}, TypeError),
        ({"x": 1, "y": "no number"}, {}, TypeError),
        ({"x": 1, 5: 1}, {}, TypeError),
        ([("x", 1), ("y",)], {}, TypeError),
        (5, {}, TypeError),
        ({"x": 10**400}, {}, OverflowError),
    ):
        with pytest.raises(error):
            table.update(source, **more)
        assert table == before

    class Keys:
        def keys(self):
            return ["x", "y"]

        def __getitem__(self, key):
            return {"x": 1.0, "y": 2.0}[key]

    table.update(Keys())
    assert table["x"] == 1.0 and table["y"] == 2.0
    before = dict(table)
    table.update(table)
    table.update(table.items())
    table.update(table.copy())
    assert table == before


def test_operators_merge(filled):
    table, items = filled
    key, value = next(iter(items.items()))
    other = {key: list(items.values())[1]}
    merged = table | other
    assert type(merged) is slotwise.Map and merged == {**items, **other} and table == items
    assert other | table == {**other, **items} and type(other | table) is slotwise.Map
    same = table
    same |= list(other.items())
    assert same is table and table == {**items, **other}
    with pytest.raises(TypeError):
        table | 5
    with pytest.raises(TypeError):
        table | [(key, value)]


def test_random_calls_do_what_they_do_to_a_dict():
    rng = random.Random(5)
    for text in (False, True):
        table, model = slotwise.Map(key=str if text else int, value=int), {}
        for _ in range(2000):
            key, value = rng.randrange(12), rng.randrange(100)
            key = f"key {key}" if text else key
            calls = [
                lambda m: m.__setitem__(key, value),
                lambda m: m.__delitem__(key),
                lambda m: m.pop(key),
                lambda m: m.pop(key, -1),
                lambda m: m.setdefault(key, value),
                lambda m: m.get(key),
                lambda m: m[key],
                lambda m: key in m,
                lambda m: m.update({key: value}),
                lambda m: m.update(m),
                lambda m: m.update(m.items()),
                lambda m: m.__ior__({key: value}) is m,
                lambda m: len(m),
                lambda m: set(m.keys() & {key}),
                lambda m: m.clear() if value == 0 else None,
            ]
            call = rng.choice(calls)
            results = []
            for m in (table, model):
                try:
                    results.append(call(m))
                except KeyError as error:
                    results.append(error.args)
            assert results[0] == results[1] and table == model


@pytest.mark.filterwarnings("ignore:nanobind")
def test_fromkeys_and_derived_classes():
    table = slotwise.Map.fromkeys(["a", "b"], 1.5)
    assert table == {"a": 1.5, "b": 1.5} and type(table) is slotwise.Map
    derived = Derived({"a": 1})
    derived.more = {"y": 1}
    for other in (copy.copy(derived), copy.deepcopy(derived), pickle.loads(pickle.dumps(derived))):
        assert type(other) is Derived and other == derived and other.extra == ["x"] and other.more == {"y": 1}
        other["b"] = 2
        assert len(derived) == 1
    assert copy.copy(derived).more is derived.more and copy.deepcopy(derived).more is not derived.more
    assert type(derived.copy()) is Derived and type(derived | {"b": 2}) is Derived
    assert Derived({"a": 1}) == slotwise.Map({"a": 1})

    class Unmade(slotwise.Map):
        def __init__(self):
            pass

    for call in (len, list, lambda m: m["a"], lambda m: "a" in m, lambda m: m.get("a"), lambda m: m.copy()):
        with pytest.raises(TypeError):
            call(Unmade())


def test_weak_references_and_cycles():
    for refer in (lambda m: m, iter, lambda m: iter(m.items()), lambda m: m.keys()):
        table = slotwise.Map({"a": 1, "b": 2})
        table.me = refer(table)
        if hasattr(table.me, "__next__"):
            next(table.me)
        gone = weakref.ref(table)
        del table
        gc.collect()
        assert gone() is None


def test_nothing_is_leaked():
    table = slotwise.Map({f"a key of many bytes {i}": f"value {i}" for i in range(100)})
    keys = list(table)
    gc.collect()

    def calls():
        for key in keys:
            table[key]
            key in table
            table.get(key)
            table[key] = "another value"
            table.setdefault(key, "x")
        list(table.items()), list(table.values()), list(table.keys())
        table.get_many(keys), table.contains_many(keys), table.column("key"), table.column()
        for wrong in (5, None, "absent"):
            with pytest.raises(KeyError):
                table[wrong]
        with pytest.raises(TypeError):
            table["x"] = 5

    calls()
    key, value = "one key that is counted", "one value that is counted"
    before = sys.getrefcount(key), sys.getrefcount(value)
    for _ in range(50):
        table[key] = value
        assert table[key] == value and key in table
        table.update([(key, value)])
        del table[key]
        calls()
    assert (sys.getrefcount(key), sys.getrefcount(value)) == before


def test_it_is_generic():
    assert typing.get_origin(slotwise.Map[str, float]) is slotwise.Map
    assert typing.get_args(slotwise.Map[str, float]) == (str, float)
    assert slotwise.Map[str, float]({"a": 1.0}) == {"a": 1.0} and slotwise.Set[int]([1]) == {1}


def test_numpy_does_not_take_the_keys_for_the_whole(filled):
    with pytest.raises(TypeError, match="column"):
        np.asarray(filled[0])


def test_views_and_pins():
    table = slotwise.Map({1: 1.0, 2: 2.0})
    assert not table.pinned
    column = table.column()
    assert table.pinned and not column.flags.writeable and column.base is not None
    table[1] = 5.0
    assert column[0] == 1.0 and table[1] == 5.0 and not table.pinned
    column = table.column()
    table.on_write = "refuse"
    for call in (
        lambda: table.__setitem__(1, 2.0),
        lambda: table.__delitem__(1),
        lambda: table.update({3: 1.0}),
        lambda: table.update([3], [1.0]),
        lambda: table.pop(1),
        lambda: table.popitem(),
        lambda: table.setdefault(7, 1.0),
        lambda: table.clear(),
        lambda: table.erase_many([1]),
        lambda: table.restore(table.snapshot()),
        lambda: table.reserve(100),
    ):
        with pytest.raises(BufferError, match="on_write"):
            call()
        assert table == {1: 5.0, 2: 2.0} and column.tolist() == [5.0, 2.0]
    del column
    table[1] = 2.0
    with pytest.raises(ValueError, match="on_write"):
        table.on_write = "other"
    del table[1]
    table.update({1: 1.0, 3: 3.0, 4: 4.0})
    del table[3]
    with pytest.raises(ValueError, match="copy=False"):
        table.column(copy=False)
    assert [chunk.tolist() for chunk in table.chunks("key")] == [[1, 2], [4]]
    assert table.column(copy=True).tolist() == [1.0, 2.0, 4.0]
    with pytest.raises(KeyError, match="there is no column 'x'; there are 'key', 'value'"):
        table.column("x")
    with pytest.raises(TypeError, match="name: "):
        table.column(5)


def test_a_callback_hears_of_each_batch():
    import pyarrow

    rows = []
    batches = [pyarrow.record_batch({"key": [i, i + 1], "value": [1.0, 2.0]}) for i in range(0, 6, 2)]
    table = pyarrow.Table.from_batches(batches)
    loaded = slotwise.Map(table, progress=rows.append)
    assert rows == [2, 2, 2] and len(loaded) == 6

    class Stop(Exception):
        pass

    def stop(rows):
        raise Stop

    with pytest.raises(Stop):
        loaded.update(table, progress=stop)
    assert len(loaded) == 6
