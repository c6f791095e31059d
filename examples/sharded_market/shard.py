# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""One shard: a series of slotwise, and the folder from which it comes back after its process was killed.

The folder has two files. `snapshot` is the state of one window. `log` has a record for each window that was answered: the delta as an
Arrow stream. A window is applied, then logged, then answered. So one that was answered is in the log, and one that was not may be sent
again: what came before is recognised and changes nothing. This file knows nothing about Ray, Dask or processes.
"""

import contextlib
import errno
import fcntl
import os
import pathlib
import shutil
import signal
import struct
import time
import zlib

import numpy as np
import pyarrow as pa
import slotwise

QUOTE = np.dtype([("price", "f8"), ("size", "i4")])  # the record of a key
SCHEMA = pa.schema([("key", pa.int64()), ("price", pa.float64()), ("size", pa.int32())])
NEVER = -(2**63)  # the window of a shard that nothing was written to


class Damaged(ValueError):
    """A file of a shard is not what was written to it. A killed process does not do that."""


def rows(keys, quotes=None):
    """An array of keys and one of QUOTE as a table; keys without quotes as rows that erase them, whose fields are null."""
    arrays = [keys] if quotes is None else [keys, *(np.ascontiguousarray(quotes[name]) for name in QUOTE.names)]
    columns = [pa.Array.from_buffers(field.type, len(keys), [None, pa.py_buffer(array)]) for field, array in zip(SCHEMA, arrays)]
    return pa.table([*columns, *(pa.nulls(len(keys), field.type) for field in list(SCHEMA)[len(columns) :])], schema=SCHEMA)


def to_ipc(source):
    """What has an Arrow stream, as bytes in the format that every library of Arrow reads. (pyarrow.table() would import pandas first,
    which is the longest part of a recovery.)"""
    sink, stream = pa.BufferOutputStream(), pa.RecordBatchReader.from_stream(source)
    with pa.ipc.new_stream(sink, stream.schema) as writer:
        for batch in stream:
            writer.write_batch(batch)
    return sink.getvalue()


def from_ipc(message):
    with pa.ipc.open_stream(message) as reader:
        return reader.read_all()


class Record:
    """What stands in both files: a header with a checksum of its own, so that a length is never believed untested, and a body."""

    FIELDS = struct.Struct("<4sIqqII")  # magic, checksum of the body, bytes of it, window, number of the shard, of how many
    CHECKSUM = struct.Struct("<I")
    HEADER = FIELDS.size + CHECKSUM.size

    @classmethod
    def header(cls, magic, body, window, number, shards):
        fields = cls.FIELDS.pack(magic, zlib.crc32(body), len(body), window, number, shards)
        return fields + cls.CHECKSUM.pack(zlib.crc32(fields))

    @classmethod
    def read_all(cls, data, magic, where):
        """Yields (window, number, shards, body, offset of the end), up to the first record that ends beyond the file."""
        at = 0
        while at + cls.HEADER <= len(data):
            fields = data[at : at + cls.FIELDS.size]
            found, checksum, size, window, number, shards = cls.FIELDS.unpack(fields)
            if found != magic or cls.CHECKSUM.unpack_from(data, at + cls.FIELDS.size)[0] != zlib.crc32(fields):
                raise Damaged(f"{where}: no record at byte {at}")
            end = at + cls.HEADER + size
            if end > len(data):
                return
            body = data[at + cls.HEADER : end]
            if zlib.crc32(body) != checksum:
                raise Damaged(f"{where}: the record at byte {at} has another checksum")
            yield window, number, shards, body, end
            at = end


class Shard:
    """Shard `number` of `shards`, at home in `folder`: it is made there, or comes back from there.

    @param log_limit bytes of log after which a snapshot is made, and the log starts afresh
    @param patience seconds to wait for another process that has the folder
    @param durable wait for the disk before each answer: a killed process loses nothing without it, a power cut does
    """

    POINTS = ("torn", "logged", "snapshot", "replaced")  # where die_at() can kill it

    def __init__(self, folder, number=0, shards=1, *, log_limit=32 << 20, durable=False, patience=10.0):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.number, self.shards, self.log_limit, self.durable = number, shards, log_limit, durable
        self.broken, self.doomed = None, None
        self.log = open(self.folder / "log", "ab", buffering=0)
        begin = time.monotonic()
        try:
            self._lock(patience)
            self.series, self.replayed = self._recover()
        except BaseException:
            self.log.close()
            raise
        self.opened_in = time.monotonic() - begin

    def close(self):
        self.log.close()

    @property
    def window(self):
        """The last window that it has."""
        return NEVER if self.series.window is None else self.series.window

    def status(self):
        return {"window": self.window, "rows": len(self.series), "replayed": self.replayed, "opened_in": self.opened_in, "pid": os.getpid()}

    def write(self, since, until, message):
        """A window: rows of SCHEMA as an Arrow stream; those whose fields are null are erased, after the others were written.

        Returns 'done'; 'already', if it has been here; 'gap', if one between it and the last one is missing. Raises ValueError when
        the rows are no rows of this shard; nothing has changed then.
        """
        self._expect_whole()
        if until <= self.window:
            return "already"
        if since != self.window:
            return "gap"
        table = from_ipc(message)
        if table.schema.remove_metadata() != SCHEMA or table["key"].null_count:
            raise ValueError(f"rows of {SCHEMA.names} are needed, keys without nulls, not {table.schema}")
        keys = (np.frombuffer(chunk.buffers()[1], np.int64, len(chunk), 8 * chunk.offset) for chunk in table["key"].chunks if len(chunk))
        if any((slotwise.shard_ids(chunk, self.shards) != self.number).any() for chunk in keys):
            raise ValueError(f"a key is of another shard than {self.number} of {self.shards}")
        with self._all_or_broken():
            gone = None
            if table["price"].null_count:
                gone = table.filter(table["price"].is_null())["key"]
                table = table.filter(table["price"].is_valid())
            self.series.update(table, time=until)  # opens the window, without rows, too
            if gone is not None:
                self.series.erase_many(gone, time=until)
            self._append(to_ipc(self.series.capture()), until)
        self._perhaps_die("logged")
        if self.bytes_logged > self.log_limit:
            self.save()
        return "done"

    def read(self):
        """All rows as an Arrow stream."""
        self._expect_whole()
        return to_ipc(self.series)

    def save(self):
        """Makes a snapshot. The log starts afresh."""
        self._expect_whole()
        self._write_snapshot(self.folder, self.series, self.number, self.shards)
        self._perhaps_die("replaced")  # the snapshot is newer than the log: records that it has are skipped
        self.log.truncate(0)
        self.bytes_logged = 0

    def split(self, folders):
        """Makes of this shard, s of n, shards 2 s and 2 s + 1 of 2 n, in two folders. It stays as it is."""
        self._expect_whole()
        keys = self.series.column("key", copy=True)
        halves = slotwise.shard_ids(keys, 2 * self.shards)
        rows = []
        for half, folder in zip((2 * self.number, 2 * self.number + 1), map(pathlib.Path, folders)):
            shutil.rmtree(folder, ignore_errors=True)  # of a split that was killed
            folder.mkdir(parents=True)
            child = self.series.copy()
            child.erase_many(keys[halves != half], time=child.window)
            self._write_snapshot(folder, child, half, 2 * self.shards)
            rows.append(len(child))
        return rows

    def die_at(self, point):
        """For tests: the process kills itself when it comes to `point` of POINTS."""
        self.doomed = point

    def _perhaps_die(self, point):
        if self.doomed == point:
            os.kill(os.getpid(), signal.SIGKILL)

    def _expect_whole(self):
        if self.broken is not None:
            raise RuntimeError(f"shard {self.number} must be opened again, because a window failed half way: {self.broken}")

    @contextlib.contextmanager
    def _all_or_broken(self):
        try:
            yield
        except BaseException as error:  # memory is ahead of the log, or half way
            self.broken = repr(error)
            raise

    def _lock(self, patience):
        """A writer that is thought dead, and is not, must not write beside this one."""
        deadline = time.monotonic() + patience
        while True:
            try:
                return fcntl.flock(self.log, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def _append(self, body, window):
        header = Record.header(b"SWL1", body, window, self.number, self.shards)
        if self.doomed == "torn":
            os.writev(self.log.fileno(), [header, memoryview(body)[: len(body) // 2]])
            self._perhaps_die("torn")
        if os.writev(self.log.fileno(), [header, body]) != len(header) + len(body):
            raise OSError(errno.ENOSPC, "the log took a part of a record")
        self.bytes_logged += len(header) + len(body)
        if self.durable:
            os.fsync(self.log.fileno())

    def _write_snapshot(self, folder, series, number, shards):
        body = series.snapshot()
        with open(folder / "snapshot.new", "wb") as file:
            file.write(Record.header(b"SWS1", body, NEVER if series.window is None else series.window, number, shards))
            file.write(body)
            file.flush()
            os.fsync(file.fileno())  # before it replaces the one that is whole
        self._perhaps_die("snapshot")
        os.replace(folder / "snapshot.new", folder / "snapshot")
        directory = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)

    def _expect_mine(self, number, shards, where):
        if (number, shards) != (self.number, self.shards):
            raise Damaged(f"{where} is of shard {number} of {shards}, and not of {self.number} of {self.shards}")

    def _recover(self):
        """The series out of the two files, and how many windows of the log it took. What is torn off the end of the log goes."""
        series, replayed = slotwise.Series(key=int, value=QUOTE), 0
        (self.folder / "snapshot.new").unlink(missing_ok=True)
        snapshot, log = self.folder / "snapshot", self.folder / "log"
        if snapshot.exists():
            found = list(Record.read_all(memoryview(snapshot.read_bytes()), b"SWS1", snapshot))
            if len(found) != 1:
                raise Damaged(f"{snapshot}: {len(found)} records instead of one")
            _, number, shards, body, _ = found[0]
            self._expect_mine(number, shards, snapshot)
            series.restore(body)
        data, whole = memoryview(log.read_bytes()), 0
        for window, number, shards, body, end in Record.read_all(data, b"SWL1", log):
            self._expect_mine(number, shards, log)
            applied = series.apply(pa.ipc.open_stream(pa.py_buffer(body)))
            if applied == slotwise.Applied.gap:
                raise Damaged(f"{log}: a window before {window} is missing")
            replayed += applied == slotwise.Applied.done
            whole = end
        self.log.truncate(whole)
        self.bytes_logged = whole
        return series, replayed
