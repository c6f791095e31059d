# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Threads: every call is atomic, and long ones let others run."""

import sys
import threading

import pytest
import slotwise


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


def test_two_threads_write_and_no_row_is_lost():
    table = slotwise.Int64Int64Map()
    rounds, size = 20, 5000

    def writer(first):
        def write():
            for i in range(rounds):
                start = (2 * i + first) * size
                table.update((key, key) for key in range(start, start + size))

        return write

    run(writer(0), writer(1))
    assert len(table) == 2 * rounds * size
    assert all(key == value for key, value in table.items())


def test_two_threads_write_single_elements():
    table = slotwise.StrInt64Map()

    def writer(name):
        def write():
            for i in range(5000):
                table[f"{name}{i}"] = i
                if i % 3 == 0:
                    table.erase(f"{name}{i}")

        return write

    run(writer("a"), writer("b"))
    assert len(table) == 2 * (5000 - len(range(0, 5000, 3)))


def test_readers_see_whole_updates():
    table = slotwise.Int64Int64Map()
    table.update((key, 0) for key in range(2000))
    done = threading.Event()

    def write():
        for i in range(1, 100):
            table.update(dict.fromkeys(range(2000), i))
        done.set()

    def read():
        while not done.is_set():
            assert len(set(table.values())) == 1

    run(write, read, read)


def test_views_and_detaching_writes_at_once():
    table = slotwise.Int64Int64Map(on_write="detach")
    table.update((key, 0) for key in range(2000))
    done = threading.Event()

    def write():
        for i in range(1, 200):
            table.update(dict.fromkeys(range(2000), i))
        done.set()

    def read():
        while not done.is_set():
            column = table.column()
            assert column.min() == column.max() and len(column) == 2000

    run(write, read, read)


def test_snapshots_and_writes_at_once():
    table = slotwise.StrFloat64Map()
    done = threading.Event()

    def write():
        for i in range(300):
            table.update({str(key): float(i) for key in range(100)})
        done.set()

    def read():
        other = slotwise.StrFloat64Map()
        while not done.is_set():
            other.restore(table.snapshot())
            assert len(set(other.values())) <= 1

    run(write, read)


def test_comparing_two_in_both_orders_does_not_lock_for_ever():
    a, b = slotwise.Int64Int64Map(), slotwise.Int64Int64Map()

    def compare(x, y):
        def loop():
            for _ in range(2000):
                assert x == y

        return loop

    run(compare(a, b), compare(b, a))


def test_long_work_lets_other_threads_run():
    table = slotwise.Int64Int64Map()
    table.update((key, key) for key in range(300_000))
    count, done = 0, threading.Event()

    def count_up():
        nonlocal count
        while not done.is_set():
            count += 1

    def work():
        for _ in range(5):
            table.restore(table.snapshot())
        done.set()

    run(count_up, work)
    assert count > 0
