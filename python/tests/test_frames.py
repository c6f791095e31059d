# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Columns that go out: NumPy, pyarrow, Polars and pandas, what they share, and the small table that a container is shown as."""

import datetime
import sys

import numpy as np
import pytest
import slotwise
from hypothesis import given, settings
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")

RECORD = {
    "flag": bool,
    "small": "i1",
    "count": "u8?",
    "price": "f8?",
    "ratio": "f4",
    "name": "str?",
    "raw": bytes,
    "at": "datetime64[ns]?",
    "day": "datetime64[D]",
    "took": "timedelta64[us]",
    "place": {"x": "f4", "on": "bool?"},
    "vector": ("f4", 3),
}


def rows_of(count):
    for i in range(count):
        yield {
            "flag": i % 3 == 0,
            "small": i % 256 - 128,
            "count": None if i % 5 == 0 else 2**63 + i,
            "price": None if i % 4 == 0 else i / 4,
            "ratio": i / 2,
            "name": None if i % 7 == 0 else ("Ü" if i % 2 else "a longer name than twelve ") + str(i),
            "raw": bytes([i % 256]) * (i % 20),
            "at": None if i % 6 == 0 else np.datetime64(i, "ns"),
            "day": np.datetime64(i, "D"),
            "took": np.timedelta64(i, "us"),
            "place": {"x": i / 8, "on": None if i % 9 == 0 else i % 2 == 0},
            "vector": [i, i + 0.5, -i],
        }


@pytest.fixture(params=[0, 1, 15, 16, 17, 1000])
def table(request):
    made = slotwise.Table(RECORD)
    made.extend(list(rows_of(request.param)))
    return made


def test_numpy_has_views_masks_and_objects(table):
    columns = table.to_numpy()
    assert list(columns) == [*list(RECORD)[:-2], "place.x", "place.on", "vector"]
    count = len(table)
    for name, column in columns.items():
        assert len(column) == count
        with pytest.raises(ValueError, match="read-only"):
            np.asarray(column)[...] = 0
    assert columns["vector"].shape == (count, 3) and columns["day"].dtype == "M8[D]" and columns["name"].dtype == object
    assert columns["price"].mask.tolist() == [i % 4 == 0 for i in range(count)]
    assert columns["place.on"].tolist() == [None if i % 9 == 0 else i % 2 == 0 for i in range(count)]


def test_arrow_is_valid_and_comes_back(table):
    out = table.to_arrow()
    out.validate(full=True)
    assert out.schema.field("price").nullable and not out.schema.field("ratio").nullable
    assert out.schema.field("name").type == pa.large_string() and out.schema.field("day").type == pa.date32()
    assert out.schema.field("vector").type == pa.list_(pa.field("item", pa.float32(), nullable=False), 3)
    assert [row["small"] for row in out.to_pylist()] == [row["small"] for row in rows_of(len(table))]
    for source in (out, out.to_reader(), table, table.to_polars(), table.to_pandas(), table.to_numpy()):
        back = slotwise.Table(RECORD)
        back.extend(source)
        assert back == table and back.to_arrow().equals(out)


def test_polars_and_pandas_have_the_same_values(table):
    frame = table.to_polars()
    assert frame.schema["at"] == pl.Datetime("ns") and frame.schema["vector"] == pl.Array(pl.Float32, 3)
    assert frame["price"].to_list() == [row["price"] for row in rows_of(len(table))]
    assert frame["place"].to_list() == [row["place"] for row in rows_of(len(table))]
    frame = table.to_pandas()
    assert [str(frame[name].dtype) for name in ("count", "price", "place.on")] == ["UInt64", "Float64", "boolean"]
    assert frame["price"].isna().tolist() == [i % 4 == 0 for i in range(len(table))]
    assert frame["at"].isna().tolist() == [i % 6 == 0 for i in range(len(table))]
    assert frame["name"].isna().tolist() == [i % 7 == 0 for i in range(len(table))]
    assert frame["count"].dropna().tolist() == [row["count"] for row in rows_of(len(table)) if row["count"] is not None]


def test_numbers_are_shared_and_pin():
    table = slotwise.Table({"x": "f8", "n": "i4?"})
    table.extend({"x": np.arange(1000.0), "n": np.arange(1000)})
    address = table.column("x").ctypes.data
    out = table.to_arrow()
    assert out["x"].chunk(0).buffers()[1].address == address and out["n"].chunk(0).buffers()[0] is None
    assert table.to_numpy()["x"].ctypes.data == address
    assert table.to_polars()["x"].to_numpy(allow_copy=False).ctypes.data == address
    assert table.to_pandas()["x"].to_numpy().ctypes.data == address
    assert table.pinned
    table.append(x=-1.0, n=None)
    assert len(out) == 1000 and out["x"][0].as_py() == 0.0
    del out
    import gc

    gc.collect()
    assert not table.pinned


