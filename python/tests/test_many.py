# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Many small containers beside each other."""

import subprocess
import sys

import pytest
import slotwise

PROGRAM = """
import slotwise
cls = getattr(slotwise, {name!r})
tables = []
for i in range({count}):
    table = cls()
    if {name!r} == "SlotMap":
        table.insert(1.0)
    elif {name!r} == "SoaMap":
        table.insert((1.0, 2.0, 3.0, 4.0))
    else:
        table.set("k" if {name!r}.startswith("Str") else 1, 1, **({{"time": 1}} if {name!r}.endswith("Series") else {{}}))
    tables.append(table)
assert all(len(table) == 1 for table in tables)
del tables[::2]
print(open("/proc/self/maps").read().count("\\n"), open("/proc/self/statm").read().split()[1])
"""


@pytest.mark.parametrize("name", [name for name in slotwise.__all__ if name.endswith(("Map", "Series"))])
def test_a_hundred_thousand_small_ones_fit_into_a_process(name):
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(name=name, count=100_000)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    mappings, pages = map(int, done.stdout.split())
    assert mappings < 5000, "memory is not taken from the system for each"
    assert pages * 4096 < 1 << 30


def test_a_column_is_one_array_however_it_grew():
    table = slotwise.Int64Int64Map()
    for size in (1, 10, 1000, 100_000):
        for key in range(len(table), size):
            table[key] = -key
        column = table.column(copy=False)
        assert len(column) == size and int(column[size - 1]) == 1 - size and table.column("key", copy=False)[0] == 0
        del column
