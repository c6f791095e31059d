# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Damaged bytes: snapshots and Arrow IPC messages with each bit flipped are refused or mean the same; no process crashes."""

import pickle
import subprocess
import sys

import pytest
import slotwise

# Snapshots and streams of deltas without a checksum of their own: a flip in a number or a text is then another number or
# text, which nobody can tell. As soon as they have one, this is True, and such a flip has to be refused, too.
CHECKSUMS = True

PROGRAM = """
import io, random, sys
import slotwise, pyarrow as pa

def containers():
    for name in slotwise.__all__:
        cls = getattr(slotwise, name)
        if not name.endswith(("Map", "Series")):
            continue
        table = cls()
        if name == "SlotMap":
            handles = table.extend([1.0, 2.0, 3.0])
            table.erase(int(handles[1]))
        elif name == "SoaMap":
            handles = table.extend([(1.0, 2.0, 3.0, 4.0)] * 3)
            table.erase(int(handles[1]))
        else:
            series = name.endswith("Series")
            keys = ["ab", "\\u00fc", "c" * 20] if name.startswith("Str") else [1, 2, 3]
            for time, key in enumerate(keys, 1):
                table.set(key, 1, **({"time": time} if series else {}))
            table.erase(keys[0], **({"time": 3} if series else {}))
        yield name, table

def use(table):
    table.keys(), table.values(), table.items(), list(table), table.snapshot(), repr(table), table == table.copy()
    for key in table.keys():
        table[key]
    pa.table(table).validate(full=True)
    pa.table(table.arrow(slots=True, handles=True)).validate(full=True)
    if hasattr(table, "capture"):
        pa.table(table.capture(since=0)).validate(full=True)

def flips(data):
    for at in range(len(data)):
        for bit in range(8):
            yield bytes(data[:at]) + bytes([data[at] ^ 1 << bit]) + bytes(data[at + 1:])

counts = {"refused": 0, "equal": 0, "other": 0}
def snapshots():
    for name, table in containers():
        data = table.snapshot()
        other = type(table)()
        for damaged in flips(data):
            before = other.snapshot()
            try:
                other.restore(damaged)
            except (ValueError, OverflowError, MemoryError):
                counts["refused"] += 1
                assert other.snapshot() == before
                continue
            use(other)
            counts["equal" if other.items() == table.items() else "other"] += 1

def messages():
    for name, table in containers():
        if not name.endswith("Series"):
            continue
        first = type(table)()
        first.update({key: 1.0 for key in table.keys()}, time=3)
        reader = pa.RecordBatchReader.from_stream(first.capture())
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)
        for damaged in flips(sink.getvalue()):
            for of in (lambda: pa.ipc.open_stream(damaged), lambda: pa.ipc.open_stream(damaged).read_all()):
                replica = type(table)()
                try:
                    applied = replica.apply(of())
                except (ValueError, TypeError, OSError, KeyError, MemoryError, NotImplementedError, pa.ArrowException):
                    counts["refused"] += 1
                    assert len(replica) == 0 and replica.window is None
                    continue
                use(replica)
                counts["equal" if replica.items() == first.items() or applied != slotwise.Applied.done else "other"] += 1
                rows = type(table)()
                try:
                    rows.update(of(), time=1)
                except (ValueError, TypeError, OSError, KeyError, MemoryError, NotImplementedError, pa.ArrowException):
                    pass
                use(rows)

globals()[sys.argv[1]]()
print(counts["refused"], counts["equal"], counts["other"])
"""


