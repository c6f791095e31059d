#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Each check of the house lets a sound one pass, and names a fault that is planted: layout, headers alone, documents, compile_fail, sweeps, fuzz, benches
and their figures."""
import contextlib
import io
import re
import unittest

from fixture import CXX, ROOT, Case
import fuzz
import proof
import run
import sweeps
import throws
from tools import figures
from tools.results import Failure, by_question
from tools.tables import compare

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
        ({"src/a.cpp": SOURCE.replace("// [/readme]", "")}, "src/a.cpp must have a line '// [readme]'"),
        ({"src/a.cpp": SOURCE + SOURCE}, "+int a = 1;"),
        ({"README.md": QUOTED.replace("src/a.cpp", "src/b.cpp")}, "README.md:3: src/b.cpp must have"),
        ({"docs/guide/map.md": "[x](tour.md#two)\n", "docs/guide/tour.md": "# One\n```sh\n# two\n```\n"}, "docs/guide/map.md:1: tour.md has no heading for #two"),
        ({"docs/tour.md": "[x](src/a.cpp)\n"}, "docs/tour.md:1: there is no src/a.cpp"),
        ({"README.md": QUOTED + "word " * 900}, "words, more than 900"),
        ({"docs/charts/ecs-light.svg": "<svg/>"}, "there is no bench/results.json"),
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


BOX = """#pragma once
namespace slotwise {
namespace detail { struct Part { void inherited(int); void hidden(int); }; }
class Box : public detail::Part {
public:
    Box() noexcept;
    Box(const Box&);
    Box& operator=(const Box&);
    void insert(int);
    void hidden(int) noexcept;
    int& at(int);
    const int& at(int) const;
    static int most();
private:
    void grow();
};
template <class T> class Derived : public Box { public: void insert(T); };
void fill(Box&);
}
"""
NEEDED = ["Box::(copy)", "Box::inherited", "Box::insert", "Box::operator=(copy)", "Derived::(copy)", "Derived::insert",
          "Derived::operator=(copy)", "fill"]


class Sweeps(Case):
    def test_every_function_that_changes_and_may_throw_needs_a_sweep_in_which_something_threw(self):
        self.write("fwd.hpp", "namespace slotwise { class Box; template <class T> class Derived; }\n")
        self.write("box.hpp", BOX)
        headers, swept = throws.Headers(self.folder), [["throws", name, "3", "a test"] for name in NEEDED]
        self.assertEqual((headers.required(), throws.judge(headers, swept)[1]), (NEEDED, []))
        self.assertEqual(throws.judge(headers, [*swept[1:], ["noexcept", NEEDED[0], "0", "a test"]])[1], [])
        for lines, words in [*((swept[:i] + swept[i + 1:], f"{name} (") for i, name in enumerate(NEEDED)),
                             ([*swept, ["throws", "Box::insert", "0", "another test"]], "nothing threw in the sweep of the test `another test`"),
                             ([*swept, ["throws", "Box::inset", "1", "a test"]], "Box::inset")]:
            self.assertIn(words, "\n".join(throws.judge(headers, lines)[1]))

    def test_every_setting_operation_and_container_is_reported(self):
        lines = [["alloc", name, f"setting {i}", operation, "8"] for name in ("Box", "Bag") for i in range(16) for operation in ("copy", "swap")]
        self.assertEqual(sweeps.alloc(lines, ("Box", "Bag")), ("alloc: 16 settings x 32 cases over 2 containers, 0 failures", []))
        for left, asked, words in (([line for line in lines if line[1:3] != ["Bag", "setting 7"]], "Box", "Bag: 15 of 16 settings"),
                                   ([line for line in lines if line[1:4] != ["Box", "setting 3", "swap"]], "Box", "Box, setting 3: no case of `swap`"),
                                   (lines, "Jar", "Jar: no program reports it")):
            self.assertEqual(sweeps.alloc(left, (asked,))[1], [words])
        self.assertEqual(len(sweeps.versions([["versions", "Box a", "3", "4"], ["versions", "Jar a", "3", "0"]], ("Box", "Jar"))[1]), 1)

    def test_a_program_that_fails_or_reports_nothing_is_an_error(self):
        for text, words in (("echo x >> $SLOTWISE_SWEEP_REPORT; echo it leaks; exit 1\n", "it leaks"), ("exit 0\n", "no program reported")):
            self.write("slotwise_test_fixture", "#!/bin/sh\n" + text).chmod(0o755)
            self.assertIn(words, sweeps.run(self.folder, "[throws]", self.folder / "report.txt")[1][0])


BODY = """#include "input.hpp"
std::uint64_t fuzz_one(test::Input& in) {
    std::uint64_t steps = 0;
    for (; !in.done(); ++steps) FUZZ_CHECK(in.byte() != 77 || in.byte() != 78 || in.byte() % 4 != 3);
    return steps;
}
#include "driver.hpp"
"""


class Programs(Case):
    def test_a_replay_finds_a_planted_fault_and_names_an_input_that_fails_again(self):
        replay = self.folder / "replay"
        proof.must([CXX, "-std=c++20", "-O1", f"-I{fuzz.SOURCES}", f"-I{proof.INCLUDE}", self.write("body.cpp", BODY), "-o", replay])
        self.write("corpus/one", "\0" * 15)
        self.assertEqual(fuzz.counted(proof.must([replay, self.folder / "corpus"])), (1, 15))
        done = proof.run([replay, "--random", 100_000, 1])
        self.assertEqual((done.ok, fuzz.counted(done.output)), (False, None))
        self.assertRegex(done.output.splitlines()[-1], r"^fuzz: failed: --random 1 \d+$")
        proof.must([replay, "--write", self.folder / "found", done.output.split()[-1]])
        self.assertFalse(proof.run([replay, self.folder / "found"]).ok)

    def test_the_table_of_traits_has_a_row_for_each_class_of_fwd(self):
        declared = re.findall(r"^class (?:Basic)?(\w+);", (ROOT / "include/slotwise/fwd.hpp").read_text(), re.M)
        rows = re.findall(r'^ROW\("[tny-]{7}", (?:pmr::)?(\w+)', (ROOT / "tests/config/traits.cpp").read_text(), re.M)
        self.assertEqual(set(declared) - set(rows), {"GroupIndex"})  # the template of HashIndex, which has one

    def test_the_module_exports_what_the_headers_declare(self):
        self.assertEqual(self.command("tools/module.py", "--check")[0], 0)


def results(*entries):
    """{"slot_map": Results} of (contender, role, time, checksum), each measured five times, 2 % slower every time."""
    runs = [{"name": f"lookup/bytes:16/n:100000/{contender}/iterations:6/manual_time", "run_type": "iteration", "real_time": 10 * time * (1 + 0.02 * i),
             "items": 10, "checksum": checksum, "label": role} for contender, role, time, checksum in entries for i in range(5)]
    return by_question({"slot_map": [{"context": {"compiler": "g++", "processor": "a made-up one"}, "benchmarks": runs}]})


def quietly(function, *arguments):
    """(its result, what it printed)"""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        return function(*arguments), text.getvalue()


OURS, OTHER = ("SlotMap", "ours", 6, 7), ("vector", "limit", 5, 7)


class Benches(Case):
    def test_contenders_that_compute_something_else_or_none_to_compare_with_fail(self):
        self.assertTrue(quietly(run.agree, results(OURS, OTHER)["slot_map"])[0])
        good, text = quietly(run.agree, results(OURS, ("vector", "limit", 5, 8))["slot_map"])
        self.assertEqual((good, "CHECKSUM MISMATCH" in text), (False, True))
        self.assertRaises(Failure, run.agree, results(OURS)["slot_map"])

    def test_a_planted_change_is_found_and_no_other(self):
        for factor, words in ((1.0, "0 rows faster, 0 slower"), (1.3, "0 rows faster, 1 slower"), (0.7, "1 rows faster, 0 slower"), (1.06, "0 rows faster, 0 slower")):
            self.assertIn(words, quietly(compare, results(OURS, OTHER), results(("SlotMap", "ours", 6 * factor, 7), OTHER))[1])
        self.assertFalse(quietly(compare, results(OURS, OTHER), results(("SlotMap", "ours", 6, 8), OTHER))[0])

    # Else two contenders whose files call their templates alike would measure the same container: see harness.hpp.
    def test_what_registers_a_template_is_a_function_of_its_file(self):
        registering = re.compile(r"^template <template <.*\n(.*) add_contender\(", re.MULTILINE)
        heads = [head for path in (ROOT / "bench").glob("*/workload.hpp") for head in registering.findall(path.read_text())]
        self.assertGreater(len(heads), 4)
        self.assertEqual(set(heads), {"SLOTWISE_BENCH_PER_FILE void"})

    def test_documents_and_charts_print_what_the_results_say_and_each_planted_fault_is_named(self):
        drawn = [f"docs/charts/{chart}-{mode}.svg" for chart in ("iteration", "slot_map", "ecs", "keyed", "compile") for mode in ("light", "dark")]
        sound = {name: (ROOT / name).read_text() for name in ("README.md", "bench/README.md", "bench/RESULTS.md", "docs/guide/index.md",
                                                              "docs/guide/charts.md", figures.CLAIMS, figures.RESULTS, *drawn)}
        for name, text in sound.items():
            self.write(name, text)
        self.assertEqual(figures.checked(self.folder), [])
        differs = " is not what bench/results.json says"
        for name, old, new, words in (
                ("README.md", r"walked in \d", "walked in 7", differs), ("README.md", "is walked", "walks", "is not in it"),
                ("README.md", "## Links", "It is 2.5 times faster.", "'2.5 times' is in no line"),
                ("bench/RESULTS.md", r"(\| checked lookup .*?)[\d.]+", r"\g<1>9", differs), ("docs/guide/charts.md", r"(\| flecs .*?)[\d.]+", r"\g<1>9", differs),
                *((name, r"(?s)(<desc>.*? )[\d.]+ (n?s)", r"\1 99 \2", f"{name} was not drawn") for name in drawn),
                *((name, r">\s*[\d.]+ (n?s)\s*<", r">99 \1<", f"{name} was not drawn") for name in drawn[4:]), (drawn[0], r"(?s).+", "<svg/>", "iteration-light.svg was not drawn"),
                *((figures.RESULTS, rf'({row}", .*"value": )[\d.]+', r"\g<1>99", f"{chart}-dark.svg was not drawn") for chart, row in (
                    ("iteration", "n:100000/live:50/SlotMap.sparse"), ("slot_map", "churn/bytes:16/n:100000/plf_colony"), ("ecs", "spawn/bytes:24/n:100000/EnTT"),
                    ("keyed", "find_hit/bytes:8/n:65000/ankerl_map"), ("compile", "small_program_O0/bytes:0/n:1000/EnTT"))), (figures.CLAIMS, "ratio,1.05,", "ratio,99,", "is not true")):
            with self.subTest(fault=words, file=name):
                self.write(name, re.sub(old, new, sound[name], count=1))
                self.assertNotEqual((self.folder / name).read_text(), sound[name])
                self.assertIn(words, "\n".join(figures.checked(self.folder)))
                self.write(name, sound[name])


if __name__ == "__main__":
    unittest.main()