def test_a_stream_gives_what_is_requested():
    table = slotwise.Table({"a": "i8", "b": str, "p": {"x": "f4", "y": bytes}})
    table.extend({"a": [1, 2], "b": ["x", "a text of more than twelve bytes"], "p": {"x": [0.5, 1.5], "y": [b"1", b""]}})

    def request(schema):
        return pa.RecordBatchReader._import_from_c_capsule(table.__arrow_c_stream__(schema.__arrow_c_schema__())).read_all()

    part = request(pa.schema([("b", pa.string()), ("a", pa.int64())]))
    part.validate(full=True)
    assert part.schema.types == [pa.string(), pa.int64()] and part["b"].to_pylist() == ["x", "a text of more than twelve bytes"]
    part = request(pa.schema([("p", pa.struct([("y", pa.binary())]))]))
    assert part.to_pylist() == [{"p": {"y": b"1"}}, {"p": {"y": b""}}]
    assert request(table.to_arrow().schema).equals(table.to_arrow())
    for wanted, text in [
        (pa.schema([("z", pa.int64())]), "there is no column 'z'; it has 'a', 'b', 'p'"),
        (pa.schema([("a", pa.int32())]), "column 'a' has Arrow's format 'l', not 'i'; cast the result"),
        (pa.schema([("a", pa.int64()), ("a", pa.int64())]), "column 'a' is asked for twice"),
        (pa.schema([("p", pa.int64())]), "column 'p' is a struct"),
        (pa.schema([("p", pa.struct([("z", pa.int8())]))]), "there is no column 'p.z'; it has 'x', 'y'"),
        (pa.schema([("b", pa.dictionary(pa.int8(), pa.string()))]), "column 'b' has Arrow's format 'U', not 'c'"),
    ]:
        with pytest.raises(ValueError, match="^requested_schema: ") as caught:
            request(wanted)
        assert text in str(caught.value)
    for wrong in (5, "a", table.__arrow_c_stream__()):
        with pytest.raises(TypeError, match="requested_schema: a capsule named 'arrow_schema' is needed"):
            table.__arrow_c_stream__(wrong)


def test_requested_schemas_that_lie():
    import ctypes

    from arrow_producers import CSchema, capsule, schema

    table = slotwise.Table({"a": "i8"})
    for made, text in [
        (schema(None), "has no format"),
        (schema("l"), "not '+s'"),
        (schema("+s", n_children=-1), "has -1 children"),
        (schema("+s", n_children=2, children=ctypes.POINTER(ctypes.POINTER(CSchema))()), "has 2 children"),
        (schema("+s", None), "a child of it is missing"),
        (schema("+s", schema(None, name="a")), "has no format"),
        (schema("+s", n_children=2**30), "more than any object here has columns"),
    ]:
        with pytest.raises(ValueError, match="^requested_schema: ") as caught:
            table.__arrow_c_stream__(capsule(made))
        assert text in str(caught.value)
    gone = schema("+s")
    ctypes.memset(ctypes.addressof(gone) + CSchema.release.offset, 0, 8)
    with pytest.raises(ValueError, match="was released"):
        table.__arrow_c_stream__(capsule(gone))


def test_what_arrow_cannot_say_is_refused():
    table = slotwise.Table({"day": "datetime64[D]"})
    table.append(day=np.datetime64(2**40, "D"))
    with pytest.raises(pa.ArrowInvalid, match="row 0 is 1099511627776 days, and Arrow's dates have 32 bits"):
        table.to_arrow()


