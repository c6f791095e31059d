# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Other readers of Arrow read every type, and are read; each is left out where it is not installed."""

import datetime

import numpy as np
import pytest
import slotwise

SIZE = 50_000
RECORD = {"price": "f8", "name": "str?", "on": "bool?", "at": "datetime64[us]", "took": "timedelta64[ms]"}
RECORD |= {"day": "datetime64[D]", "raw": bytes, "place": {"x": "f4"}, "vector": ("f4", 2), "count": "u2"}
START = datetime.datetime(2024, 1, 1)


@pytest.fixture(scope="module")
def table():
    made = slotwise.Map(key=int, value=RECORD)
    numbers = np.arange(SIZE)
    made.update(
        numbers,
        {
            "price": numbers / 2,
            "name": [None if i % 3 == 0 else f"name {i}" for i in range(SIZE)],
            "on": [None if i % 5 == 0 else i % 2 == 0 for i in range(SIZE)],
            "at": np.datetime64(START) + numbers.astype("m8[s]"),
            "took": numbers.astype("m8[ms]"),
            "day": (numbers % 10_000).astype("M8[D]"),
            "raw": [b"\xff" * (i % 20) for i in range(SIZE)],
            "place": {"x": numbers.astype("f4")},
            "vector": np.stack([numbers, -numbers], axis=1),
            "count": numbers % 2**16,
        },
    )
    return made


ROW = {
    "key": 4,
    "price": 2.0,
    "name": "name 4",
    "on": True,
    "at": START + datetime.timedelta(seconds=4),
    "took": datetime.timedelta(milliseconds=4),
    "day": datetime.date(1970, 1, 5),
    "raw": b"\xff" * 4,
    "place": {"x": 4.0},
    "vector": [4.0, -4.0],
    "count": 4,
}


def same(table, source):
    other = slotwise.Map(key=int, value=RECORD)
    other.update(source)
    assert other == table


def test_pyarrow_reads_every_type(table):
    pa = pytest.importorskip("pyarrow")
    whole = pa.table(table)
    whole.validate(full=True)
    assert whole.slice(4, 1).to_pylist() == [ROW]
    same(table, whole)
    same(table, whole.to_reader())
    assert pa.schema(table) == whole.schema


def test_polars_reads_every_type(table):
    pl = pytest.importorskip("polars")
    frame = table.to_polars()
    assert frame.shape == (SIZE, 11) and frame.row(4, named=True) == ROW
    assert frame.filter(pl.col("on")).height == sum(i % 5 != 0 and i % 2 == 0 for i in range(SIZE))
    same(table, frame)
    assert pl.Series(table.to_polars()["name"]).null_count() == len(range(0, SIZE, 3))


def test_polars_shares_numbers(table):
    pytest.importorskip("polars")
    frame = table.to_polars()
    assert frame["price"].to_numpy(allow_copy=False).ctypes.data == table.column("price").ctypes.data


def test_categories_of_polars_are_keys():
    pl = pytest.importorskip("polars")
    texts = ["a", "b", "a long key of some twenty bytes"]
    for kind in (pl.Categorical, pl.Enum(texts)):
        names = slotwise.Map(key=str, value="i8")
        names.update(pl.DataFrame({"key": pl.Series(texts, dtype=kind), "value": [1, 2, 3]}))
        assert dict(names) == dict(zip(texts, (1, 2, 3)))


def test_duckdb_reads_every_type(table):
    duckdb = pytest.importorskip("duckdb")
    pa = pytest.importorskip("pyarrow")
    whole = pa.table(table)
    with duckdb.connect() as connection:
        connection.register("data", whole)
        row = connection.sql("select * from data where key = 4").fetchall()[0]
        assert list(row[:5]) == [4, 2.0, "name 4", True, ROW["at"]]
        assert row[6:9] == (ROW["day"], ROW["raw"], ROW["place"])
        assert list(row[9]) == [4.0, -4.0]
        counted = connection.sql("select count(*), count(name), sum(place.x) from data").fetchall()[0]
        assert counted[:2] == (SIZE, SIZE - len(range(0, SIZE, 3)))
        other = slotwise.Map(key=int, value="f8")
        other.update(connection.sql("select key, price * 2 as value from data where key < 3"))
        assert dict(other) == {0: 0.0, 1: 1.0, 2: 2.0}


def test_duckdb_reads_the_object_itself(table):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.register("data", table)
        assert connection.sql("select max(key) from data").fetchall() == [(SIZE - 1,)]


def test_pandas_reads_every_type(table):
    pd = pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert frame.loc[4, "price"] == 2.0 and frame.loc[4, "name"] == "name 4" and frame.loc[4, "at"] == pd.Timestamp(ROW["at"])
    same(table, frame)
    if hasattr(pd.DataFrame, "from_arrow"):
        frame = pd.DataFrame.from_arrow(table)
        frame["place.x"] = [each["x"] for each in frame.pop("place")]
        same(table, frame)


def test_nanoarrow_reads_every_type(table):
    na = pytest.importorskip("nanoarrow")
    array = na.Array(table)
    assert len(array) == SIZE and array[4].as_py() == ROW
    same(table, na.ArrayStream(table))


def test_datafusion_queries_it(table):
    datafusion = pytest.importorskip("datafusion")
    context = datafusion.SessionContext()
    frame = context.from_arrow(table, name="data")
    assert frame.count() == SIZE
