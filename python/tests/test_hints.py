# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What is refused although it could be read as something, and what the refusal says to do instead."""

import functools

import numpy as np
import pytest
import slotwise

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")

MASKS = [
    np.array([True, False]),
    pa.array([True, False]),
    pl.Series([True, False]),
    pd.Series([True, False]),
    pd.array([True, False], dtype="boolean"),
    np.array([True, False], dtype=object),
]


@pytest.mark.parametrize("mask", MASKS, ids=lambda mask: type(mask).__name__)
def test_a_mask_is_no_column_of_numbers(mask):
    table = slotwise.Table({"x": float})
    table.extend({"x": [1.0, 2.0]})
    slots = slotwise.SlotMap(value={"x": float})
    handles = slots.insert_many({"x": [1.0, 2.0]})
    m, keys = slotwise.Map({0: 1.0, 1: 2.0}), slotwise.Set([0, 1])
    pairs = slotwise.Map({(0, 0): 1.0, (1, 1): 2.0})
    series = slotwise.Series({0: 1.0, 1: 2.0}, time=1)
    calls = [
        lambda: table.get_many(mask),
        lambda: table.update_many(mask, {"x": [5.0, 6.0]}),
        lambda: slots.get_many(mask),
        lambda: slots.erase_many(mask),
        lambda: slots.update_many(mask, {"x": [5.0, 6.0]}),
        lambda: slots.contains_many(mask),
        lambda: m.get_many(mask),
        lambda: m.contains_many(mask),
        lambda: m.erase_many(mask),
        lambda: m.update(mask, np.array([5.0, 6.0])),
        lambda: m.update({"key": mask, "value": [5.0, 6.0]}),
        lambda: keys.update(mask),
        lambda: keys.erase_many(mask),
        lambda: pairs.contains_many({"key_0": mask, "key_1": [0, 1]}),
        lambda: series.erase_many(mask, time=2),
        lambda: series.update(mask, np.array([5.0, 6.0]), time=2),
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call()
    for call in calls[:4] + calls[6:10]:
        with pytest.raises(TypeError, match="numpy.flatnonzero"):
            call()
    assert table.column("x").tolist() == [1.0, 2.0] and m == {0: 1.0, 1: 2.0} and len(slots) == 2 == len(handles)
    assert series == {0: 1.0, 1: 2.0} and sorted(keys) == [0, 1]
    assert m.get_many(np.flatnonzero([True, False])).tolist() == [1.0]


def test_a_list_of_booleans_is_no_list_of_row_numbers():
    table = slotwise.Table({"x": float})
    table.extend({"x": [1.0, 2.0]})
    with pytest.raises(TypeError, match="row 0: it is True.*flatnonzero"):
        table.get_many([True, False])


@pytest.mark.parametrize("make", [slotwise.Map, slotwise.Series], ids=["Map", "Series"])
def test_a_field_is_not_called_as_a_column_of_keys(make):
    nested = {"place": {"x": float}}
    refused = [
        (int, {"key": int, "a": float}, "'key'"),
        ((str, int), {"key_1": int}, "'key_1'"),
        ({"sym": str, "n": int}, {"n": float}, "'n'"),
        ({"sym": str, "value": int}, float, "'value'"),
        ({"place": str}, nested, "'place'"),
        ({"place.x": str}, nested, "'place'"),
    ]
    for key, value, name in refused:
        with pytest.raises(ValueError, match=f"^value: {name}.*keys"):
            make(key=key, value=value)
    m = make(key={"sym": str, "n": int}, value={"key": int})
    assert m.to_arrow().column_names[:3] != ["key"] and "sym" in m.to_arrow().column_names


@pytest.mark.parametrize("name", ["time", "op", "valid"])
def test_a_series_has_columns_beside(name):
    with pytest.raises(ValueError, match=f"'{name}'.*series"):
        slotwise.Series(key=int, value={name: int})
    with pytest.raises(ValueError, match=f"key: '{name}'.*series"):
        slotwise.Series(key={name: int}, value=float)
    if name != "valid":
        with pytest.raises(ValueError, match=f"key: '{name}'.*series"):
            slotwise.SeriesSet(key={name: int})


def test_an_async_function_is_no_callback():
    async def coroutine(delta):
        pass

    async def generator(delta):
        yield

    class Callable:
        async def __call__(self, delta):
            pass

        async def method(self, delta):
            pass

    series = slotwise.Series(key=int, value=float)
    for callback in (coroutine, generator, Callable(), Callable().method, functools.partial(coroutine)):
        for of in (series, slotwise.SeriesSet(key=int)):
            with pytest.raises(TypeError, match=r"async.*deltas\(\)"):
                of.subscribe(callback)
    assert not series._hub.subscriptions


def test_a_lazy_frame_is_to_be_collected():
    lazy = pl.LazyFrame({"key": [1], "value": [1.0]})
    m, keys = slotwise.Map(key=int, value=float), slotwise.Set(key=int)
    series, table = slotwise.Series(key=int, value=float), slotwise.Table({"key": int, "value": float})
    calls = [
        lambda: slotwise.Map(lazy),
        lambda: slotwise.Set(lazy),
        lambda: slotwise.Series(lazy, time=1),
        lambda: slotwise.SeriesSet(lazy, time=1),
        lambda: m.update(lazy),
        lambda: keys.update(lazy),
        lambda: series.update(lazy, time=1),
        lambda: table.extend(lazy),
    ]
    for number, call in enumerate(calls):
        with pytest.raises(TypeError, match=r"LazyFrame.*collect\(\)"):
            call()


def test_names_of_columns_are_strs():
    frame = pd.DataFrame({"key": [1], 0: [1.0]})
    with pytest.raises(TypeError, match="name of a column is a str, not int 0"):
        slotwise.Map(frame)
    m = slotwise.Map(key=int, value={"a": float})
    with pytest.raises(ValueError, match=r"no column 'a'|needs all columns") as caught:
        slotwise.Table({"a": float}).extend(frame)
    assert "0 (no str)" in str(caught.value)
    with pytest.raises(TypeError, match="name of a column is a str, not int 0"):
        m.update([1], {0: [1.0]})


def test_columns_by_name_are_no_mapping_of_keys_to_values():
    columns = {"key": np.array([1, 2]), "value": np.array([1.0, 2.0])}
    m, series = slotwise.Map(key=int, value=float), slotwise.Series(key=int, value=float)
    texts = slotwise.Map(key=str, value=float)
    calls = [
        lambda: m.update(columns),
        lambda: texts.update(columns),
        lambda: series.update(columns, time=1),
        lambda: slotwise.Map(columns),
        lambda: slotwise.Map({"key": [1, 2], "value": [1.0, 2.0]}),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"update\(keys, \{name: column\}\)"):
            call()
    assert slotwise.Map({"key": 1.0, "value": 2.0})["key"] == 1.0
    assert slotwise.Map({"key": [1.0, 2.0]}, key=str, value=("f8", 2))["key"] == [1.0, 2.0]


def test_types_that_no_field_takes_are_named():
    values = {
        "decimals": pa.array([1], pa.decimal128(3, 1)),
        "times of day": pa.array([1], pa.time64("us")),
        "intervals": pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
        "maps": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())),
    }
    for name, array in values.items():
        with pytest.raises(TypeError, match=rf"column 'a' has .* \({name}\), and float64 is needed; cast them"):
            slotwise.Table({"a": float}).extend(pa.table({"a": array}))


def test_a_series_is_not_written_by_brackets():
    series = slotwise.Series({"a": 1.0}, time=1)
    with pytest.raises(TypeError, match=r"set\(key, value, time=\.\.\.\)"):
        series["a"] = 2.0
    with pytest.raises(TypeError, match=r"erase\(key, time=\.\.\.\)"):
        del series["a"]
    assert series == {"a": 1.0}
