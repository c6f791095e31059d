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

    def test_a_header_that_breaks_a_rule_is_named(self):
        for name, includes, body, words in (
                ("core/bits.hpp", ["../map/a.hpp"], "", "core/bits.hpp (floor 1) includes map/a.hpp (floor 4)"),
                ("core/up.hpp", [], "#include <slotwise/map/a.hpp>", "core/up.hpp (floor 1) includes map/a.hpp (floor 4)"),
                ("map/b.hpp", ["a.hpp", "../keyed/c.hpp"], "", "map and keyed are both on floor 4"),
                ("attic/x.hpp", [], "", "attic/x.hpp: the folder has no floor"),
                ("map/a.hpp", ["b.hpp"], "", "include cycle: map/a.hpp -> map/b.hpp -> map/a.hpp"),
                ("map/b.hpp", ["a.hpp", "gone.hpp"], "", 'map/b.hpp includes "gone.hpp"'),
                ("map/lonely.hpp", [], "", "slotwise.hpp does not reach map/lonely.hpp"),
                ("map/b.hpp", ["a.hpp"], "\n" * 500, "more than 500"),
                ("map/b.hpp", ["a.hpp"], "#define HELPFUL 1", "map/b.hpp: #define HELPFUL"),
                ("map/b.hpp", ["a.hpp"], "inline int* f(A& a, unsigned n) { return a.allocate(n); }", "map/b.hpp asks an allocator")):
            with self.subTest(words):
                path = self.root / "include" / "slotwise" / name
                before = path.read_text() if path.exists() else None
                self.write(name, *includes, body=body)
                self.refuses(self.run_tool("layout"), words)
                path.unlink() if before is None else path.write_text(before)

    def test_an_include_in_a_comment_does_not_count(self):
        self.write("core/bits.hpp", "../config/config.hpp", body='// #include "../map/a.hpp"\n/*\n#include "../map/a.hpp"\n*/')
        self.accepts(self.run_tool("layout"))

    def test_debug_may_look_at_everything_but_hides_no_floor(self):
        self.write("debug/all.hpp", "../map/b.hpp")
        (self.root / "include/slotwise/debug/README.md").write_text("# debug\n")
        self.accepts(self.run_tool("layout"))
        self.write("core/bits.hpp", "../debug/all.hpp")
        self.refuses(self.run_tool("layout"), "core/bits.hpp (floor 1) includes debug/all.hpp (floor 4)")

    def test_a_long_median_is_refused(self):
        for name in ("config/config.hpp", "core/bits.hpp", "fwd.hpp", "map/a.hpp"):
            path = self.root / "include" / "slotwise" / name
            path.write_text(path.read_text() + "\n" * 260)
        self.refuses(self.run_tool("layout"), "the median header has")

    def test_each_folder_explains_itself_briefly(self):
        (self.root / "include/slotwise/map/README.md").unlink()
        (self.root / "include/slotwise/core/README.md").write_text("line\n" * 21)
        self.refuses(self.run_tool("layout"), "map/README.md is missing", "core/README.md has 21 lines")

    def test_two_headers_do_not_share_a_guard(self):
        path = self.root / "include/slotwise/map/b.hpp"
        path.write_text(path.read_text().replace("MAP_B", "MAP_A"))
        self.refuses(self.run_tool("layout"), "has the include guard of map/a.hpp")

    def test_a_source_without_its_licence_is_named(self):
        (self.root / "tests").mkdir()
        (self.root / "tests" / "x.cpp").write_text("int x;\n")
        self.refuses(self.run_tool("layout"), "tests/x.cpp", "SPDX-License-Identifier")

    def test_a_header_that_does_not_compile_alone_in_silence_is_refused(self):
        for body, words in (("inline std::size_t size = 0;", "map/b.hpp does not compile alone"), ("#define HELPFUL 1", "#define HELPFUL"),
                            ("inline int f(int unused) { return 0; }", "unused")):
            self.write("map/b.hpp", body=body)
            self.refuses(self.alone(), words)

    def test_a_header_without_a_guard_is_refused_when_included_twice(self):
        (self.root / "include/slotwise/map/b.hpp").write_text(SPDX + "struct B {};\n")
        self.refuses(self.alone(), "redefinition")


if __name__ == "__main__":
    unittest.main()
