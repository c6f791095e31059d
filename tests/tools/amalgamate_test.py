#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""tools/amalgamate.py writes each header once and in order, leaves conditions alone, renames, cuts, and refuses in words; what it makes
of the real headers compiles and runs."""
import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import amalgamate
import check_headers

CXX = os.environ.get("CXX") or "g++"
CLANG = next((name for name in (f"clang++-{version}" for version in range(16, 22)) if shutil.which(name)), None)
COMPILERS = [CXX] + ([CLANG] if CLANG and "clang" not in CXX else [])
FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]
HEAD = "// SPDX-License-Identifier: MIT\n// SPDX-FileCopyrightText: the slotwise authors\n//\n"
SMALL = {
    "config/version.hpp": "#define SLOTWISE_VERSION_MAJOR 1\n#define SLOTWISE_VERSION_MINOR 2\n#define SLOTWISE_VERSION_PATCH 3\n",
    "config/config.hpp": "#ifdef SLOTWISE_USER_CONFIG\n#include SLOTWISE_USER_CONFIG\n#endif\n\n#include <version>\n",
    "core/a.hpp": '#include "../config/config.hpp"\n\n#include <vector> // why\n\n#if SLOTWISE_A\n#include <map>\n#endif\n\n'
                  '/// slotwise::a, of slotwise. SLOTWISE_A is 1.\n'
                  'namespace slotwise { inline const char* a() { return "slotwise: SLOTWISE_A"; } }\n',
    "core/b.hpp": '#include "a.hpp"\n\n#include <string>\n#include <vector>\n\ninline int b = sizeof(slotwise::a());\n',
    "keyed/boost_index.hpp": '#include "../core/a.hpp"\n\n#include <boost/unordered/unordered_flat_set.hpp>\n',
    "keyed/c.hpp": '#include "../core/a.hpp"\n\ninline int c = 1;\n',
    "slotwise.hpp": '#include "config/version.hpp"\n#include "core/b.hpp"\n#include "keyed/c.hpp"\n',
}


class Case(unittest.TestCase):
    root = ROOT

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *arguments):
        """The exit code of the tool, and what it said."""
        said = io.StringIO()
        with mock.patch.object(sys, "argv", ["amalgamate", f"--root={self.root}", *map(str, arguments)]):
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                return amalgamate.main(), said.getvalue()

    def amalgam(self, *arguments, name="one.hpp"):
        code, said = self.call(self.folder / name, *arguments)
        self.assertEqual(code, 0, said)
        return (self.folder / name).read_text()

    def refused(self, *arguments):
        code, said = self.call(self.folder / "one.hpp", *arguments)
        self.assertEqual(code, 1)
        self.assertFalse((self.folder / "one.hpp").exists())
        return said


class Small(Case):
    """A repository of a few lines."""

    def setUp(self):
        super().setUp()
        self.root = self.folder / "repository"
        for name, text in SMALL.items():
            path = self.root / "include/slotwise" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            guard = "SLOTWISE_" + name.upper().replace("/", "_").replace(".", "_")
            path.write_text(f"{HEAD}// {name} is for this.\n#ifndef {guard}\n#define {guard}\n\n{text}\n#endif\n")

    def test_includes_stand_at_the_top_but_those_under_a_condition_and_those_of_the_configuration(self):
        lines = [line for line in self.amalgam().splitlines() if line.startswith(("#include", "#ifdef", "#if ", "//=== "))]
        self.assertEqual(lines, [
            "//=== config/version.hpp ===//",
            "//=== config/config.hpp ===//", "#ifdef SLOTWISE_USER_CONFIG", "#include SLOTWISE_USER_CONFIG", "#include <version>",
            "#include <string>", "#include <vector>",
            "//=== core/a.hpp ===//", "#if SLOTWISE_A", "#include <map>",
            "//=== core/b.hpp ===//", "//=== keyed/c.hpp ===//", "//=== slotwise.hpp ===//"])

    def test_licence_and_version_are_said_once(self):
        text = self.amalgam()
        self.assertEqual([text.count("SPDX-License"), text.count("SPDX-File"), text.count("slotwise 1.2.3")], [1, 1, 1])
        self.assertEqual(text.count(" is for this."), len(SMALL) - 1)

    def test_another_namespace_renames_code_macros_and_comments_and_leaves_the_words_of_messages(self):
        text = self.amalgam("--namespace", "my::slots")
        self.assertIn('/// my::slots::a, of slotwise. MY_SLOTS_A is 1.\n', text)
        self.assertIn('namespace my::slots { inline const char* a() { return "slotwise: MY_SLOTS_A"; } }\n', text)
        self.assertIn("#include MY_SLOTS_USER_CONFIG\n", text)
        self.assertNotRegex(text, r"\bSLOTWISE_")

    def test_a_part_brings_what_it_includes_and_other_libraries_only_by_name(self):
        parts = lambda only: [line[6:-6] for line in self.amalgam("--only", only).splitlines() if line.startswith("//=== ")]
        self.assertEqual(parts("keyed"), ["config/config.hpp", "core/a.hpp", "keyed/c.hpp"])
        self.assertEqual(parts("core/b.hpp,slotwise/config/"), ["config/config.hpp", "core/a.hpp", "core/b.hpp", "config/version.hpp"])
        self.assertEqual(parts("keyed/boost_index.hpp"), ["config/config.hpp", "core/a.hpp", "keyed/boost_index.hpp"])

    def test_an_unknown_part_is_refused_and_the_known_ones_are_named(self):
        said = self.refused("--only", "core,maps")
        self.assertIn("'maps'", said)
        self.assertIn("the folders are: config core keyed\n", said)
        for name in SMALL:
            self.assertIn(f"  {name}\n", said)

    def test_a_name_that_cannot_be_a_namespace_of_its_own_is_refused(self):
        for name in ("two words", "9lives", "a::", "a__b", "SlotWise"):
            self.assertIn(f"'{name}'", self.refused("--namespace", name))

    def test_forwarding_serves_each_header_and_follows_the_repository(self):
        shadow = self.folder / "shadow"
        self.assertEqual(self.call("--forwarding", shadow)[0], 0)
        names = lambda: sorted(path.relative_to(shadow / "slotwise").as_posix() for path in shadow.rglob("slotwise/**/*.hpp"))
        self.assertEqual(names(), sorted(SMALL))
        self.assertEqual((shadow / "slotwise/core/b.hpp").read_text(), '#pragma once\n#include "../../slotwise_single.hpp"\n')
        self.assertIn("#include <boost/", (shadow / "slotwise/keyed/boost_index.hpp").read_text())
        before = (shadow / "slotwise_single.hpp").stat().st_mtime_ns
        (self.root / "include/slotwise/keyed/boost_index.hpp").unlink()
        self.assertEqual(self.call("--forwarding", shadow)[0], 0)
        self.assertEqual(names(), sorted(set(SMALL) - {"keyed/boost_index.hpp"}))
        self.assertEqual((shadow / "slotwise_single.hpp").stat().st_mtime_ns, before, "written again without a change")

    def test_forwarding_never_overwrites_headers(self):
        code, said = self.call("--forwarding", self.root / "include")
        self.assertEqual(code, 1)
        self.assertIn("was not written by --forwarding", said)
        self.assertIn("namespace slotwise", (self.root / "include/slotwise/core/a.hpp").read_text())


class Real(Case):
    """The headers of this repository."""

    def compile(self, compiler, source, *flags):
        path = self.folder / "program.cpp"
        path.write_text(source)
        command = [compiler, *FLAGS, *flags, f"-I{self.folder}", str(path)]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        self.assertEqual(result.returncode, 0, f"{' '.join(command)}\n{result.stdout[:4000]}")

    def test_each_header_is_there_once_behind_those_it_includes(self):
        text = self.amalgam()
        house = check_headers.House(ROOT)
        held = house.reachable("slotwise.hpp")
        self.assertGreater(len(held), 70)
        place = {name: text.index(f"//=== {name} ===//\n") for name in held}
        for name in held:
            self.assertEqual(text.count(f"//=== {name} ===//\n"), 1)
            guard = next(line for line in house.text[name].splitlines() if line.startswith("#ifndef "))
            self.assertEqual(text.count(guard + "\n"), 1, guard)
            for target in house.includes[name]:
                self.assertLess(place[target], place[name], f"{name} includes {target}")
        self.assertNotIn('#include "', text)
        self.assertEqual(text.count("SPDX-License-Identifier"), 1)
        self.assertLessEqual(len(text.encode()), 1.02 * sum(len(house.text[name].encode()) for name in held))

    def test_parts_the_whole_a_copy_and_the_many_headers_meet_in_one_source(self):
        self.amalgam("--only", "map", name="maps.hpp")
        self.amalgam("--only", "keyed", name="keyed.hpp")
        self.amalgam(name="whole.hpp")
        self.amalgam("--namespace", "mine", name="mine.hpp")
        self.compile(CXX, """
            #define MINE_CHECK_LEVEL 2
            #define SLOTWISE_CHECK_LEVEL 0
            #include <maps.hpp>
            #include <keyed.hpp>
            #include <mine.hpp>
            #include <whole.hpp>
            #include <slotwise/slotwise.hpp>
            static_assert(MINE_CHECK_LEVEL == 2 && SLOTWISE_CHECK_LEVEL == 0);
            int main() {
                slotwise::MapStorage<int, int> theirs{{1, 10}};
                mine::MapStorage<int, int> ours{{1, 20}};
                mine::SlotMap<slotwise::SlotMap<int>::handle_type> handles;
                slotwise::SlotMap<int> numbers;
                const auto inner = numbers.insert(*theirs.get(1) + *ours.get(1));
                const auto outer = handles.insert(inner);
                return numbers.at(handles.at(outer)) == 30 ? 0 : 1;
            }
            """, f"-I{ROOT / 'include'}", "-o", str(self.folder / "program"))
        self.assertEqual(subprocess.run([str(self.folder / "program")]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
