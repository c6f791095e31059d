# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""A market of shards: which shard a row goes to, what is sent again after a death, questions to all shards, and twice as many shards.

What runs a shard in a process of its own is a face: of Ray in on_ray.py, of Dask in on_dask.py. A face has

    start(number, shards, folder) -> handle     a Shard in a process that is not this one
    call(handle, method, *arguments) -> future  one call at a time runs; they may overtake each other
    result(future)                              raises Lost when the process died; the call may have happened, or not
    revive(handle, number, shards, folder)      a handle of the same shard after it was lost: Shard() comes back from its folder
    stop(handle)
"""

import collections
import json
import os
import pathlib
import shutil
import signal
import time

import numpy as np
import pyarrow as pa
import slotwise
from shard import NEVER, QUOTE, from_ipc, rows, to_ipc


class Lost(Exception):
    """The process of a shard died, or can not be reached yet."""


class Link:
    """The way to one shard. It keeps each window until the shard has answered, and sends it again when the shard was lost."""

    DEPTH = 4  # windows on their way

    def __init__(self, face, number, shards, folder):
        self.face, self.where = face, (number, shards, str(folder))
        self.handle = face.start(*self.where)
        self.outbox = collections.deque()  # [since, until, message, future]
        self.deaths, self.repeated, self.known = 0, 0, 0  # known: windows that came twice, and were recognised
        self.pid = None

    def send(self, since, until, message):
        self.outbox.append([since, until, message, self.face.call(self.handle, "write", since, until, message)])
        while len(self.outbox) > self.DEPTH:
            self._settle()

    def flush(self):
        while self.outbox:
            self._settle()

    def call(self, method, *arguments):
        """What the shard answers; asked again when it was lost meanwhile, so that it must be a question or idempotent."""
        while True:
            try:
                return self.face.result(self.face.call(self.handle, method, *arguments))
            except Lost:
                self.recover()

    def recover(self, patience=60.0):
        """Waits until the shard is back, and sends what it has not. Returns its status."""
        self.deaths += 1
        deadline = time.monotonic() + patience
        while True:
            try:
                self.handle = self.face.revive(self.handle, *self.where)
                status = self.face.result(self.face.call(self.handle, "status"))
                break
            except Lost:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)
        self.pid = status["pid"]
        # All of it, as a queue would that does not know what has arrived. The shard knows.
        for entry in self.outbox:
            entry[3] = self.face.call(self.handle, "write", *entry[:3])
        self.repeated += len(self.outbox)
        return status

    def kill(self):
        """Kills the process as a machine would: without a word."""
        if self.pid is None:
            self.pid = self.call("status")["pid"]
        os.kill(self.pid, signal.SIGKILL)

    def _settle(self):
        try:
            answer = self.face.result(self.outbox[0][3])
        except Lost:
            self.recover()
            return
        if answer == "gap":  # calls of Dask may overtake each other: what came too early is sent again
            if self.call("status")["window"] < self.outbox[0][0]:
                raise RuntimeError(f"shard {self.where[0]} has lost a window before {self.outbox[0][1]}, which it had answered")
            self.outbox[0][3] = self.face.call(self.handle, "write", *self.outbox[0][:3])
            return
        self.known += answer == "already"
        self.outbox.popleft()


class Market:
    """Quotes by key in n shards below `folder`, and one window of all shards after the other."""

    def __init__(self, face, folder, shards=4):
        self.face, self.folder = face, pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        known = self.folder / "market.json"
        if known.exists():
            shards = json.loads(known.read_text())["shards"]
        self._open(shards)
        self._remember(shards)
        # After a death of this process some shards may have a window that others have not: it is sent again to all.
        self.window = min(link.call("status")["window"] for link in self.links)

    def _open(self, shards):
        self.links = [Link(self.face, number, shards, self._home(number, shards)) for number in range(shards)]

    def _home(self, number, shards):
        return self.folder / f"{number}-of-{shards}"

    def _remember(self, shards):
        new = self.folder / "market.json.new"
        new.write_text(json.dumps({"shards": shards, "hash": "slotwise.stable_hash 1"}))
        os.replace(new, self.folder / "market.json")

    def write(self, keys, quotes, gone=()):
        """The next window: quotes of keys, and keys that leave. Answered when flush() returns."""
        since, until = self.window, 1 if self.window == NEVER else self.window + 1
        keys, quotes = np.asarray(keys, dtype=np.int64), np.asarray(quotes, dtype=QUOTE)
        gone = np.asarray(gone, dtype=np.int64)
        shards = len(self.links)
        of_row, of_gone = slotwise.shard_ids(keys, shards), slotwise.shard_ids(gone, shards)
        for number, link in enumerate(self.links):
            mine = np.flatnonzero(of_row == number)
            table = rows(keys[mine], quotes[mine])
            if len(leaving := gone[of_gone == number]):
                table = pa.concat_tables([table, rows(leaving)])
            link.send(since, until, to_ipc(table))
        self.window = until
        return until

    def flush(self):
        for link in self.links:
            link.flush()

    def table(self):
        """All rows, as one table over the streams of the shards."""
        self.flush()
        return pa.concat_tables(from_ipc(message) for message in self._ask_all("read"))

    def query(self, text):
        """An answer of DuckDB, which sees all shards as the table `market`."""
        import duckdb

        with duckdb.connect() as database:
            database.register("market", self.table())
            return database.sql(text).fetchnumpy()

    def save(self):
        self.flush()
        self._ask_all("save")

    def double(self):
        """Twice as many shards: each is split where it is, and no row moves between others."""
        self.flush()
        shards = len(self.links)
        counts = self._ask_all("split", lambda number: [str(self._home(2 * number + half, 2 * shards)) for half in range(2)])
        self._remember(2 * shards)  # from here on the market has twice as many; before, as many as it had
        self.close()
        self._open(2 * shards)
        for number in range(shards):
            shutil.rmtree(self._home(number, shards))
        return [count for pair in counts for count in pair]

    def close(self):
        for link in self.links:
            self.face.stop(link.handle)

    def _ask_all(self, method, argument=None):
        """Of all shards at once."""
        arguments = [() if argument is None else (argument(number),) for number in range(len(self.links))]
        futures = [self.face.call(link.handle, method, *given) for link, given in zip(self.links, arguments)]
        answers = []
        for link, given, future in zip(self.links, arguments, futures):
            try:
                answers.append(self.face.result(future))
            except Lost:
                link.recover()
                answers.append(link.call(method, *given))
        return answers


class Expected:
    """What the market must be: an array of the quotes of keys 0 to n - 1, whose size is 0 where there is none."""

    def __init__(self, keys):
        self.quotes = np.zeros(keys, QUOTE)

    def write(self, keys, quotes, gone=()):
        self.quotes[keys] = quotes
        self.quotes[np.asarray(gone, dtype=np.int64)] = np.zeros((), QUOTE)

    def difference(self, table):
        """What is lost, doubled or wrong in a table of the market, in words; None if nothing."""
        order = np.argsort(table["key"].to_numpy())
        keys, there = table["key"].to_numpy()[order], np.flatnonzero(self.quotes["size"])
        if len(np.unique(keys)) != len(keys):
            return f"{len(keys) - len(np.unique(keys))} rows are doubled"
        if not np.array_equal(keys, there):
            return f"{len(np.setdiff1d(there, keys))} rows are lost, {len(np.setdiff1d(keys, there))} should not be there"
        wrong = np.flatnonzero(np.any([table[name].to_numpy()[order] != self.quotes[name][there] for name in QUOTE.names], axis=0))
        return f"{len(wrong)} quotes are wrong, the first of key {keys[wrong[0]]}" if len(wrong) else None


def quotes(prices, sizes=1):
    """Prices and sizes as an array of QUOTE."""
    made = np.empty(len(prices), QUOTE)
    made["price"], made["size"] = prices, sizes
    return made
