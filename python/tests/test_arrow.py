# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The Arrow interface, read and written by pyarrow."""

import ctypes
import sys

import numpy as np
import pytest
import slotwise

pa = pytest.importorskip("pyarrow")

SIZES = [0, 1, 7, 63, 64, 65, 4096, 20_000]


def address(array, i=1):
    return array.buffers()[i].address + array.offset * 8


def big(cls=slotwise.UInt64Float64Map, size=100_000, on_write="detach"):
    table = cls(on_write=on_write)
    table.update((key, float(key)) for key in range(size))
    return table


def test_pyarrow_reads_what_is_there(keyed):
    table = keyed.filled()
    read = pa.table(table)
    read.validate(full=True)
    assert read.column_names == ["key", "value"]
    assert read["key"].to_pylist() == keyed.keys and read["value"].to_pylist() == keyed.values


def test_the_schema_is_that_of_the_stream(keyed):
    table = keyed.filled()
    assert pa.schema(table) == pa.table(table).schema == pa.schema(keyed.cls())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("step", [0, 2, 7, 1000])
def test_every_size_with_holes(size, step):
    table = big(size=size)
    if step:
        for key in range(0, size, step):
            table.erase(key)
    read = pa.table(table)
    read.validate(full=True)
    assert read["key"].to_pylist() == table.keys() and read["value"].to_pylist() == table.values()
    with_slots = pa.table(table.arrow(slots=True))
    with_slots.validate(full=True)
    assert with_slots["key"].drop_null().to_pylist() == table.keys()


def test_full_pages_are_shared_with_pyarrow_and_numpy():
    table = big()
    read = pa.table(table)
    assert read["value"].num_chunks == 1
    view = table.column(copy=False)
    assert address(read["value"].chunk(0)) == view.ctypes.data
    assert address(read["key"].chunk(0)) == table.column("key", copy=False).ctypes.data
    assert read["value"].chunk(0).to_numpy().ctypes.data == view.ctypes.data


def test_rows_are_shared_too():
    table = slotwise.SoaMap()
    table.extend((i, i, i, i) for i in range(10_000))
    read = pa.table(table)
    assert read.column_names == ["x", "y", "z", "w"]
    for name in "xyzw":
        assert address(read[name].chunk(0)) == table.column(name, copy=False).ctypes.data


def test_a_stream_pins_until_all_of_it_is_gone():
    table = big(on_write="refuse")
    read = pa.table(table)
    part = read["value"].chunk(0)[5:10]
    del read
    assert table.pinned
    with pytest.raises(BufferError):
        table[1] = 2.0
    del part
    table[1] = 2.0


def test_a_capsule_that_is_dropped_pins_nothing():
    table = big()
    capsule = table.__arrow_c_stream__()
    assert table.pinned
    del capsule
    assert not table.pinned
    stream = table.arrow()
    assert table.pinned
    del stream
    assert not table.pinned


def test_a_table_outlives_its_container_and_detached_writes():
    table = big()
    read = pa.table(table)
    table.clear()
    assert not table.pinned
    del table
    assert read["value"].to_pylist() == [float(i) for i in range(100_000)]


def test_an_arrow_stream_is_read_once():
    stream = big().arrow()
    assert pa.table(stream).num_rows == 100_000
    with pytest.raises(ValueError, match="read already"):
        pa.table(stream)


def test_handles_and_times_are_further_columns():
    table = slotwise.SlotMap()
    handles = table.extend([1.0, 2.0])
    read = pa.table(table.arrow(handles=True))
    assert read.column_names == ["value", "handle"] and read["handle"].to_pylist() == handles.tolist()
    with pytest.raises(ValueError, match="time: only a series"):
        table.arrow(time=True)
    series = slotwise.StrSeries()
    series.set("a", 1.0, time=3)
    series.create("b", time=4)
    read = pa.table(series.arrow(time=True))
    assert read.to_pylist() == [{"key": "a", "value": 1.0, "time": 3}, {"key": "b", "value": None, "time": None}]


def test_a_requested_schema_is_honoured_or_refused(keyed):
    table = keyed.filled()
    own = pa.schema(table)

    def read(schema):
        return pa.RecordBatchReader._import_from_c_capsule(table.__arrow_c_stream__(schema.__arrow_c_schema__())).read_all()

    assert read(own) == pa.table(table)
    assert read(own.append(pa.field("handle", pa.uint64()))).column_names == ["key", "value", "handle"]
    for other in (
        pa.schema([pa.field("key", own.field("key").type)]),
        pa.schema([pa.field("value", own.field("value").type), pa.field("key", own.field("key").type)]),
        pa.schema([own.field("key"), pa.field("value", pa.float32())]),
    ):
        with pytest.raises(ValueError, match="requested_schema: this object has the columns"):
            read(other)
    with pytest.raises(TypeError, match="requested_schema: a capsule"):
        table.__arrow_c_stream__(5)
    assert not table.pinned