def test_the_small_table():
    table = slotwise.Table({"key": str, "price": "f8?", "n": "i4", "at": "datetime64[s]"})
    assert repr(table) == "<slotwise.Table: 0 elements>\nkey  price   n  at\nstr    f8?  i4  datetime64[s]"
    table.append(key="a<b\n", price=None, n=1, at=np.datetime64("2024-01-01T00:00:00"))
    table.append(key="b" * 100, price=0.1, n=-20, at=np.datetime64("2024-01-01T00:00:01"))
    lines = repr(table).splitlines()
    assert lines[0] == "<slotwise.Table: 2 elements>" and len({len(line) for line in lines[3:]}) == 1
    assert lines[3].split() == ["a<b\\n", "null", "1", "2024-01-01T00:00:00"]
    assert lines[4].split() == ["b" * 29 + "...", "0.1", "-20", "2024-01-01T00:00:01"]
    page = table._repr_html_()
    assert "a&lt;b\\n" in page and "<script" not in page and page.count("<tr>") == 4
    table.extend({"key": ["c"] * 1000, "price": [0.5] * 1000, "n": range(1000), "at": np.zeros(1000, "M8[s]")})
    assert repr(table).startswith("<slotwise.Table: 1,002 elements>") and len(repr(table).splitlines()) == 14
    assert repr(table).endswith("\n...") and table._repr_html_().count("<tr>") == 12


def test_a_wide_table_shows_some_columns():
    table = slotwise.Table({f"column_{i}": "i4" for i in range(30)})
    table.append({f"column_{i}": i for i in range(30)})
    assert "column_10" in repr(table) and "column_11" not in repr(table) and "(19 more)" in repr(table)
    assert "(19 more)" in table._repr_html_()


def test_a_module_that_is_not_installed_is_named(monkeypatch):
    table = slotwise.Table("i8")
    for module, call in (("pyarrow", table.to_arrow), ("polars", table.to_polars), ("pandas", table.to_pandas)):
        with monkeypatch.context() as hidden:
            hidden.setitem(sys.modules, module, None)
            with pytest.raises(ModuleNotFoundError, match=f"to_.* needs {module}, which is not installed"):
                call()


def test_polars_and_pandas_need_no_pyarrow(monkeypatch):
    """What they do inside is theirs: the stream and the columns are read by the package itself."""
    of = {"a": "i8?", "b": str}
    frame = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": pd.array(["x", "y"], dtype=pd.StringDtype("python"))})
    other = pl.DataFrame({"a": [1, None], "b": ["x", "y"]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for source in (frame, other):
        table = slotwise.Table(of)
        table.extend(source)
        assert [tuple(row) for row in table] == [(1, "x"), (None, "y")]
    assert table.to_polars().to_dict(as_series=False) == {"a": [1, None], "b": ["x", "y"]}


def test_columns_of_pandas():
    def read(source, of):
        table = slotwise.Table(of)
        table.extend(source)
        return table.to_arrow().column(0).to_pylist()

    nan = float("nan")
    assert read(pd.Series([1.5, nan]), "f8?") == [1.5, None]
    assert str(read(pd.Series([1.5, nan]), "f8")) == "[1.5, nan]"
    assert read(pd.Series([1.0, nan]), "i4?") == [1, None]
    with pytest.raises(ValueError, match="row 1 is nan, which is no int32"):
        read(pd.Series([1.0, nan]), "i4")
    assert str(read(np.array([1.5, nan]), "f8?")) == "[1.5, nan]"
    assert read(pd.Series([1, None], dtype="Int32"), "i8?") == [1, None]
    assert read(pd.Series([True, None], dtype="boolean"), "bool?") == [True, None]
    assert read(pd.Series([0.5, None], dtype="Float32"), "f8?") == [0.5, None]
    assert read(pd.Series(["a", None, "a"], dtype="category"), "str?") == ["a", None, "a"]
    assert read(pd.Series([3, None, 3], dtype="category"), "i8?") == [3, None, 3]
    assert read(pd.Series([], dtype="category"), "str?") == []
    assert read(pd.Series([None], dtype=pd.CategoricalDtype([])), "str?") == [None]
    for storage in ("python", "pyarrow"):
        for missing in (pd.NA, nan):
            assert read(pd.Series(["a", None], dtype=pd.StringDtype(storage, na_value=missing)), "str?") == ["a", None]
    assert read(pd.Series(["a", None], dtype=object), "str?") == ["a", None]
    assert read(pd.Series(["a", nan], dtype=object), "str?") == ["a", None]
    assert read(pd.Series([1, 2], dtype=pd.ArrowDtype(pa.int16())), "i4") == [1, 2]
    assert read(pd.Series([0.0, 0.0, 1.0], dtype="Sparse[float64]"), "f8") == [0.0, 0.0, 1.0]
    zoned = pd.Series(pd.to_datetime(["2024-06-01 12:00", None]).tz_localize("Europe/Berlin"))
    assert read(zoned, "datetime64[s]?") == [datetime.datetime(2024, 6, 1, 10), None]
    assert read(pd.Index([1, 2]), "i8") == [1, 2] and read(pd.RangeIndex(3), "i8") == [0, 1, 2]
    with pytest.raises(ValueError, match="row 1 is null"):
        read(pd.Series(["a", None], dtype=object), str)
    with pytest.raises(TypeError, match="row 1: a str is needed, not float"):
        read(pd.Series(["a", 1.5], dtype=object), str)


def test_frames_of_pandas_have_their_index():
    frame = pd.DataFrame({"value": [1, 2], 5: [0, 0]}, index=pd.Index(["x", "y"], name="key"))
    assert dict(slotwise.Map(frame, key=str, value="i8")) == {"x": 1, "y": 2}
    assert dict(slotwise.Map(pd.Series([0.5, 1.5], index=["a", "b"]), key=str, value="f8")) == {"a": 0.5, "b": 1.5}
    index = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["key_0", "key_1"])
    pairs = slotwise.Map(pd.DataFrame({"value": [1.0, 2.0]}, index=index), key=(str, int), value="f8")
    assert dict(pairs) == {("a", 1): 1.0, ("b", 2): 2.0}
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    table = slotwise.Table({"a": "i8"})
    with pytest.raises(ValueError, match="there are two columns 'a'"):
        table.extend(twice)


# ----------------------------------------------------------------------------------------------------------- random schemas

LEAVES = {
    "bool": st.booleans(),
    "i1": st.integers(-128, 127),
    "i4": st.integers(-(2**31), 2**31 - 1),
    "i8": st.integers(-(2**63), 2**63 - 1),
    "u2": st.integers(0, 2**16 - 1),
    "u8": st.integers(0, 2**64 - 1),
    "f4": st.floats(width=32, allow_nan=False),
    "f8": st.floats(allow_nan=False),
    "str": st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    "bytes": st.binary(max_size=20),
    "datetime64[us]": st.integers(-(2**40), 2**40).map(lambda n: np.datetime64(n, "us")),
    "timedelta64[ns]": st.integers(-(2**40), 2**40).map(lambda n: np.timedelta64(n, "ns")),
}


@st.composite
def tables(draw):
    names = draw(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=5, unique=True))
    kinds = {name: draw(st.sampled_from(sorted(LEAVES))) for name in names}
    nulls = {name: draw(st.booleans()) for name in names}
    count = draw(st.integers(0, 70))
    columns = {}
    for name in names:
        leaf = LEAVES[kinds[name]]
        columns[name] = draw(st.lists(st.none() | leaf if nulls[name] else leaf, min_size=count, max_size=count))
    return {name: kinds[name] + ("?" if nulls[name] else "") for name in names}, columns


