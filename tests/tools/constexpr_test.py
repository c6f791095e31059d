#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Tests of tools/verify/constexpr.py: a function that is marked constexpr is found where its body begins, as coverage reports it."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "verify"))
import constexpr  # noqa: E402


class Heads(unittest.TestCase):
    def lines(self, text):
        return sorted(constexpr.heads(text))

    def test_a_body_is_where_its_brace_is(self):
        self.assertEqual(constexpr.heads("constexpr int f(int a)\n    noexcept {\n}"), {2: "int f(int a) noexcept"})

    def test_declarations_variables_and_conditions_are_no_functions(self):
        self.assertEqual(self.lines("constexpr int f();\nconstexpr int a = f();\nconstexpr int b{3};\nif constexpr (a) {}\n"
                                    "constexpr A() = default;\nauto c = [] constexpr (int) {};"), [])

    def test_the_braces_of_an_initialiser_are_no_body(self):
        for members in ("a{1},\n  b{2} {}", "Box<int>{1},\n  b(2) {}", "a(1),\n  b{{2}, c{3}} {}", "std::array<int, 2>{1,\n  2} {\n}"):
            self.assertEqual(self.lines(f"constexpr Box(int a) noexcept(is<A>) : {members}"), [2], members)

    def test_a_body_behind_words_is_no_initialiser(self):
        for head in ("f() const noexcept", "f() -> std::pair<a::b, int>", "operator()(int) const", "f(int a) requires(a::b<int>)"):
            self.assertEqual(self.lines(f"\nconstexpr auto {head} {{}}"), [2], head)


if __name__ == "__main__":
    unittest.main()
