#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""tools/compile_fail.py accepts a source that is refused for its stated reason, and nothing else."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "compile_fail.py"


class Cases(unittest.TestCase):
    def run_tool(self, text):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "case.cpp"
            source.write_text(text)
            return subprocess.run([sys.executable, TOOL, source, "--", os.environ.get("CXX", "g++"), "-std=c++20"], capture_output=True, text=True)

    def refuses(self, text, words):
        result = self.run_tool(text)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(words, result.stdout)

    FAULT = "static_assert(sizeof(int) == 1, \"write char instead\"); // faulty\n"

    def test_a_fault_with_the_stated_words_holds(self):
        for words in ("write char instead", "Write  Char", "no such words || char instead"):
            result = self.run_tool(f"// expect: {words}\n{self.FAULT}")
            self.assertEqual(result.returncode, 0, result.stdout)

    def test_other_words_are_not_the_stated_reason(self):
        self.refuses(f"// expect: write short instead\n{self.FAULT}", "the message lacks 'write short instead'")
        self.refuses(f"// expect: write char instead\n// expect: second reason\n{self.FAULT}", "the message lacks 'second reason'")

    def test_a_source_that_compiles_is_refused(self):
        self.refuses("// expect: anything\nint x;\n", "compiles, but must not")

    def test_a_source_whose_control_fails_is_refused(self):
        self.refuses(f"// expect: write char instead\n{self.FAULT}#include <no_such_header>\n", "may fail for another reason")

    def test_each_case_is_compiled_alone_with_the_head(self):
        result = self.run_tool(f"struct Head {{}};\n//=== one ===//\n// expect: write char instead\nHead x;\n{self.FAULT}"
                               f"//=== other ===//\n// expect: write char instead\nHead x;\n{self.FAULT}")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(result.stdout.count("refused as stated"), 2)

    def test_a_source_without_expectation_is_refused(self):
        self.refuses(self.FAULT, "a case needs a line")
        self.refuses(f"// expect:\n{self.FAULT}", "a case needs a line")


if __name__ == "__main__":
    unittest.main()
