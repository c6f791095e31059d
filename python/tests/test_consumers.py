# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Further readers of Arrow; each is left out where it is not installed."""

import numpy as np
import pytest
import slotwise

SIZE = 50_000


@pytest.fixture
def table():
    table = slotwise.UInt64Float64Map()
    table.update((key, float(key)) for key in range(SIZE))
    return table


def test_polars_shares_full_pages_and_is_read_back(table):
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(table.arrow())
    assert frame.shape == (SIZE, 2) and frame["value"].sum() == sum(range(SIZE))
    chunk = frame["value"].to_numpy(allow_copy=False)
    assert chunk.ctypes.data == table.column(copy=False).ctypes.data
    other = slotwise.UInt64Float64Map()
    other.update(frame.filter(pl.col("key") < 10))
    assert other.keys() == list(range(10))


def test_polars_gives_texts_as_views(table):
    pl = pytest.importorskip("polars")
    names = slotwise.StrInt64Map()
    names.update(pl.DataFrame({"key": ["a", "a longer text than twelve bytes"], "value": [1, 2]}))
    assert names.items() == [("a", 1), ("a longer text than twelve bytes", 2)]


def test_duckdb_queries_it(table):
    duckdb = pytest.importorskip("duckdb")
    pa = pytest.importorskip("pyarrow")
    with duckdb.connect() as connection:
        connection.register("data", pa.table(table))
        assert connection.sql("select sum(value), count(*) from data where key % 2 = 0").fetchall() == [
            (float(sum(range(0, SIZE, 2))), SIZE // 2)
        ]
        other = slotwise.UInt64Float64Map()
        other.update(connection.sql("select key, value * 2 as value from data where key < 3"))
        assert other.items() == [(0, 0.0), (1, 2.0), (2, 4.0)]


def test_duckdb_reads_the_object_itself(table):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.register("data", table)
        assert connection.sql("select max(key) from data").fetchall() == [(SIZE - 1,)]


def test_pandas_makes_a_frame_and_is_read_back(table):
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    frame = pa.table(table).to_pandas()
    assert frame["value"].sum() == sum(range(SIZE)) and list(frame.columns) == ["key", "value"]
    other = slotwise.UInt64Float64Map()
    other.update(pd.DataFrame({"key": [1, 2], "value": [0.5, 1.5]}))
    assert other.items() == [(1, 0.5), (2, 1.5)]


def test_nanoarrow_reads_it(table):
    na = pytest.importorskip("nanoarrow")
    array = na.Array(table)
    assert len(array) == SIZE and array[2].as_py() == {"key": 2, "value": 2.0}
    other = slotwise.UInt64Float64Map()
    other.update(na.ArrayStream(table))
    assert other == table


def test_datafusion_queries_it(table):
    datafusion = pytest.importorskip("datafusion")
    context = datafusion.SessionContext()
    frame = context.from_arrow(table, name="data")
    assert frame.count() == SIZE
    result = context.sql("select sum(value) as total from data").to_pylist()
    assert result == [{"total": float(sum(range(SIZE)))}]


def test_numpy_reads_by_dlpack_and_buffer_protocol(table):
    column = table.column(copy=False)
    assert memoryview(column).readonly and memoryview(column).format == "d"
    assert np.from_dlpack(column).ctypes.data == column.ctypes.data
