#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Each rule of tools/check_headers.py: a house that keeps it passes, a house that breaks it is refused with a useful message."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_headers.py"
SPDX = "// SPDX-License-Identifier: MIT\n// SPDX-FileCopyrightText: the slotwise authors\n"


def header(name, *includes, body=""):
    guard = "SLOTWISE_" + name.upper().replace("/", "_").replace(".", "_")
    lines = "".join(f'#include "{include}"\n' for include in includes)
    return f"{SPDX}#ifndef {guard}\n#define {guard}\n{lines}{body}\n#endif\n"


class Houses(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("config/config.hpp")
        self.write("core/bits.hpp", "../config/config.hpp")
        self.write("fwd.hpp", "core/bits.hpp")
        self.write("map/a.hpp", "../fwd.hpp")
        self.write("map/b.hpp", "a.hpp")
        self.write("keyed/c.hpp", "../core/bits.hpp")
        self.write("slotwise.hpp", "map/b.hpp", "keyed/c.hpp")
        for room in ("config", "core", "map", "keyed"):
            (self.root / "include/slotwise" / room / "README.md").write_text("# room\n")

    def write(self, name, *includes, body=""):
        path = self.root / "include" / "slotwise" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(header(name, *includes, body=body))

    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, TOOL, arguments[0], "--root", self.root, *arguments[1:]], capture_output=True, text=True)

    def alone(self):
        return self.run_tool("alone", "--", os.environ.get("CXX", "g++"), "-std=c++20", "-Wall", "-Wextra", "-Werror")

    def accepts(self, result):
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def refuses(self, result, *words):
        self.assertNotEqual(result.returncode, 0, result.stdout)
        for word in words:
            self.assertIn(word, result.stdout + result.stderr)

    def test_a_sound_house_passes(self):
        self.accepts(self.run_tool("layout"))
        self.accepts(self.alone())

    def test_an_empty_house_is_not_a_sound_one(self):
        with tempfile.TemporaryDirectory() as empty:
            self.root = pathlib.Path(empty)
            self.refuses(self.run_tool("layout"), "no header found")

    def test_a_lower_floor_does_not_include_a_higher_one(self):
        self.write("core/bits.hpp", "../map/a.hpp")
        self.refuses(self.run_tool("layout"), "core/bits.hpp (floor 1) includes map/a.hpp (floor 4)", "move")

    def test_an_include_in_angle_brackets_counts_too(self):
        self.write("core/up.hpp", body="#include <slotwise/map/a.hpp>")
        self.refuses(self.run_tool("layout"), "core/up.hpp (floor 1) includes map/a.hpp (floor 4)")

    def test_an_include_in_a_comment_does_not_count(self):
        self.write("core/bits.hpp", "../config/config.hpp", body='// #include "../map/a.hpp"\n/*\n#include "../map/a.hpp"\n*/')
        self.accepts(self.run_tool("layout"))

    def test_rooms_of_one_floor_do_not_include_each_other(self):
        self.write("map/b.hpp", "a.hpp", "../keyed/c.hpp")
        self.refuses(self.run_tool("layout"), "map and keyed are both on floor 4")

    def test_a_folder_without_a_floor_is_named(self):
        self.write("attic/x.hpp")
        self.refuses(self.run_tool("layout"), "attic/x.hpp: the folder has no floor")

    def test_debug_may_look_at_everything_but_hides_no_floor(self):
        self.write("debug/all.hpp", "../map/b.hpp")
        (self.root / "include/slotwise/debug/README.md").write_text("# debug\n")
        self.accepts(self.run_tool("layout"))
        self.write("core/bits.hpp", "../debug/all.hpp")
        self.refuses(self.run_tool("layout"), "core/bits.hpp (floor 1) includes debug/all.hpp (floor 4)")

    def test_a_cycle_is_shown_in_full(self):
        self.write("map/a.hpp", "b.hpp")
        self.refuses(self.run_tool("layout"), "include cycle: map/a.hpp -> map/b.hpp -> map/a.hpp")

    def test_an_include_that_leads_nowhere_is_named(self):
        self.write("map/b.hpp", "a.hpp", "gone.hpp")
        self.refuses(self.run_tool("layout"), 'map/b.hpp includes "gone.hpp"')

    def test_the_front_door_reaches_every_header(self):
        self.write("map/lonely.hpp")
        self.refuses(self.run_tool("layout"), "slotwise.hpp does not reach map/lonely.hpp")
        (self.root / "include/slotwise/slotwise.hpp").unlink()
        self.refuses(self.run_tool("layout"), "slotwise.hpp is missing")

    def test_a_long_header_and_a_long_median_are_refused(self):
        self.write("map/b.hpp", "a.hpp", body="\n" * 600)
        self.refuses(self.run_tool("layout"), "more than 600")
        for name in ("config/config.hpp", "core/bits.hpp", "fwd.hpp", "map/a.hpp"):
            path = self.root / "include" / "slotwise" / name
            path.write_text(path.read_text() + "\n" * 260)
        self.refuses(self.run_tool("layout"), "the median header has")

    def test_each_folder_explains_itself_briefly(self):
        (self.root / "include/slotwise/map/README.md").unlink()
        (self.root / "include/slotwise/core/README.md").write_text("line\n" * 21)
        self.refuses(self.run_tool("layout"), "map/README.md is missing", "core/README.md has 21 lines")

    def test_a_macro_without_our_prefix_is_refused_by_both_checks(self):
        self.write("map/b.hpp", "a.hpp", body="#define HELPFUL 1")
        self.refuses(self.run_tool("layout"), "map/b.hpp: #define HELPFUL")
        self.refuses(self.alone(), "#define HELPFUL")

    def test_memory_is_asked_for_in_one_place(self):
        self.write("map/b.hpp", "a.hpp", body="inline int* f(A& a, unsigned n) { return a.allocate(n); }")
        self.refuses(self.run_tool("layout"), "map/b.hpp asks an allocator", "allocate_raw()")

    def test_two_headers_do_not_share_a_guard(self):
        path = self.root / "include/slotwise/map/b.hpp"
        path.write_text(path.read_text().replace("MAP_B", "MAP_A"))
        self.refuses(self.run_tool("layout"), "has the include guard of map/a.hpp")

    def test_a_source_without_its_licence_is_named(self):
        (self.root / "tests").mkdir()
        (self.root / "tests" / "x.cpp").write_text("int x;\n")
        self.refuses(self.run_tool("layout"), "tests/x.cpp", "SPDX-License-Identifier")

    def test_a_header_that_needs_another_one_first_is_refused(self):
        self.write("map/b.hpp", body="inline std::size_t size = 0;")
        self.refuses(self.alone(), "map/b.hpp does not compile alone")

    def test_a_header_with_a_warning_is_refused(self):
        self.write("map/b.hpp", "a.hpp", body="inline int f(int unused) { return 0; }")
        self.refuses(self.alone(), "map/b.hpp does not compile alone", "unused")

    def test_a_header_without_a_guard_is_refused_when_included_twice(self):
        (self.root / "include/slotwise/map/b.hpp").write_text(SPDX + "struct B {};\n")
        self.refuses(self.alone(), "redefinition")


if __name__ == "__main__":
    unittest.main()
