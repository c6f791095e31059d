# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Threads: every call is atomic, and long ones let others run."""

import sys
import threading
import time

import pytest
from conftest import NUMERIC, Keyed, Rows, Slots, SUBJECTS, swept


def run(*functions):
    """Runs them at once; an exception in one of them is raised here."""
    errors = []
    barrier = threading.Barrier(len(functions))

    def guarded(function):
        barrier.wait()
        try:
            function()
        except BaseException as error:  # handed over
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.fixture(autouse=True)
def switch_often():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def rewriter(subject, c, n):
    """A call that gives every element the same value in one write, and a call that has all the values of one moment."""
    column = subject.column
    if isinstance(subject, Slots):
        handles = c.handles()
        return lambda value: c.update_many(handles, {column: [value] * n}), lambda: c.column(column).tolist()
    if isinstance(subject, Rows):
        return lambda value: c.set_column(column, [value] * n), lambda: c.column(column).tolist()
    keys = list(c)
    when = (lambda value: {"time": value + 2}) if hasattr(c, "capture") else lambda value: {}

    def write(value):
        c.update({key: subject.values(value) for key in keys}, **when(value))

    return write, lambda: c.column(column).tolist()


WITH_VALUES = [subject for subject in NUMERIC if subject.column != "key"]
STORES = [subject for subject in SUBJECTS if isinstance(subject, (Slots, Rows))]


@swept(STORES)
def test_two_threads_add_and_no_row_is_lost(subject):
    c = subject.make()
    rounds, size = 20, 500

    def writer():
        for _ in range(rounds):
            subject.fill(c, size)

    run(writer, writer, writer)
    assert len(c) == 3 * rounds * size
    assert sorted(map(str, c.column(subject.column).tolist())) == sorted(
        map(str, 3 * rounds * subject.filled(size).column(subject.column).tolist())
    )


@swept([subject for subject in SUBJECTS if isinstance(subject, Keyed)] or STORES)
def test_two_threads_write_the_same_keys(subject):
    c = subject.make()

    def writer():
        for _ in range(20):
            subject.fill(c, 300)

    run(writer, writer)
    assert len(c) == (300 if isinstance(subject, Keyed) else 2 * 20 * 300)


@swept()
def test_threads_add_and_remove_single_elements(subject):
    c = subject.filled(50)
    writes = subject.writes

    def writer():
        for _ in range(30):
            for name, write in writes.items():
                try:
                    write(c)
                except (KeyError, IndexError, StopIteration, ValueError):
                    # another thread has removed what this one has found
                    assert name not in ("insert", "append", "clear", "reserve")

    def reader():
        for _ in range(100):
            contents = subject.shown(c)
            assert isinstance(contents, list)
            repr(c), c.snapshot(), c.memory_usage(), len(c), c.to_arrow().num_rows

    run(writer, writer, reader)
    other = c.copy()
    other.restore(c.snapshot())
    assert subject.shown(other) == subject.shown(c)


@swept(WITH_VALUES)
def test_readers_see_whole_writes(subject):
    n = 1000
    c = subject.filled(n)
    write, read = rewriter(subject, c, n)
    write(0)
    done = threading.Event()

    def writer():
        for i in range(1, 40):
            write(i)
        done.set()

    def reader():
        while not done.is_set():
            values = read()
            assert len(set(values)) == 1 and len(values) == n

    run(writer, reader, reader)


@swept(WITH_VALUES)
def test_views_and_detaching_writes_at_once(subject):
    n = 2000
    c = subject.filled(n)
    write, _ = rewriter(subject, c, n)
    write(0)
    done = threading.Event()

    def writer():
        for i in range(1, 40):
            write(i)
        done.set()

    def reader():
        held = []
        while not done.is_set():
            column = c.column(subject.column)
            assert column.min() == column.max() and len(column) == n
            held = held[-3:] + [(column, column[0])]
            assert all((kept == first).all() for kept, first in held)

    run(writer, reader, reader)


@swept(WITH_VALUES)
def test_snapshots_and_writes_at_once(subject):
    n = 200
    c = subject.filled(n)
    write, _ = rewriter(subject, c, n)
    write(0)
    done = threading.Event()

    def writer():
        for i in range(1, 100):
            write(i)
        done.set()

    def reader():
        other = subject.make()
        while not done.is_set():
            other.restore(c.snapshot())
            assert len(set(other.column(subject.column).tolist())) == 1

    run(writer, reader)


@swept()
def test_comparing_and_copying_two_in_both_orders_does_not_lock_for_ever(subject):
    a, b = subject.filled(100), subject.filled(100)

    def compare(x, y):
        def loop():
            for _ in range(100):
                assert x == y
                x.copy()

        return loop

    run(compare(a, b), compare(b, a))


@swept(NUMERIC)
def test_long_work_lets_other_threads_run(subject):
    c = subject.filled(100_000)
    data = c.snapshot()
    count, done = 0, threading.Event()
    sys.setswitchinterval(100)  # nobody gets the GIL before it is given up

    def count_up():
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0)

    def work():
        try:
            while True:  # until the other has run within a call
                before = count
                c.restore(data)
                if count != before:
                    break
        finally:
            done.set()

    run(count_up, work)
