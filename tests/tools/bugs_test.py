#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""tools/proof/bugs.py tells bugs that tests see from those they do not, and from descriptions that prove nothing."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "proof"))
import bugs  # noqa: E402
import proof  # noqa: E402

HEADER = """\
#ifndef COUNTER_HPP
#define COUNTER_HPP
inline int next(int number) {
    if (number < 0) return 0;
    return number + 1;
}
inline int last(int number) {
    if (number == 0) return 0;
    return number - 1;
}
#endif
"""
OTHER = '#include "counter.hpp"\ninline int two(int number) { return next(next(number)); }\n'

# As much of Catch2 as bugs.py sees: names that begin so, the last line, and the status. It spares the test 15 s of compilation.
CATCH = r"""
#ifndef CATCH_HPP
#define CATCH_HPP
#include <cstdio>
#include <cstdlib>
struct Case { const char* name; void (*body)(); Case* next; static Case*& all() { static Case* first = nullptr; return first; }
    Case(const char* n, void (*b)()) : name(n), body(b), next(all()) { all() = this; } };
inline int checks = 0, failed = 0;
inline bool begins(const char* name, const char* pattern) { // up to the * at its end; what follows a backslash stands for itself
    for (; *pattern != '*'; ++name, ++pattern) {
        if (*pattern == '\\') ++pattern;
        if (*name != *pattern) return false;
    }
    return true;
}
#define CHECK(x) (++checks, (x) ? 0 : ++failed)
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define TEST_CASE(name) static void JOIN(body, __LINE__)(); static Case JOIN(entry, __LINE__)(name, JOIN(body, __LINE__)); \
    static void JOIN(body, __LINE__)()
int main(int, char** arguments) {
    int ran = 0;
    for (Case* c = Case::all(); c != nullptr; c = c->next)
        if (begins(c->name, arguments[1])) ++ran, c->body();
    if (ran == 0) { std::printf("No test cases matched '%s'\nNo tests ran\n", arguments[1]); return 0; }
    if (failed != 0) return failed;
    std::printf("All tests passed (%d assertions in %d test case%s)\n", checks, ran, ran == 1 ? "" : "s");
}
#endif
"""
SOURCE = r"""
#include "slotwise/core/other.hpp"
#include "support/catch.hpp"
TEST_CASE("next counts up") { CHECK(next(1) == 2); }
TEST_CASE("next of two, in brackets") { CHECK(two(1) == 3); }
TEST_CASE("last of zero is zero") { if (last(0) != 0) std::abort(); CHECK(true); }
TEST_CASE("all numbers come to an end") { int n = 9; while (n != 0) n = last(n); CHECK(n == 0); }
TEST_CASE("this fails by itself") { CHECK(false); }
TEST_CASE("this checks nothing") {}
"""
STATIC = r"""
#include "slotwise/core/sum.hpp"
#include "support/catch.hpp"
static_assert(sum(1, 2) == 3);
TEST_CASE("sum") { CHECK(true); }
"""
SUM = "constexpr int sum(int a, int b) {\n    return a + b;\n}\n"


def block(name="a bug", header="core/counter.hpp", by='core/counter.cpp "next counts up"', old="    return number + 1;",
          new="    return number + 2;", why="somebody miscounts"):
    return f"== {name}\nwhy: {why}\nin: {header}\nby: {by}\n--- old\n{old}\n--- new\n{new}\n\n"


class Plain(proof.Programs):
    """Programs of the fixture's tests; its support/catch.hpp has a main()."""

    tests = None

    def main(self):
        return []

    def compile(self, sources, output, include=None, extra=()):
        return super().compile(sources, output, include, [*extra, f"-I{self.tests}"])


