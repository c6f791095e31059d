#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Tests tools/cmake/discover_tests.py: the cases of a program become tests of ctest, alone or in groups, and none is lost."""
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "cmake" / "discover_tests.py"
NAMES = ["a set is empty", "a map, too; says [this]", "a random world", "back\\slash", "the last"]


class DiscoverTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def discover(self, *options, names=tuple(NAMES)):
        program = self.folder / "program"
        program.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(names) + "\nEND\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        output = self.folder / "list.cmake"
        done = subprocess.run([sys.executable, str(SCRIPT), *options, str(program), "map/", str(output), "--", "--warn", "NoTests"],
                              capture_output=True, text=True)
        return done, output.read_text() if output.exists() else ""

    def test_each_case_is_a_test_with_its_name_and_the_arguments(self):
        done, text = self.discover()
        self.assertEqual(done.returncode, 0, done.stderr)
        tests = [line for line in text.splitlines() if line.startswith("add_test(")]
        self.assertEqual(len(tests), len(NAMES))
        for name, line in zip(NAMES, tests):
            self.assertIn(f"add_test([==[map/{name}]==]", line)
            self.assertTrue(line.endswith("[==[--warn]==] [==[NoTests]==])"), line)
        self.assertEqual(text.count("LABELS unit"), len(NAMES))

    def test_what_has_a_meaning_in_a_test_specification_is_escaped(self):
        _, text = self.discover()
        self.assertIn(r"[==[a map\, too; says \[this\]]==]", text)
        self.assertIn(r"[==[back\\slash]==]", text)

    def test_groups_hold_every_case_once(self):
        done, text = self.discover("--cases", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        tests = [line for line in text.splitlines() if line.startswith("add_test(")]
        self.assertEqual(len(tests), 3)
        self.assertIn("map/a set is empty and 1 more", tests[0])
        self.assertIn(r"[==[a set is empty,a map\, too; says \[this\]]==]", tests[0])
        self.assertIn("[==[map/the last]==]", tests[2])

    def test_a_program_without_cases_is_an_error(self):
        done, text = self.discover(names=())
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("lists no test case", done.stderr)
        self.assertEqual(text, "")


if __name__ == "__main__":
    unittest.main()
