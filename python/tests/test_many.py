# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Many small containers beside each other, and containers that grow."""

import subprocess
import sys

import pytest
import slotwise

MAKERS = {
    "Map": 'slotwise.Map(key=str, value=float); table["k"] = 1.0',
    "Map of records": 'slotwise.Map(key=int, value=record); table[1] = (1.0, 2, "x")',
    "Set": "slotwise.Set(key=int); table.add(1)",
}
PROGRAM = """
import slotwise
record = slotwise.Schema({{"a": "f8", "b": "i4", "name": str}})
tables = []
for i in range({count}):
    table = {maker}
    tables.append(table)
assert all(len(table) == 1 for table in tables)
del tables[::2]
print(open("/proc/self/maps").read().count("\\n"), open("/proc/self/statm").read().split()[1])
"""


@pytest.mark.parametrize("name", MAKERS)
def test_fifty_thousand_small_ones_fit_into_a_process(name):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(maker=MAKERS[name], count=50_000)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    mappings, pages = map(int, done.stdout.split())
    assert mappings < 5000, "memory is not taken from the system for each"
    assert pages * 4096 < 1 << 30


def test_a_column_is_one_array_however_it_grew():
    table = slotwise.Map(key=int, value=int)
    for size in (1, 10, 1000, 100_000):
        for key in range(len(table), size):
            table[key] = -key
        column = table.column(copy=False)
        assert len(column) == size and int(column[size - 1]) == 1 - size and table.column("key", copy=False)[0] == 0
        del column


def test_a_small_one_takes_little_memory():
    table = slotwise.Map(key=int, value=float)
    assert table.memory_usage() < 1000
    table[1] = 1.0
    assert table.memory_usage() < 8000
    table.reserve(100_000)
    assert table.memory_usage() > 1_600_000
    table.clear()
    assert table.memory_usage() < 1000
    with pytest.raises(OverflowError, match="count: "):
        table.reserve(2**28 + 1)