class Cases(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        for name, text in {"include/slotwise/core/counter.hpp": HEADER, "include/slotwise/core/other.hpp": OTHER,
                           "include/slotwise/core/sum.hpp": SUM, "tests/core/counter.cpp": SOURCE, "tests/core/sum.cpp": STATIC,
                           "tests/support/catch.hpp": CATCH}.items():
            (cls.root / name).parent.mkdir(parents=True, exist_ok=True)
            (cls.root / name).write_text(text)
        (cls.root / "tests" / "bugs").mkdir()
        cls.programs = Plain("bugs_test", flags=("-std=c++20", "-O0"))
        cls.programs.tests = cls.root / "tests"
        cls.bench = bugs.Bench(cls.root, cls.root / "work", cls.programs)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_tool(self, text, *arguments):
        (self.root / "tests" / "bugs" / "core.txt").write_text(text)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            status = bugs.main(list(arguments), self.bench)
        return status, output.getvalue()

    def refuses(self, text, words, *arguments):
        status, output = self.run_tool(text, *arguments)
        self.assertEqual(status, 1, output)
        self.assertIn(words, output)
        return output

    def test_caught_by_a_check_a_crash_and_a_static_assert(self):
        status, output = self.run_tool(
            block("one") + block("through another header", by='core/counter.cpp "next of two, in brackets"') +
            block("two", by='core/counter.cpp "last of zero is zero"', old="    if (number == 0) return 0;", new="") +
            block("three", "core/sum.hpp", 'core/sum.cpp "sum"', "    return a + b;", "    return a - b;"))
        self.assertEqual(status, 0, output)
        self.assertIn("bugs: 4 of 4 caught (2 by a failed check, 1 by a static_assert, 1 by a crash, 0 by a timeout)", output)

    def test_what_does_not_end_is_caught_by_a_timeout(self):
        before, bugs.TIMEOUT = bugs.TIMEOUT, 2
        try:
            status, output = self.run_tool(
                block(by='core/counter.cpp "all numbers come to an end"', old="    return number - 1;", new="    return number;"))
        finally:
            bugs.TIMEOUT = before
        self.assertEqual(status, 0, output)
        self.assertIn("1 by a timeout", output)

    def test_a_bug_that_no_check_sees_survives(self):
        output = self.refuses(block("seen") + block("unseen", old="    if (number < 0) return 0;", new="    if (number < -1) return 0;"),
                              "bugs: 1 of 2 caught")
        self.assertRegex(output, "SURVIVES +core.txt:10: unseen")
        self.assertIn("1 survive, 0 prove nothing", output)

    def test_an_excerpt_that_is_not_there_or_there_twice_is_an_error(self):
        for arguments in ((), ("--quick",), ("--fit",)):
            self.refuses(block(old="    return number + 3;"), "the bug's text is not in core/counter.hpp: update it", *arguments)
            self.refuses(block(old="}", new=" }"), "the bug's text is in core/counter.hpp 2 times", *arguments)
            self.refuses(block(old="return number + 1;"), "is not in core/counter.hpp", *arguments)  # not a whole line

    def test_what_the_compiler_refuses_is_no_bug(self):
        output = self.refuses(block(new="    return nombre + 1;"), "killed by the compiler")
        self.assertIn("bugs: 0 of 1 caught", output)

    def test_a_test_that_is_not_there_or_proves_nothing_is_an_error(self):
        for arguments in ((), ("--quick",), ("--fit",)):
            self.refuses(block(by='core/counter.cpp "no such case"'), "has no test case `no such case`", *arguments)
            self.refuses(block(by='core/nowhere.cpp "next"'), "there is no source tests/core/nowhere.cpp", *arguments)
            self.refuses(block(header="core/nowhere.hpp"), "there is no header core/nowhere.hpp", *arguments)
        # A text that is in the source, but no test case.
        self.refuses(block(by='core/counter.cpp "slotwise/core/other.hpp"'), "no test case of tests/core/counter.cpp is called")
        self.refuses(block(by='core/counter.cpp "this fails by itself"'), "fails or checks nothing without the bug")
        self.refuses(block(by='core/counter.cpp "this checks nothing"'), "fails or checks nothing without the bug")

    def test_descriptions_that_cannot_be_read(self):
        self.refuses(block() + block(), "two bugs are called `a bug`")
        self.refuses(block(new="    return number + 1;"), "changes nothing")
        self.refuses(block().replace("why: somebody miscounts\n", ""), "lacks why")
        self.refuses(block().replace("--- new", "--- old"), "come in pairs")
        self.refuses(block().replace("in: ", "inside: "), "expected")
        self.refuses("", "no bug has")
        self.refuses(block(), "no bug has `nothing`", "nothing")

    def test_quick_checks_all_and_runs_three(self):
        many = "".join(block(f"bug {n}", new=f"    return number + {n};") for n in range(2, 7))
        status, output = self.run_tool(many, "--quick", "--seed", "5")
        self.assertEqual(status, 0, output)
        self.assertIn("bugs: 5 descriptions fit; seed 5: 3 of 3 caught", output)

    def test_fit_compiles_nothing(self):
        status, output = self.run_tool(block("survives", old="    if (number < 0) return 0;", new="    if (number < -1) return 0;"), "--fit")
        self.assertEqual(status, 0, output)
        self.assertIn("bugs: 1 descriptions fit", output)

    def test_list_names_bugs_and_runs_none(self):
        status, output = self.run_tool(block("one") + block("two"), "core: t", "--list")
        self.assertEqual(status, 0, output)
        self.assertIn("core: two\n    somebody miscounts", output)
        self.assertIn("bugs: 1 listed", output)


if __name__ == "__main__":
    unittest.main()
