#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What bench/tools makes of a compiler's output: bytes of code, lines of a header, headers that are not installed, roles; and that
contenders of one name in two files stay apart."""
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from tools import code_size, compiling, includes  # noqa: E402
from tools.results import Failure  # noqa: E402

TOLD = """one.o  :
section                size   addr
.group                    8      0
.text                     3      0
.data                  1000      0
.text.unlikely          100      0
.textual               5000      0
.text._ZN5bench3getEv  2000      0
.eh_frame               700      0
Total                  8811
"""


def compiler_or_skip(test):
    try:
        return compiling.find_compiler()
    except Failure as failure:
        test.skipTest(failure.args[0])


class CodeSize(unittest.TestCase):
    def test_code_is_every_section_of_text_and_nothing_else(self):
        self.assertEqual(code_size.code_bytes(TOLD), 2103)

    def test_every_contender_says_its_role(self):
        roles = {source.stem: code_size.role_of(source) for source in code_size.FOLDER.glob("*.cpp")}
        self.assertIn("ours", roles.values())
        self.assertIn("rival", roles.values())
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "one.cpp"
            source.write_text("// ours, and more\n")
            self.assertRaises(Failure, code_size.role_of, source)

    def test_a_function_more_is_code_more_and_no_function_is_a_failure(self):
        compiler = compiler_or_skip(self)
        one, two = "int one(int a) { return a * 3; }\n", "int two(int a) { return a / 3; }\n"
        sizes = [compiling.with_file(text, lambda source: code_size.measured(compiler, source, "-O2")[0]) for text in (one, one + two)]
        self.assertLess(0, sizes[0])
        self.assertLess(sizes[0], sizes[1])
        with self.assertRaises(Failure):
            compiling.with_file("int datum = 1;\n", lambda source: code_size.measured(compiler, source, "-O2"))


class Headers(unittest.TestCase):
    def test_comments_and_empty_lines_are_no_lines(self):
        compiler = compiler_or_skip(self)
        self.assertEqual(compiling.preprocessed_lines(compiler, "// a\n\n#define B 1\n" + compiling.including(None)), 1)
        alone = compiling.preprocessed_lines(compiler, compiling.including("slotwise/fwd.hpp"))
        self.assertLess(alone, compiling.preprocessed_lines(compiler, compiling.including("slotwise/slotwise.hpp")))

    def test_a_header_of_somebody_else_may_be_absent_and_one_of_ours_must_not(self):
        compiler = compiler_or_skip(self)
        with self.assertRaises(compiling.Absent) as absent:
            compiling.preprocessed_lines(compiler, compiling.including("no/such.h"))
        self.assertEqual(absent.exception.args[0], "no/such.h")
        with self.assertRaises(Failure):
            compiling.preprocessed_lines(compiler, compiling.including("slotwise/no/such.hpp"))
        with self.assertRaises(Failure):
            compiling.preprocessed_lines(compiler, "#error no\n")

    def test_our_headers_are_found_and_those_with_a_bar_are_among_them(self):
        headers = includes.our_headers()
        self.assertGreater(len(headers), 50)
        self.assertLessEqual({header for header, _ in includes.INCLUDES}, set(headers))


class Contenders(unittest.TestCase):
    # Else two contenders whose files call their templates alike would measure the same container: see harness.hpp.
    def test_what_registers_a_template_is_a_function_of_its_file(self):
        registering = re.compile(r"^template <template <.*\n(.*) add_contender\(", re.MULTILINE)
        found = {path.parent.name: registering.findall(path.read_text()) for path in (ROOT / "bench").glob("*/workload.hpp")}
        self.assertGreater(sum(map(len, found.values())), 4)
        for question, heads in found.items():
            self.assertEqual([head for head in heads if head != "SLOTWISE_BENCH_PER_FILE void"], [], question)


if __name__ == "__main__":
    unittest.main()
