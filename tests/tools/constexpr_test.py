#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""tools/verify/constexpr.py finds functions that are marked constexpr where their bodies begin, as coverage reports them."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "verify"))
import constexpr  # noqa: E402

HEADER = """namespace slotwise { // \u00e9
constexpr int f(int a)
    noexcept {
    return a;
}
constexpr int declared();
constexpr int number{3};
struct Box {
    int a, b;
    constexpr Box() = default;
    constexpr Box(int c) : a{c},
        b{2} {
    }
    int plain() { if constexpr (sizeof(int) > 1) return 1; else return 2; }
};
}
"""


class Heads(unittest.TestCase):
    def test_a_body_is_where_its_brace_is(self):
        with tempfile.TemporaryDirectory() as folder:
            room = pathlib.Path(folder) / "slotwise"
            room.mkdir()
            (room / "a.hpp").write_text(HEADER, encoding="utf-8")
            self.assertEqual(constexpr.heads(room), {("a.hpp", 3): "int f(int a) noexcept", ("a.hpp", 12): "Box(int c) : a{c}, b{2}"})


if __name__ == "__main__":
    unittest.main()
