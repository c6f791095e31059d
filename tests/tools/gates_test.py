#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Each check of a repository's text lets a sound one pass, and refuses it with a useful message when a fault is planted: one table. The
single header holds each header once, behind those it includes."""
import re
import unittest

from fixture import CXX, Case

SPDX = "// SPDX-License-Identifier: MIT\n// SPDX-FileCopyrightText: the slotwise authors\n"
ROOM = "include/slotwise/"


def header(name, *includes, body=""):
    guard = "SLOTWISE_" + name.upper().replace("/", "_").replace(".", "_")
    lines = "".join(f'#include "{include}"\n' for include in includes)
    return {ROOM + name: f"{SPDX}#ifndef {guard}\n#define {guard}\n{lines}{body}\n#endif\n"}


PAST_QT = "".join(f"{line}\n" for line in ('#pragma push_macro("slots")', "#undef slots", "int slots(int (min)(int), int max);", '#pragma pop_macro("slots")'))
HOUSE = {**header("config/config.hpp"), **header("core/bits.hpp", "../config/config.hpp", body=PAST_QT), **header("fwd.hpp", "core/bits.hpp"),
         **header("map/a.hpp", "../fwd.hpp"), **header("map/b.hpp", "a.hpp"), **header("keyed/c.hpp", "../core/bits.hpp"),
         **header("config/version.hpp", body="".join(f"#define SLOTWISE_VERSION_{part} 1\n" for part in ("MAJOR", "MINOR", "PATCH"))),
         **header("slotwise.hpp", "config/version.hpp", "map/b.hpp", "keyed/c.hpp"),
         **{f"{ROOM}{room}/README.md": "# room\n" for room in ("config", "core", "map", "keyed")}}
SOURCE = "int main() {\n    // [readme]\n    int a = 1;\n\n    if (a)\n        ++a;\n    // [/readme]\n}\n"
QUOTED = "# x\n\n<!-- quoted from src/a.cpp, which\nis compiled -->\n```cpp\nint a = 1;\n\nif (a)\n    ++a;\n```\n"
VERSION = ROOM + "config/version.hpp"
README = {VERSION: HOUSE[VERSION], "src/a.cpp": SOURCE, "README.md": QUOTED + "[x](src/a.cpp#L1), [y](https://example.org/z)\n"}
FAULT = 'static_assert(sizeof(int) == 1, "write char instead"); // faulty\n'
EXPECT = "// expect: Write  Char || no such words\n"

# tool and arguments; a sound repository; planted faults: (what is written in place of sound files, words of the finding).
GATES = {
    "floors, names, lengths, licences": (["tools/check_headers.py", "layout", "--root", "."], HOUSE, [
        (header("core/bits.hpp", "../map/a.hpp"), "core/bits.hpp (floor 1) includes map/a.hpp (floor 4)"),
        (header("core/up.hpp", body="#include <slotwise/map/a.hpp>"), "core/up.hpp (floor 1) includes map/a.hpp (floor 4)"),
        ({**header("debug/all.hpp", "../map/b.hpp"), **header("core/bits.hpp", "../debug/all.hpp")}, "includes debug/all.hpp (floor 4)"),
        (header("map/b.hpp", "a.hpp", "../keyed/c.hpp"), "map and keyed are both on floor 4"),
        (header("attic/x.hpp"), "attic/x.hpp: the folder has no floor"),
        (header("map/a.hpp", "b.hpp"), "include cycle: map/a.hpp -> map/b.hpp -> map/a.hpp"),
        (header("map/b.hpp", "a.hpp", "gone.hpp"), 'map/b.hpp includes "gone.hpp"'),
        (header("map/lonely.hpp"), "slotwise.hpp does not reach map/lonely.hpp"),
        (header("map/b.hpp", "a.hpp", body="// " + "x" * 126), "map/b.hpp:6 has 129 columns"),
        (header("map/b.hpp", "a.hpp", body="#define HELPFUL 1"), "map/b.hpp: #define HELPFUL"),
        (header("map/b.hpp", "a.hpp", body="inline int emit = 1;"), "map/b.hpp:6: emit is a macro of others"),
        (header("map/b.hpp", "a.hpp", body="inline int f(int a) { return std::min(a, 1); }"), "min is a macro of others"),
        (header("map/b.hpp", "a.hpp", body="enum class Kind { WIDE };"), "WIDE is of capitals"),
        (header("map/b.hpp", "a.hpp", body='#pragma push_macro("slots")\n#undef slots\nint slots, near;\n#pragma pop_macro("slots")'), "near is a macro of others"),
        (header("map/b.hpp", "a.hpp", body="#undef slots"), "map/b.hpp: #undef slots"),
        (header("map/b.hpp", "a.hpp", body="inline int* f(A& a) { return a.allocate(1); }"), "map/b.hpp asks an allocator"),
        *[(header("map/b.hpp", "a.hpp", body=f"struct C {{ {text} }};"), f"map/b.hpp: none shares an address and is initialised by what a "
           f"function returns, {value}:") for text, value in [
               ("C(const C& o) : count(0), none(o.none.resized(1)) {} SLOTWISE_NO_UNIQUE_ADDRESS E none{}; int count;", "o.none.resized(1)"),
               ("C() : none{std::exchange(global, {})} {} SLOTWISE_NO_UNIQUE_ADDRESS\nE none; int count;", "std::exchange(global, {})"),
               ("SLOTWISE_NO_UNIQUE_ADDRESS E none = make<E>(1); int count;", "make<E>(1)"),
               ("SLOTWISE_NO_UNIQUE_ADDRESS E none{E::make()}; int count;", "E::make()")]],
        ({ROOM + "map/b.hpp": HOUSE[ROOM + "map/b.hpp"].replace("MAP_B", "MAP_A")}, "has the include guard of map/a.hpp"),
        ({ROOM + "core/README.md": "line\n" * 21}, "core/README.md has 21 lines"),
        ({"tests/x.cpp": "int x;\n"}, "tests/x.cpp: the line 'SPDX-License-Identifier")]),
    "headers alone": (["tools/check_headers.py", "alone", "--root", ".", "--", CXX, "-std=c++20", "-Wall", "-Wextra", "-Werror"], HOUSE, [
        (header("map/b.hpp", body="inline std::size_t size = 0;"), "map/b.hpp does not compile alone"),
        (header("map/b.hpp", body="inline int f(int unused) { return 0; }"), "unused"),
        ({ROOM + "map/b.hpp": SPDX + "struct B {};\n"}, "redefinition")]),
    "quotations, links and words": (["tools/check_readme.py", "--root", "."], README, [
        ({"README.md": QUOTED.replace("++a", "a++")}, "-    a++;\n+    ++a;"),
        ({"README.md": "# x\n\n```cpp\nint a;\n```\n"}, "quotes nothing"),
        ({"README.md": QUOTED.replace("```cpp", "words\n```cpp")}, "a ```cpp block must follow"),
        ({"src/a.cpp": SOURCE.replace("// [/readme]", "")}, "src/a.cpp must have one line '// [readme]'"),
        ({"README.md": QUOTED.replace("src/a.cpp", "src/b.cpp")}, "README.md:3: src/b.cpp must have"),
        ({"docs/guide/map.md": "[x](tour.md#two)\n", "docs/guide/tour.md": "# One\n```sh\n# two\n```\n"}, "docs/guide/map.md:1: tour.md has no heading for #two"),
        ({"docs/tour.md": "[x](src/a.cpp)\n"}, "docs/tour.md:1: there is no src/a.cpp"),
        ({"README.md": QUOTED + "word " * 900}, "words, more than 900"),
        ({"docs/bench.svg": "<svg/>"}, "there is no bench/results.json"),
        ({"CHANGELOG.md": "# x\n\n## Unreleased\n\n## 1.2.4 (2030-01-01)\n"}, "CHANGELOG.md says version 1.2.4, include/slotwise/config/version.hpp says 1.1.1"),
        ({"pyproject.toml": "name = 1\n"}, "pyproject.toml says version nothing")]),
    "sources that must not compile": (["tools/compile_fail.py", "./case.cpp", "--", CXX, "-std=c++20"], {
        "case.cpp": f"struct Head {{}};\n//=== one ===//\n{EXPECT}Head x;\n{FAULT}//=== two ===//\n{EXPECT}Head x;\n{FAULT}"}, [
        ({"case.cpp": "// expect: write short instead\n" + FAULT}, "the message lacks 'write short instead'"),
        ({"case.cpp": EXPECT + "// expect: second reason\n" + FAULT}, "the message lacks 'second reason'"),
        ({"case.cpp": "// expect: anything\nint x;\n"}, "compiles, but must not"),
        ({"case.cpp": f"{EXPECT}{FAULT}#include <no_such_header>\n"}, "may fail for another reason"),
        ({"case.cpp": "// expect:\n" + FAULT}, "a case needs a line")]),
}


class Gates(Case):
    def test_a_sound_repository_passes_and_each_planted_fault_is_named(self):
        for gate, (command, sound, faults) in GATES.items():
            for number, (planted, words) in enumerate([({}, ""), *faults]):
                with self.subTest(gate=gate, fault=words):
                    self.doCleanups()
                    self.setUp()
                    for name, text in {**sound, **planted}.items():
                        self.write(name, text)
                    code, said = self.command(*command)
                    self.assertEqual(code != 0, number > 0, said)
                    self.assertIn(words, said)

    def test_nothing_to_look_at_is_no_success(self):
        for tool, *arguments in (("tools/check_headers.py", "layout", "--root", "."), ("tools/check_readme.py", "--root", ".")):
            self.assertNotEqual(self.command(tool, *arguments)[0], 0)

    def test_a_quotation_is_rewritten_from_its_source_and_nothing_else_is(self):
        for name, text in {**README, "README.md": README["README.md"].replace("if (a)", "old")}.items():
            self.write(name, text)
        self.assertEqual(self.command("tools/check_readme.py", "--root", ".", "--update")[0], 0)
        self.assertEqual((self.folder / "README.md").read_text(), README["README.md"])


class SingleHeader(Case):
    """Programs against the real one are built by tests/consumer/amalgam."""

    def setUp(self):
        super().setUp()
        body = '#include <vector>\n#if SLOTWISE_A\n#include <map>\n#endif\n/// slotwise::b. SLOTWISE_B is 1.\n' \
               'namespace slotwise { inline const char* b() { return "slotwise: SLOTWISE_B"; } }'
        for name, text in {**HOUSE, **header("map/b.hpp", "a.hpp", "../config/config.hpp", body=body)}.items():
            self.write(name, text)

    def amalgam(self, *arguments, refused=""):
        code, said = self.command("tools/amalgamate.py", "--root", ".", "one.hpp", *arguments)
        self.assertEqual((code, refused in said, (self.folder / "one.hpp").exists()), (1 if refused else 0, True, not refused), said)
        return "" if refused else (self.folder / "one.hpp").read_text()

    def parts(self, *arguments):
        return re.findall("^//=== (.*) ===//$", self.amalgam(*arguments), re.M)

    def test_each_header_is_there_once_behind_those_it_includes(self):
        self.assertEqual(self.parts(), ["config/version.hpp", "config/config.hpp", "core/bits.hpp", "fwd.hpp", "map/a.hpp", "map/b.hpp",
                                        "keyed/c.hpp", "slotwise.hpp"])
        self.assertEqual(self.parts("--only", "core"), ["config/config.hpp", "core/bits.hpp"])
        text = self.amalgam()
        self.assertEqual((text.count("SPDX-License"), text.count("slotwise 1.1.1"), text.count('#include "')), (1, 1, 0))
        self.assertLess(text.index("#if SLOTWISE_A"), text.index("#include <map>"))  # a condition stays where it is

    def test_another_namespace_renames_code_macros_and_comments_and_leaves_the_words_of_messages(self):
        text = self.amalgam("--namespace", "my::slots")
        self.assertIn('/// my::slots::b. MY_SLOTS_B is 1.\nnamespace my::slots { inline const char* b() { return "slotwise: MY_SLOTS_B"; } }', text)
        self.assertNotRegex(text, r"\bSLOTWISE_")

    def test_what_it_cannot_do_is_refused(self):
        self.amalgam("--only", "core,maps", refused="no folder or header 'maps'")
        self.amalgam("--namespace", "9lives", refused="'9lives' is no name")
        self.assertEqual(self.command("tools/amalgamate.py", "--root", ".", "--forwarding", "include")[0], 1)  # would overwrite headers


if __name__ == "__main__":
    unittest.main()
