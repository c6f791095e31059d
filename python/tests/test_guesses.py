# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Types that are found from what is given, and keys of pandas that are an index."""

import datetime as dt

import numpy as np
import pytest
import slotwise

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")


def guessed(*values):
    return slotwise.Map(dict(enumerate(values))).schema


def is_schema(schema, other):
    return schema == slotwise.Schema(other)


@pytest.mark.parametrize(
    "value, kind",
    [
        (1, "i8"),
        (2**63, "u8"),
        (1.5, "f8"),
        (True, bool),
        ("a", str),
        (b"a", bytes),
        (np.float32(1), "f4"),
        (np.uint8(1), "u1"),
        (np.datetime64(1, "s"), "M8[s]"),
        (np.timedelta64(1, "ms"), "m8[ms]"),
        (dt.datetime(2024, 1, 1), "M8[us]"),
        (dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc), "M8[us]"),
        (dt.date(2024, 1, 1), "M8[D]"),
        (dt.timedelta(1), "m8[us]"),
        (pd.Timestamp(5), "M8[ns]"),
        (pd.Timedelta(5), "m8[ns]"),
    ],
)
def test_values_of_each_type_alone_and_beside_none(value, kind):
    assert is_schema(guessed(value), kind)
    name = kind if isinstance(kind, str) else {bool: "bool", str: "str", bytes: "bytes"}[kind]
    assert is_schema(guessed(value, None), name + "?")
    m = slotwise.Map({1: value, 2: None, 3: pd.NaT} if "8[" in name else {1: value, 2: None})
    assert is_schema(m.schema, name + "?") and m[1] is not None and m[2] is None
    if isinstance(value, (pd.Timestamp, pd.Timedelta)):
        assert m[1].astype("i8") == value.value


def test_times_of_several_units_have_the_finest():
    assert is_schema(guessed(np.datetime64(1, "s"), np.datetime64(1, "ns")), "M8[ns]")
    assert is_schema(guessed(np.timedelta64(1, "s"), np.timedelta64("NaT")), "m8[s]?")
    with pytest.raises(TypeError, match="several types"):
        guessed(np.timedelta64(1, "s"), np.datetime64(1, "s"))


def test_types_of_pandas_that_are_those_of_arrow():
    frame = pd.DataFrame(
        {
            "key": pd.array(["a", "b"], dtype=pd.ArrowDtype(pa.string())),
            "x": pd.array([1, None], dtype=pd.ArrowDtype(pa.int32())),
            "t": pd.array([1, 2], dtype=pd.ArrowDtype(pa.timestamp("ms"))),
            "d": pd.array([1.5, 2.5], dtype="double[pyarrow]"),
            "place": pd.array([{"a": 1, "b": 2.0}, None], dtype=pd.ArrowDtype(pa.struct({"a": "int8", "b": "double"}))),
        }
    )
    plain = frame.drop(columns="place")
    m = slotwise.Map(plain)
    assert is_schema(m.schema, {"x": "i4?", "t": "M8[ms]", "d": "f8"}) and m["b"].x is None
    value = {"x": "i4?", "place": {"a": "i1?", "b": "f8?"}}
    nested = slotwise.Map(frame, key=str, value=value)
    assert nested["a"].place == (1, 2.0) and nested["b"].place == (None, None)


STRUCTS = [{"a": 1, "b": {"c": "x"}}, {"a": 2, "b": {"c": "y"}}, None]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(STRUCTS),
        pa.chunked_array([pa.array(STRUCTS[:1]), pa.array(STRUCTS[1:])]),
        pd.Series(STRUCTS),
        pd.Series(pa.array(STRUCTS), dtype=pd.ArrowDtype(pa.array(STRUCTS).type)),
    ],
    ids=["array", "chunks", "objects", "arrow of pandas"],
)
def test_a_struct_is_read_wherever_it_is(column):
    value = {"place": {"a": "i8?", "b": {"c": "str?"}}}
    sources = [{"place": column}]
    if isinstance(column, pd.Series):
        sources.append(pd.DataFrame({"place": column}))
    for source in sources[-1:]:
        table = slotwise.Table(value)
        table.extend(source)
        assert [(row.place.a, row.place.b.c) for row in table] == [(1, "x"), (2, "y"), (None, None)]
    with pytest.raises(ValueError, match="place.a.*row 2 is null"):
        slotwise.Table({"place": {"a": "i8"}}).extend(sources[-1])
    with pytest.raises(ValueError, match="no column 'place.z'"):
        slotwise.Table({"place": {"z": "i8"}}).extend(sources[-1])


