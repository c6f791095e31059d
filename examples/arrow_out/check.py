#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Takes the market of arrow_out through Python: usage: check.py PROGRAM LIBRARY

Its state and its windows become files of Arrow's IPC format, which pyarrow writes and reads back. A replica in C++ follows by what
was read, and equals the market. LIBRARY is library.cpp, built. Left out, with exit code 77, where pyarrow is not installed.
"""

import ctypes
import os
import subprocess
import sys
import tempfile

if "--help" in sys.argv[1:]:
    print(__doc__)
    sys.exit()
try:
    import pyarrow as pa
    import pyarrow.compute
except ImportError:
    print("left out: pyarrow is not here; python3 -m pip install pyarrow, or tools/dev python, which has it")
    sys.exit(77)

program, path = sys.argv[1:3]
library = ctypes.CDLL(os.path.abspath(path))
library.place_open.restype = ctypes.c_void_p
library.place_open.argtypes = [ctypes.c_uint64]
library.place_close.argtypes = [ctypes.c_void_p]
library.place_close.restype = None
library.place_equal.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
DONE, ALREADY, GAP = range(3)
failures = []


def expect(holds, promise):
    if not holds:
        failures.append(promise)
        print(f"FAILED: {promise}")


def call(name, place, *arguments):
    """A function that returns the text of its error."""
    function = getattr(library, name)
    function.restype = ctypes.c_char_p
    error = function(ctypes.c_void_p(place), *arguments)
    if error is not None:
        raise ValueError(f"{name}: {error.decode()}")


class Struct:
    """Memory for an ArrowArrayStream."""

    def __init__(self):
        self.memory = (ctypes.c_void_p * 5)()
        self.address = ctypes.addressof(self.memory)
        self.argument = ctypes.c_void_p(self.address)


def out_of(name, place):
    """The stream that a function of C++ writes, as a reader of pyarrow, which owns it then."""
    struct = Struct()
    call(name, place, struct.argument)
    return pa.RecordBatchReader._import_from_c(struct.address)


def into(name, place, reader, *more):
    """The way back: C++ reads, and releases, a stream of pyarrow."""
    struct = Struct()
    reader._export_to_c(struct.address)
    call(name, place, struct.argument, *more)
    expect(struct.memory[3] is None, "C++ releases what it has read")


def follow(replica, reader):
    applied = ctypes.c_int(-1)
    into("place_follow", replica, reader, ctypes.byref(applied))
    return applied.value


def write(reader, file):
    rows = 0
    with pa.OSFile(file, "wb") as sink, pa.ipc.new_stream(sink, reader.schema) as writer:
        for batch in reader:
            batch.validate(full=True)
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows


def main(folder):
    market, replica, late = library.place_open(5000), library.place_open(0), library.place_open(0)

    state = os.path.join(folder, "state.arrows")
    rows = write(out_of("place_state", market), state)
    with pa.memory_map(state) as source:
        into("place_take", replica, pa.ipc.open_stream(source))
    expect(rows == 5000 and library.place_equal(market, replica), "the state that was read back is the market")
    expect(not library.place_equal(market, late), "a market without prices is another one")

    windows, changes = [os.path.join(folder, f"window-{number}.arrows") for number in range(2, 22)], 0
    for file in windows:
        call("place_trade", market)
        changes += write(out_of("place_window", market), file)
        expect(not library.place_equal(market, replica), "a window changes the market")
        for wanted in (DONE, ALREADY):
            with pa.memory_map(file) as source:
                expect(follow(replica, pa.ipc.open_stream(source)) == wanted, "a window that comes twice is applied once")
        expect(library.place_equal(market, replica), "the replica follows by files")
    with pa.memory_map(windows[-1]) as source:
        reader = pa.ipc.open_stream(source)
        metadata = reader.schema.metadata
        expect(follow(late, reader) == GAP, "a window whose predecessor is missing is a gap")
    expect(metadata[b"slotwise.from"] == b"20" and metadata[b"slotwise.to"] == b"21", "a file says which windows it leads between")

    table = out_of("place_state", market).read_all()
    write(table.to_reader(), state)
    with pa.memory_map(state) as source:
        read = pa.ipc.open_stream(source).read_all()
        expect(read.equals(table, check_metadata=True), "a file holds the same table")
    prices = table["value"]
    expect(table.column_names == ["key", "value"] and prices.null_count > 0, "what was listed and not traded has no price")
    expect(len(set(table["key"].to_pylist())) == table.num_rows, "a row for each name")
    expect(90 <= pa.compute.min(prices).as_py() and pa.compute.max(prices).as_py() < 110, "prices are those of the market")

    try:
        into("place_take", late, pa.table({"key": ["XS1"], "value": ["dear"]}).to_reader())
        expect(False, "a wrong column is refused")
    except ValueError as error:
        expect('column "value"' in str(error), "an error names the column")

    for place in (market, replica, late):
        library.place_close(place)
    print(f"{table.num_rows} prices and {len(windows)} windows with {changes} changes went through files")


# The same market, told in numbers by the program.
told = subprocess.run([program, "300", "5"], stdout=subprocess.PIPE, universal_newlines=True, check=False)
expect(told.returncode == 0 and "check: passed" in told.stdout, "the program holds")
with tempfile.TemporaryDirectory() as temporary:
    main(temporary)
print(f"check: {'FAILED' if failures else 'passed'}")
sys.exit(1 if failures else 0)
