# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The classes are mappings, and behave as such."""

import collections
import collections.abc
import random

import pytest
import slotwise


def test_maps_are_mutable_mappings_and_the_others_mappings(keyed, slots):
    table = keyed.cls()
    assert isinstance(table, collections.abc.Mapping) and isinstance(slots[0], collections.abc.Mapping)
    assert isinstance(table, collections.abc.MutableMapping) is not keyed.cls.__name__.endswith("Series")
    abstract = collections.abc.MutableMapping if not keyed.when else collections.abc.Mapping
    for cls, base in ((keyed.cls, abstract), (type(slots[0]), collections.abc.Mapping)):
        for name in dir(base):
            if not name.startswith("_") or name in base.__abstractmethods__ | {"__eq__", "__contains__"}:
                assert callable(getattr(cls, name)), f"{cls.__name__}.{name}"


def test_a_mapping_becomes_a_dict_and_equals_it(keyed, slots):
    table = keyed.filled()
    assert dict(table) == dict(zip(keyed.keys, keyed.values)) and {**table} == dict(table)
    assert table == dict(table) and dict(table) == table and table != {} and table != {keyed.keys[0]: keyed.values[0]}
    assert table == collections.ChainMap(dict(table)) and (table == 5) is False
    assert collections.ChainMap({}, table)[keyed.keys[1]] == keyed.values[1]
    match table:
        case {**rest}:
            assert rest == dict(table)
        case _:
            pytest.fail("it is matched as no mapping")
    rows, handles = slots
    assert dict(rows) == rows and rows == rows.copy() and rows.keys() == handles
    with pytest.raises(TypeError):
        hash(rows)


def test_a_foreign_key_is_missing(keyed):
    other = {"z": 1} if not isinstance(keyed.keys[0], str) else {5: 1}
    assert collections.ChainMap(keyed.filled(), other)[next(iter(other))] == 1


def test_pop_popitem_and_setdefault(map_subject):
    keys, values = map_subject.keys, map_subject.values
    table = map_subject.filled()
    assert table.pop(keys[1]) == values[1] and table.pop(keys[1], None) is None and keys[1] not in table
    with pytest.raises(KeyError, match="no element has this key"):
        table.pop(keys[1])
    assert table.setdefault(keys[0], "unused") == values[0] and table.setdefault(keys[1], values[2]) == values[2]
    with pytest.raises(TypeError, match="default: "):
        table.setdefault("new" if isinstance(keys[0], str) else 77)
    left = dict(table)
    while table:
        key, value = table.popitem()
        assert left.pop(key) == value
    assert not left
    with pytest.raises(KeyError, match="popitem"):
        table.popitem()


def test_update_has_the_forms_of_a_dict():
    table = slotwise.StrFloat64Map()
    table.update()
    table.update({"a": 1}, b=2)
    table.update(source=3)
    table.update([("c", 4)], a=5)
    assert table == {"a": 5.0, "b": 2.0, "source": 3.0, "c": 4.0}
    with pytest.raises(TypeError, match="source: at most one"):
        table.update({}, {})
    with pytest.raises(TypeError, match="value: "):
        table.update({"d": 1}, e=None)
    assert "d" not in table

    class Keys:
        def keys(self):
            return ["x", "y"]

        def __getitem__(self, key):
            return {"x": 1.0, "y": 2.0}[key]

    table.update(Keys())
    assert table["x"] == 1.0 and table["y"] == 2.0


def test_random_calls_do_what_they_do_to_a_dict(map_subject):
    rng = random.Random(5)
    table, model = map_subject.cls(), {}
    text = isinstance(map_subject.keys[0], str)
    for _ in range(3000):
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
            lambda m: len(m),
            lambda m: m.clear() if value == 0 else None,
        ]
        call = rng.choice(calls)
        results = []
        for m in (table, model):
            try:
                results.append(call(m))
            except KeyError:
                results.append(KeyError)
        assert results[0] == results[1] and table == model


def test_numpy_and_pandas_do_not_take_the_keys_for_the_whole(keyed, slots):
    np = pytest.importorskip("numpy")
    for table in (keyed.filled(), slots[0]):
        with pytest.raises(TypeError, match="column"):
            np.asarray(table)


def test_pandas_takes_every_class(keyed, slots):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    for table in (keyed.filled(), slots[0]):
        with pytest.raises(TypeError, match="from_arrow"):
            pd.DataFrame(table)
        frame = pd.DataFrame.from_arrow(table)
        if hasattr(table, "set"):
            assert frame["key"].tolist() == table.keys() and frame["value"].tolist() == table.values()
            series = pd.Series(table)
            assert series.index.tolist() == table.keys() and series.tolist() == table.values()
            assert pd.DataFrame([table, table]).shape == (2, 3)
            again = keyed.cls()
            again.update(series, **keyed.when)
            assert again == table
            again.update(frame, **keyed.when)
            assert again == table
        else:
            assert len(frame) == 3