@settings(max_examples=60, deadline=None)
@given(tables(), st.data())
def test_what_goes_out_comes_in_by_every_way(made, data):
    of, columns = made
    table = slotwise.Table(of)
    table.extend(columns)
    out = table.to_arrow()
    out.validate(full=True)
    for name, column in columns.items():
        got = table.column(name).tolist()
        times = (np.datetime64, np.timedelta64)
        expected = [each.astype("int64").item() if isinstance(each, times) else each for each in column]
        if of[name].startswith(("datetime", "timedelta")):
            array = table.column(name)
            got = np.ma.MaskedArray(np.asarray(array).view("i8"), np.ma.getmaskarray(array)).tolist()
        assert got == expected
    first = data.draw(st.integers(0, len(table)))
    pieces = pa.Table.from_batches(out.to_batches(max_chunksize=7), out.schema)
    for source in (out, pieces, table.to_polars(), table.to_pandas(), table.to_numpy()):
        back = slotwise.Table(of)
        back.extend(source)
        assert back == table
    back = slotwise.Table(of)
    back.extend(out.slice(first))
    assert back.to_arrow().equals(out.slice(first))


def test_arrays_of_pandas_are_read_only_and_those_of_a_copy_are_not():
    m = slotwise.Map({1: 1.0, 2: 2.0})
    frame = m.to_pandas()
    for write in (lambda: frame.loc.__setitem__((0, "value"), 5.0), lambda: frame["value"].to_numpy().__setitem__(0, 5.0)):
        with pytest.raises(ValueError, match="read-only"):
            write()
    copy = frame.copy()
    copy.loc[0, "value"] = 5.0
    frame["value"] = frame["value"] * 2
    assert copy["value"].tolist() == [5.0, 2.0] and frame["value"].tolist() == [2.0, 4.0] and m == {1: 1.0, 2: 2.0}