@pytest.mark.parametrize("what", ["snapshots", "messages"])
def test_a_flipped_bit_is_refused_or_harmless(what):
    pytest.importorskip("pyarrow")
    done = subprocess.run([sys.executable, "-c", PROGRAM, what], capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    refused, equal, other = map(int, done.stdout.split())
    assert refused > 1000
    if CHECKSUMS:
        assert other == 0
        if what == "snapshots":
            assert equal == 0


def test_the_metadata_of_a_message_can_not_lead_out_of_its_buffers():
    pa = pytest.importorskip("pyarrow")
    series = slotwise.StrSeries()
    series.update({"bund": 131.2, "bobl": 116.9}, time=1)
    table = pa.table(series.capture())
    key = table["key"].chunk(0)
    huge = pa.py_buffer(b"\0\0\0\0" b"\0\0\0\x40" b"\x08\0\0\0")  # offsets 0, 2**30 and 8
    lying = pa.Array.from_buffers(pa.utf8(), 2, [None, huge, key.buffers()[2]])
    batch = pa.RecordBatch.from_arrays([table["time"].chunk(0), table["op"].chunk(0), lying, table["value"].chunk(0)], schema=table.schema)
    replica, names = slotwise.StrSeries(), slotwise.StrFloat64Map()
    for source in (pa.Table.from_batches([batch]), batch, pa.RecordBatchReader.from_batches(table.schema, [batch])):
        with pytest.raises(ValueError):
            replica.apply(source)
        assert replica.window is None
    rows = pa.record_batch([lying, table["value"].chunk(0)], names=["key", "value"])
    for source in (rows, pa.Table.from_batches([rows]), pa.RecordBatchReader.from_batches(rows.schema, [rows])):
        with pytest.raises(ValueError):
            names.update(source)
        assert len(names) == 0


def test_a_batch_of_another_schema_than_its_reader_is_refused():
    pa = pytest.importorskip("pyarrow")
    schema = pa.schema({"key": pa.int64(), "value": pa.float64()})
    other = pa.record_batch({"key": pa.array([1], pa.int8()), "value": pa.array([1.0])})
    table = slotwise.Int64Float64Map()
    with pytest.raises((ValueError, TypeError)):
        table.update(pa.RecordBatchReader.from_batches(schema, iter([other])))
    assert len(table) == 0


BAD = [b"\xff\xfe\xfd", b"\xed\xa0\x80", b"\xc0\x80a", b"ab\xc3", b"\x80bc"]  # no character, a surrogate, too long, cut, a rest


@pytest.mark.parametrize("bad", BAD)
def test_text_that_is_not_utf8_is_refused_and_nothing_changes(bad):
    # A snapshot with a checksum is refused by that; the text is looked at all the same, see the pickles below.
    tables = [slotwise.StrFloat64Map(), slotwise.StrInt64Map(), slotwise.StrSeries()]
    for table in tables:
        when = {"time": 1} if isinstance(table, slotwise.StrSeries) else {}
        table.set("abc", 1, **when)
        if when:
            table.set("xyz", 1, time=1)
            removed = table.copy()
            removed.erase("abc", time=2)  # the delta of the open window still has its text
            cases = [table.snapshot(), removed.snapshot()]
        else:
            cases = [table.snapshot()]
        for data in cases:
            assert data.count(b"abc") == 1
            other = type(table)()
            other.set("here", 2, **when)
            before = other.snapshot()
            with pytest.raises(ValueError, match="snapshot"):
                other.restore(data.replace(b"abc", bad))
            assert other.snapshot() == before
            with pytest.raises(ValueError, match="snapshot"):
                pickle.loads(pickle.dumps(table).replace(b"abc", bad))


@pytest.mark.parametrize("bad", BAD)
def test_an_arrow_text_that_is_not_utf8_is_refused_and_nothing_changes(bad):
    pa = pytest.importorskip("pyarrow")
    text = pa.Array.from_buffers(pa.utf8(), 1, [None, pa.py_buffer(b"\0\0\0\0" + len(bad).to_bytes(4, "little")), pa.py_buffer(bad)])
    rows = pa.record_batch([text, pa.array([1.0])], names=["key", "value"])

    class Other:
        """Not of pyarrow, as far as anyone can see: only what C sees is checked."""

        def __arrow_c_stream__(self, requested_schema=None):
            return pa.Table.from_batches([rows]).__arrow_c_stream__(requested_schema)

    for table, when in ((slotwise.StrFloat64Map(), {}), (slotwise.StrSeries(), {"time": 1})):
        for source in (rows, pa.Table.from_batches([rows]), pa.RecordBatchReader.from_batches(rows.schema, [rows]), Other()):
            with pytest.raises(ValueError):
                table.update(source, **when)
            assert len(table) == 0
    series = slotwise.StrSeries()
    series.set("abc", 1.0, time=1)
    delta = pa.table(series.capture())
    lying = delta.set_column(2, delta.schema.field(2), pa.chunked_array([text]))
    replica = slotwise.StrSeries()
    with pytest.raises(ValueError):
        replica.apply(lying)
    assert replica.window is None
