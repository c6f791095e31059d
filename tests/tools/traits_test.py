#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Every public type has a row in the table of tests/config/traits.cpp, and the table has no row of a type that is not public."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import parsed  # noqa: E402

# Bases and names of which the table shows what stands for them.
ELSEWHERE = {
    "slot_t": "an integer", "change_t": "an integer",
    "BasicObserverToken": "ObserverToken", "BasicAnySetStorage": "AnySetStorage", "BasicAnyMapStorage": "AnyMapStorage",
    "BasicSoaSlotMap": "SoaSlotMap", "GroupIndex": "HashIndex", "KeySetCore": "KeySet", "SlotMapCore": "SlotMap",
    "AnkerlIndex": "needs ankerl/unordered_dense.h", "BoostIndex": "needs Boost", "RobinIndex": "needs tsl/robin_map.h",
}


class Table(unittest.TestCase):
    def setUp(self):
        self.public = set(parsed.public_types())
        table = (ROOT / "tests" / "config" / "traits.cpp").read_text(encoding="utf-8")
        self.rows = re.findall(r'^ROW\("[tny-]{7}", (?:pmr::)?(\w+)', table, re.MULTILINE)

    def test_no_public_type_is_missing(self):
        self.assertGreater(len(self.public), 50)
        self.assertEqual(sorted(self.public - set(self.rows) - set(ELSEWHERE)), [])

    def test_no_row_and_no_exception_is_of_something_else(self):
        self.assertEqual(sorted(set(self.rows) - self.public), [])
        self.assertEqual(sorted(set(ELSEWHERE) - self.public), [])


if __name__ == "__main__":
    unittest.main()