class Schema(ctypes.Structure):
    """An ArrowSchema that says whatever a test wants."""

    live = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)

    def __init__(self, format, name=None, children=(), release=live, **lies):
        self.list = (ctypes.POINTER(Schema) * len(children))(*(child and ctypes.pointer(child) for child in children))
        super().__init__(format=format, name=name, children=self.list if children else None, n_children=len(children))
        self.release = ctypes.cast(release, ctypes.c_void_p) if release else None
        for member, lie in lies.items():
            setattr(self, member, lie)

    def capsule(self):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self), SCHEMA_NAME, None)


SCHEMA_NAME = b"arrow_schema"  # a capsule keeps the address
Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


def test_a_requested_schema_that_lies_is_refused(keyed):
    # pyarrow makes sound schemas only, so they never met these pointers.
    table = keyed.filled()
    columns = [Schema(b"l", b"key"), Schema(b"l", b"value")]
    for schema, why in (
        (Schema(b"+s", children=columns, release=None), "was released"),
        (Schema(None, children=columns), "has no format"),
        (Schema(b"+s", children=columns, n_children=-1), "has -1 children"),
        (Schema(b"+s", n_children=2), "no list of them"),
        (Schema(b"+s", children=columns, n_children=2**40), "more than any object here has columns"),
        (Schema(b"+s", children=[columns[0], None]), "has no child 1"),
        (Schema(b"+s", children=[Schema(b"l", b"key", release=None), columns[1]]), "child 0 was released"),
        (Schema(b"+s", children=[columns[0], Schema(None, b"value")]), "child 1 has no format"),
        (Schema(b"+s", children=[columns[0], Schema(b"e")]), "asked for were"),
    ):
        with pytest.raises(ValueError, match="requested_schema: .*" + why):
            table.__arrow_c_stream__(schema.capsule())
    assert not table.pinned


def test_an_update_of_many_rows_in_another_order_assigns_each(keyed):
    table = keyed.cls()
    text = isinstance(keyed.keys[0], str)
    order = np.random.default_rng(1).permutation(5000)
    for number, rows in enumerate((np.arange(5000), order, order[:100], np.repeat(order[:50], 40)), 1):
        when = {"time": number} if keyed.when else {}
        keys = [f"key {row}" for row in rows] if text else rows
        values = np.arange(len(rows)) + number
        table.update(pa.table({"key": keys, "value": values.astype(type(keyed.values[0]))}), **when)
        assert all(table[key] == value for key, value in dict(zip(keys, values)).items())
    assert len(table) == 5000


def test_update_takes_tables_readers_and_other_containers(keyed):
    table = keyed.filled()
    read = pa.table(table)
    for source in (read, read.to_reader(), table, table.arrow(), read.to_batches()[0]):
        other = keyed.cls()
        other.update(source, **keyed.when)
        assert other == table


def test_update_from_a_slice_has_its_rows_only():
    read = pa.table({"key": pa.array(range(100), pa.uint64()), "value": [float(i) for i in range(100)]})
    table = slotwise.UInt64Float64Map()
    table.update(read.slice(37, 20))
    assert table.keys() == list(range(37, 57))


def test_int64_columns_are_uint64_keys_if_they_fit():
    table = slotwise.UInt64Float64Map()
    table.update(pa.table({"key": [1, 2], "value": [1.0, 2.0]}))
    assert table.keys() == [1, 2]
    with pytest.raises(ValueError, match="key"):
        table.update(pa.table({"key": [3, -1], "value": [1.0, 2.0]}))
    assert len(table) == 2


@pytest.mark.parametrize(
    "columns, text",
    [
        ({"key": [1]}, "value"),
        ({"key": ["a"], "value": [1.0]}, "key"),
        ({"key": [1], "value": ["a"]}, "value"),
        ({"key": [None, 1], "value": [1.0, 2.0]}, "key"),
        ({"key": [1], "value": pa.array([None], pa.float64())}, "value"),
    ],
)
def test_a_wrong_column_is_refused_by_name(columns, text):
    table = slotwise.Int64Float64Map()
    with pytest.raises(ValueError, match=text):
        table.update(pa.table(columns))
    assert len(table) == 0


def test_a_null_makes_a_member_of_a_series_without_a_value():
    series = slotwise.StrSeries()
    series.update(pa.table({"key": ["a", "b"], "value": [1.0, None]}), time=1)
    assert series.items() == [("a", 1.0), ("b", None)]


