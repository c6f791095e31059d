# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The end of the interpreter, and fork(), while threads are in calls. Each experiment is a process of its own."""

import subprocess
import sys
import textwrap

import pytest

SETUP = """
    import os, sys, threading, time
    import numpy as np
    import slotwise as sw
    numbers = np.arange(200_000)
    m = sw.Map(key=int, value=float)
    m.update(numbers, numbers / 2)
    world = sw.World()
    position = world.component("position", {"x": "f8"})
    world.spawn_many(200_000, {position: {"x": numbers / 2}})
    table = sw.Table({"x": "f8"}, {"x": numbers / 2})
    slots = sw.SlotMap({"x": numbers / 2}, value={"x": "f8"})
    series = sw.Series(key=int, value=float)
    series.update(numbers, numbers / 2, time=1)
"""


def run(code):
    """What the process writes. It must end well."""
    program = textwrap.dedent(SETUP) + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


# A call that runs Python code of its own (a generator, a __hash__) when Python before 3.14 ends the thread is not among them: no
# extension module can stand that, see "Threads" of docs/guide/python.md.
BUSY = {
    "snapshot": "m.snapshot()",
    "copy": "m.copy()",
    "contains_many": "m.contains_many(numbers)",
    "equal": "m == other",
    "iterate": "sum(m.values())",
    "update": "m.update(numbers, numbers)",
    "restore": "m.restore(data)",
    "table": "table.copy()",
    "table snapshot": "table.snapshot()",
    "slots": "slots.snapshot()",
    "series": "series.snapshot()",
    "series copy": "series.copy()",
    "world": "world.snapshot()",
    "shards": "sw.shard_ids(numbers, 8)",
}


@pytest.mark.parametrize("name", BUSY)
def test_the_process_ends_while_daemon_threads_are_in_calls(name):
    code = f"""
    data, other = m.snapshot(), m.copy()
    def work():
        while True:
            {BUSY[name]}
    for _ in range(3):
        threading.Thread(target=work, daemon=True).start()
    time.sleep(0.3)
    print("end")
    """
    assert run(code) == ["end"]


def test_a_child_is_refused_what_a_thread_of_its_parent_is_in():
    code = """
    import warnings
    warnings.simplefilter("ignore")
    objects = [m, table, slots, series, world]
    stop = False
    def work(thing):
        while not stop:
            thing.snapshot()
    threads = [threading.Thread(target=work, args=(thing,)) for thing in objects]
    for thread in threads: thread.start()
    seen = set()
    for _ in range(10):
        time.sleep(0.01)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            answers = []
            for thing in objects:
                try:
                    answers.append(len(thing) == 200_000)
                except RuntimeError as error:
                    answers.append("fork" in str(error) and "spawn" in str(error))
            fresh = sw.Map({1: 1.0})
            threads = [threading.Thread(target=lambda: [fresh.snapshot() for _ in range(1000)]) for _ in range(2)]
            for thread in threads: thread.start()
            for _ in range(1000): fresh[1] += 1
            for thread in threads: thread.join()
            os.write(writing, b"ok" if all(answers) and fresh[1] == 1001 else b"no")
            os._exit(0)
        os.close(writing)
        seen.add(os.read(reading, 9).decode())
        os.close(reading)
        os.waitpid(child, 0)
    stop = True
    for thread in threads: thread.join()
    print(*seen)
    """
    assert run(code) == ["ok"]


def test_a_child_uses_what_no_thread_was_in():
    code = """
    child = os.fork()
    if child == 0:
        m[1] = 7.0
        threads = [threading.Thread(target=lambda: [m.snapshot() for _ in range(20)]) for _ in range(3)]
        for thread in threads: thread.start()
        for _ in range(1000): m[2] += 1
        for thread in threads: thread.join()
        os._exit(0 if (m[1], m[2]) == (7.0, 1001.0) else 1)
    print(os.waitpid(child, 0)[1], m[1])
    """
    assert run(code) == ["0", "0.5"]
