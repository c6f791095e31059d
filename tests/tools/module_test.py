#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""slotwise.cppm exports what the headers declare. A program that imports the module is built and run by tests/consumer/module."""
import os
import pathlib
import sys
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import module  # noqa: E402
import parsed  # noqa: E402

UNIT = module.unit({"slotwise": {"Plain", "act"}, "slotwise::bits": {"count"}})


class File(unittest.TestCase):
    def test_the_committed_one_is_what_the_headers_say(self):
        names = module.public_names(parsed.declarations(paths=[parsed.ROOM / module.FRONT_DOOR]))
        self.assertGreater(len(names["slotwise"]), 100)
        there = (parsed.ROOM / module.UNIT).read_text(encoding="utf-8")
        self.assertEqual(list(module.differences(there, module.unit(names))), [], "tools/module.py writes it anew")

    def test_a_new_name_a_name_that_went_and_another_order_are_found(self):
        self.assertIn("using slotwise::bits::count;", UNIT)
        self.assertEqual(list(module.differences(UNIT, UNIT)), [])
        found = list(module.differences(UNIT, UNIT.replace("act;", "run;")))
        self.assertEqual(found, ["lacks: using slotwise::run;", "should not have: using slotwise::act;"])
        plain, act = "using slotwise::Plain;\n", "using slotwise::act;\n"
        self.assertIn("order", list(module.differences(UNIT.replace(plain + act, act + plain), UNIT))[0])


class Compiler(unittest.TestCase):
    def test_without_a_clang_that_builds_modules_it_says_what_is_needed(self):
        with mock.patch.dict(os.environ, {"PATH": str(ROOT / "tests")}):
            with self.assertRaisesRegex(module.Missing, r"clang\+\+ 16 or newer.*g\+\+ 12 cannot.*apt-get install clang-16"):
                module.compiler()


if __name__ == "__main__":
    unittest.main()