def test_an_index_called_as_the_keys_is_taken():
    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=pd.Index([7, 8], name="key"))
    assert slotwise.Map(frame)[8] == (2.0,)
    assert slotwise.Map(frame, key=int, value={"a": float})[7].a == 1.0
    two = frame.set_axis(pd.MultiIndex.from_tuples([("x", 1), ("y", 2)], names=["key_0", "key_1"]))
    assert slotwise.Map(two)["y", 2] == (2.0,)
    nameless = frame.rename_axis(None)
    for make in (lambda: slotwise.Map(nameless), lambda: slotwise.Map(nameless, key=int, value={"a": float})):
        with pytest.raises(ValueError, match=r"'key'.*index.*rename_axis\('key'\).*reset_index\(\)"):
            make()


def test_a_multi_index_is_tuples():
    index = pd.MultiIndex.from_tuples([("x", 1), ("y", 2)])
    for made in (index, index.set_names(["sym", "n"])):
        keys = slotwise.Set(made)
        assert sorted(keys) == [("x", 1), ("y", 2)]
        assert keys.contains_many(made).tolist() == [True, True]
        assert keys.issuperset(made)
        m = slotwise.Map({("x", 1): 1.5, ("z", 3): 2.5})
        assert m.contains_many(made).tolist() == [True, False]
        assert m.get_many(made[:1]).tolist() == [1.5]
        assert m.erase_many(made) == 1 and len(m) == 1
        keys = slotwise.Set(key=(str, int))
        keys.update(made)
        assert keys.erase_many(made) == 2
        active = slotwise.SeriesSet(made, time=1)
        assert ("y", 2) in active
        series = slotwise.Series(pd.Series([1.0, 2.0], index=made), time=1)
        assert series["x", 1] == 1.0 and series.erase_many(made, time=2) == 2
        assert slotwise.Map(pd.Series([1.0, 2.0], index=made))["y", 2] == 2.0
    with pytest.raises(ValueError, match="MultiIndex of 2 levels"):
        slotwise.Set(key=(str, int, int)).update(index)
    with pytest.raises(TypeError, match="^key: "):
        slotwise.Set(np.array([1.5]))


def test_progress_is_told_of_objects_too():
    told = []
    m = slotwise.Map({1: 1.0, 2: 2.0}, progress=told.append)
    m.update([(3, 3.0)], progress=told.append)
    m.update(iter([(3, 3.0), (4, 1.0)]), progress=told.append)
    slotwise.Set([1, 2, 3], progress=told.append)
    series = slotwise.Series({1: 1.0}, time=1, progress=told.append)
    series.update({1: 1.0, 5: 2.0}, time=2, progress=told.append)
    series.assign({1: 1.0}, time=2, progress=told.append)
    slotwise.SeriesSet(key=int).update([1, 2], time=1, progress=told.append)
    assert told == [2, 1, 2, 3, 1, 2, 1, 2]


@pytest.mark.parametrize("progress", [1, "x", True])
def test_a_progress_that_is_none_is_refused_before_anything(progress):
    m, keys = slotwise.Map(key=int, value=float), slotwise.Set(key=int)
    series, active = slotwise.Series(key=int, value=float), slotwise.SeriesSet(key=int)
    data = series.snapshot()
    table = pa.table({"key": [1], "value": [1.0]})
    calls = [
        lambda: m.update({1: 1.0}, progress=progress),
        lambda: m.update(table, progress=progress),
        lambda: m.update([1], [1.0], progress=progress),
        lambda: keys.update([1], progress=progress),
        lambda: keys.update(np.array([1]), progress=progress),
        lambda: series.update({1: 1.0}, time=1, progress=progress),
        lambda: series.assign(table, time=1, progress=progress),
        lambda: active.update([1], time=1, progress=progress),
        lambda: series.restore(data, progress=progress),
        lambda: slotwise.Map({1: 1.0}, progress=progress),
        lambda: slotwise.Series({1: 1.0}, time=1, progress=progress),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="^progress: "):
            call()
    assert len(m) + len(keys) + len(series) + len(active) == 0 and series.window is None