def test_an_error_of_the_stream_is_an_error_here():
    def batches():
        yield pa.record_batch({"key": pa.array([1]), "value": pa.array([1.0])})
        raise RuntimeError("the source is broken")

    schema = pa.schema({"key": pa.int64(), "value": pa.float64()})
    table = slotwise.Int64Float64Map()
    with pytest.raises(RuntimeError, match="the source is broken"):
        table.update(pa.RecordBatchReader.from_batches(schema, batches()))
    assert table.items() == [(1, 1.0)]


def test_a_stream_may_not_use_the_object_that_it_goes_into():
    table = slotwise.Int64Float64Map()

    def batches():
        yield pa.record_batch({"key": pa.array([len(table)]), "value": pa.array([1.0])})

    schema = pa.schema({"key": pa.int64(), "value": pa.float64()})
    with pytest.raises(RuntimeError, match="being changed by the call"):
        table.update(pa.RecordBatchReader.from_batches(schema, batches()))
    table[1] = 1.0


def test_a_container_is_its_own_source():
    table = big(on_write="refuse")
    table.update(table)
    assert not table.pinned and len(table) == 100_000


def test_update_without_a_stream_in_the_capsule_is_refused():
    class Wrong:
        def __arrow_c_stream__(self, requested_schema=None):
            return 5

    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        slotwise.Int64Int64Map().update(Wrong())


def test_update_from_a_stream_makes_no_python_object_for_a_row():
    source = pa.table({"key": np.arange(100_000, dtype=np.int64), "value": np.arange(100_000, dtype=np.float64)})
    table = slotwise.Int64Float64Map()
    before = sys.getallocatedblocks()
    table.update(source)
    assert len(table) == 100_000 and sys.getallocatedblocks() - before < 1000


def delta_of(subject):
    a, b, c = subject.keys
    series = subject.filled()
    series.set(a, 9.0, time=2)
    series.erase(b, time=2)
    return series, series.capture()


def test_a_delta_is_a_stream_of_changes(series_subject):
    a, b, _ = series_subject.keys
    _, delta = delta_of(series_subject)
    read = pa.table(delta)
    read.validate(full=True)
    assert read.schema == pa.schema(delta) and read.column_names == ["time", "op", "key", "value"]
    rows = sorted(read.to_pylist(), key=lambda row: row["op"])
    assert rows == [{"time": 2, "op": 2, "key": a, "value": 9.0}, {"time": 2, "op": 3, "key": b, "value": None}]
    metadata = pa.schema(delta).metadata
    assert metadata[b"slotwise.from"] == b"1" and metadata[b"slotwise.to"] == b"2"


def test_a_delta_in_an_ipc_file_leads_a_replica(series_subject, tmp_path):
    series, delta = delta_of(series_subject)
    table = pa.table(delta)
    with pa.ipc.new_stream(tmp_path / "delta.arrows", table.schema) as writer:
        writer.write_table(table)
    replica = series_subject.filled()
    bytes_of = replica.snapshot()
    for wanted in (slotwise.Applied.done, slotwise.Applied.already):
        with pa.ipc.open_stream(tmp_path / "delta.arrows") as reader:
            assert replica.apply(reader) == wanted
    assert replica == series and replica.capture() == delta
    empty = series_subject.cls()
    assert empty.apply(table) == slotwise.Applied.gap and empty.window is None
    replica.restore(bytes_of)
    replica.erase(series_subject.keys[0], time=1)
    before = replica.snapshot()
    with pytest.raises(ValueError, match="key"):
        replica.apply(table)
    assert replica.snapshot() == before


def test_an_empty_window_is_a_delta_too():
    series, replica = slotwise.StrSeries(), slotwise.StrSeries()
    series.clear(time=1)
    table = pa.table(series.capture())
    assert table.num_rows == 0 and replica.apply(table) == slotwise.Applied.done
    assert replica.window == 1 and replica == series


def test_apply_refuses_what_is_no_delta():
    series = slotwise.StrSeries()
    with pytest.raises(TypeError, match="delta: a delta or an object with __arrow_c_stream__"):
        series.apply(5)
    with pytest.raises(ValueError, match="slotwise.delta"):
        series.apply(pa.table({"key": ["a"], "value": [1.0]}))
    assert series.window is None


def test_a_delta_refuses_another_schema(series_subject):
    _, delta = delta_of(series_subject)
    with pytest.raises(ValueError, match="requested_schema"):
        delta.__arrow_c_stream__(pa.schema({"key": pa.int64()}).__arrow_c_schema__())
    assert delta.__arrow_c_stream__(pa.schema(delta).__arrow_c_schema__())
