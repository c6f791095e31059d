#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What tools/verify proves can fail: throws.py, sweeps.py, promises.py, constexpr.py, fuzz.py, each with a fault planted and without."""
import re
import unittest

from fixture import CXX, ROOT, Case
import constexpr
import fuzz
import module
import parsed
import promises
import proof
import sweeps
import throws

BOX = """#pragma once
namespace slotwise {
template <class T> class Derived;
namespace detail { struct Part { void inherited(int); void hidden(int); }; }
class Box : public detail::Part {
public:
    Box() noexcept;
    Box(const Box&);
    Box(Box&&) noexcept;
    Box& operator=(const Box&);
    Box& operator=(Box&&) noexcept;
    void insert(int);
    void hidden(int) noexcept;
    void clear() noexcept;
    int& at(int);
    const int& at(int) const;
    int size() const;
    static int most();
private:
    void grow();
};
template <class T> class Derived : public Box {
public:
    void insert(T);
};
void fill(Box&);
}
"""
NEEDED = ["Box::(copy)", "Box::inherited", "Box::insert", "Box::operator=(copy)", "Derived::(copy)", "Derived::insert",
          "Derived::operator=(copy)", "fill"]


class Throws(Case):
    def test_every_function_that_changes_and_may_throw_needs_a_sweep_in_which_something_threw(self):
        self.write("fwd.hpp", "namespace slotwise { class Box; template <class T> class Derived; }\n")
        self.write("box.hpp", BOX)
        headers, swept = throws.Headers(self.folder), [["throws", name, "3", "a test"] for name in NEEDED]
        self.assertEqual(headers.required(), NEEDED)
        self.assertEqual(throws.judge(headers, swept, {})[0], 3 * len(NEEDED))
        throws.judge(headers, [*swept[1:], ["noexcept", NEEDED[0], "0", "a test"]], {})
        throws.judge(headers, swept[1:], {NEEDED[0]: "a reason"})
        for lines, excused, words in [
                *((swept[:i] + swept[i + 1:], {}, f"{name} (") for i, name in enumerate(NEEDED)),
                ([*swept, ["throws", "Box::insert", "0", "another test"]], {}, "nothing threw in the sweep of the test `another test`"),
                ([*swept, ["throws", "Box::inset", "1", "a test"]], {}, "Box::inset"),
                (swept, {"fill": "a reason"}, "need not excuse"), (swept, {"Box::clear": "a reason"}, "no sweep is asked")]:
            with self.subTest(words), self.assertRaisesRegex(sweeps.Failed, re.escape(words)):
                throws.judge(headers, lines, excused)


class Sweeps(Case):
    def test_every_setting_operation_and_container_is_reported(self):
        lines = [["alloc", name, f"setting {i}", operation, "8"] for name in ("Box", "Bag") for i in range(16) for operation in ("copy", "swap")]
        self.assertEqual(sweeps.alloc(lines, ("Box", "Bag")), "alloc: 16 settings x 32 cases over 2 containers, 0 failures")
        for left, asked, words in (([line for line in lines if line[1:3] != ["Bag", "setting 7"]], "Box", "Bag: 15 of 16 settings"),
                                   ([line for line in lines if line[1:4] != ["Box", "setting 3", "swap"]], "Box", "setting 3: no case of `swap`"),
                                   (lines, "Jar", "Jar: no program reports it")):
            with self.assertRaisesRegex(sweeps.Failed, words):
                sweeps.alloc(left, (asked,))
        with self.assertRaisesRegex(sweeps.Failed, "no world of Jar"):
            sweeps.versions([["versions", "Box a", "3", "4"], ["versions", "Jar a", "3", "0"]], ("Box", "Jar"))

    def test_a_program_that_fails_or_reports_nothing_is_an_error(self):
        def run(text):
            self.write("slotwise_test_fixture", "#!/bin/sh\n" + text).chmod(0o755)
            return sweeps.run(self.folder, "[throws]", self.folder / "report.txt")
        self.assertEqual(run("printf 'throws\\tBox::insert\\t7\\t%s\\n' \"$1\" >> $SLOTWISE_SWEEP_REPORT\n"),
                         [["throws", "Box::insert", "7", "[throws]"]])
        for text, words in (("echo x >> $SLOTWISE_SWEEP_REPORT; echo it leaks; exit 1\n", "it leaks"), ("exit 0\n", "no program reported")):
            with self.assertRaisesRegex(sweeps.Failed, words):
                run(text)
        with self.assertRaisesRegex(sweeps.Failed, "with a reason"):
            sweeps.exceptions(self.write("throws.txt", "Box::insert:\n"))


LIST = """#pragma once
namespace slotwise {
/// A list. @invalidates itself when it grows
template <class T>
    requires(sizeof(T) > 1)
class List {
public:
    /// Adds a value. @pre there is room @throws std::length_error when it is full,
    /// strong @complexity O(1)
    template <class U>
    void insert(U&& value, int more = 0) {}
    /// The same. @throws nothing
    void insert(const T* first, const T* last = nullptr) noexcept(sizeof(T) == 1);
    struct Inner {
        /// @complexity linear
        void walk() const {}
    };
};
namespace detail {
/// @throws std::bad_alloc
[[noreturn]] inline void give_up(const char* what) { for (;;) {} }
}
}
"""
PROMISED = {"List invalidates": "itself when it grows", "List::insert(value, more) throws": "std::length_error when it is full, strong",
            "List::insert complexity": "O(1)", "List::insert(first, last) throws": "nothing", "List::Inner::walk complexity": "linear",
            "give_up throws": "std::bad_alloc"}
COSTS = """#include "proof/counted.hpp"
#include <vector>
using namespace counted;
int main() {
    const auto search = [](std::size_t n) {
        const std::vector<int> values(n, 0);
        return once([&] { for (const int value : values) keep(value); });
    };
    row("search complexity", "elements", linear, search);
    row("hasty complexity", "elements", constant, search);
    row("lazy complexity", "elements", linear, [](std::size_t n) { return once([&] { keep(n); }); });
    const auto allocate = [](std::size_t) { return once([] { ::operator delete(::operator new(4)); }); };
    row("greedy complexity", "elements", constant, allocate, never_allocates);
    return finish(0);
}
"""


class Promises(Case):
    def of(self, text):
        self.write("slotwise/a.hpp", text)
        return promises.promises_of(self.folder / "slotwise")

    def test_every_promise_of_a_comment_is_found_and_has_to_be_named(self):
        found, errors = self.of(LIST)
        self.assertEqual((errors, {name: promise.text for name, promise in found.items()}), ([], PROMISED))
        proofs = [(name, "t.cpp:1") for name in PROMISED if "complexity" not in name]
        rows = [(name, "c.cpp:1") for name in PROMISED if "complexity" in name]
        self.assertEqual(promises.compare(found, proofs, rows), [])
        for tests, measured, words in ((proofs[1:], rows, 'a.hpp:3: no test names "List invalidates"'),
                                       (proofs, rows[1:], 'no row of complexity.cpp names "List::insert complexity"'),
                                       ([*proofs, ("List::insert throws", "t.cpp:9")], rows, "there is no promise"),
                                       ([*proofs, rows[0]], rows, "by a row of complexity.cpp only"),
                                       (proofs, [*rows, proofs[0]], "is no promise of complexity")):
            self.assertIn(words, "\n".join(promises.compare(found, tests, measured)))
        for text in ("/// @throws x\n", "void f() {\n    /// @throws x\n    g();\n}\n", "/// @throws\nvoid f();\n"):
            self.assertEqual(len(self.of(text)[1]), 1, text)

    def test_a_name_stands_above_a_test(self):
        text = "// proves: A::f(a, b) throws, table map clear / handles\nTEMPLATE_TEST_CASE(\"x\") {}\n"
        self.assertEqual(promises.proofs_of({"t.cpp": text}),
                         ([("A::f(a, b) throws", "t.cpp:1"), ("table map clear / handles", "t.cpp:1")], []))
        self.assertEqual(len(promises.proofs_of({"t.cpp": "// proves: A throws\nint a;\n"})[1]), 1)

    def test_each_cell_of_the_table_is_a_promise(self):
        text = "# x\n<!-- promises -->\n| operation | exceptions | handles |\n|---|---|---|\n| `map` clear | noexcept | |\n<!-- /promises -->\n"
        self.assertEqual({name: each.text for name, each in promises.table_of(text).items()}, {"table map clear / exceptions": "noexcept"})
        for wrong in (text.replace("noexcept | |", "noexcept |"), "# x\n", text.replace("clear", "clear, reset")):
            self.assertRaises(ValueError, promises.table_of, wrong)

    def test_a_cost_that_is_not_as_promised_fails(self):
        source, rows = self.write("fixture.cpp", COSTS), promises.rows_of(COSTS, "fixture.cpp")
        program, error = promises.build_costs(source, self.folder)
        self.assertEqual(error, "")
        output, errors = promises.run_costs(program, [*rows, ("idle complexity", "c.cpp:1")])
        self.assertIn("complexity: 4 rows, 0 controls, 3 failures", output)
        self.assertEqual([error.split()[2] for error in errors[:3]], ["hasty", "lazy", "greedy"], output)
        self.assertEqual(errors[3:], ['fixture: the row "idle complexity" was not measured'])
        blind = proof.run([CXX, "-std=c++20", "-O1", f"-I{proof.TESTS}", source, "-o", program])  # does not count
        self.assertTrue(blind.ok, blind.output)
        self.assertEqual(len(promises.run_costs(program, rows)[1]), 4)


class Constexpr(Case):
    def test_a_function_is_where_its_body_begins_as_coverage_reports_it(self):
        self.write("slotwise/a.hpp", "namespace slotwise { // \u00e9\nconstexpr int f(int a)\n    noexcept {\n    return a;\n}\nconstexpr int declared();\n"
                   "struct Box {\n    int a, b;\n    constexpr Box() = default;\n    constexpr Box(int c) : a{c},\n        b{2} {\n    }\n"
                   "    int plain() { if constexpr (sizeof(int) > 1) return 1; else return 2; }\n};\n}\n")
        self.assertEqual(constexpr.heads(self.folder / "slotwise"),
                         {("a.hpp", 3): "int f(int a) noexcept", ("a.hpp", 11): "Box(int c) : a{c}, b{2}"})


BODY = """#include "input.hpp"
std::uint64_t fuzz_one(test::Input& in) {
    std::uint64_t steps = 0;
    for (; !in.done(); ++steps) FUZZ_CHECK(in.byte() != 77 || in.byte() != 78 || in.byte() % 4 != 3);
    return steps;
}
#include "driver.hpp"
"""


class Fuzz(Case):
    def test_a_replay_counts_finds_a_planted_fault_and_names_an_input_that_fails_again(self):
        replay = self.folder / "replay"
        built = proof.run([CXX, "-std=c++20", "-O1", f"-I{fuzz.SOURCES}", self.write("body.cpp", BODY), "-o", replay])
        self.assertTrue(built.ok, built.output)
        self.write("corpus/one", "\0" * 15)
        done = proof.run([replay, self.folder / "corpus"])
        self.assertEqual((done.code, done.output, fuzz.counted(done.output)), (0, "fuzz: 1 inputs, 15 operations\n", (1, 15)))
        self.assertEqual(proof.run([replay, self.folder / "absent"]).code, 2)
        self.assertEqual(*(proof.run([replay, "--random", 20, 5]).output for _ in range(2)))
        done = proof.run([replay, "--random", 100_000, 1])
        self.assertFalse(done.ok)
        self.assertIsNone(fuzz.counted(done.output))
        self.assertRegex(done.output.splitlines()[-1], r"^fuzz: failed: --random 1 \d+$")
        self.assertTrue(proof.run([replay, "--write", self.folder / "found", done.output.split()[-1]]).ok)
        self.assertFalse(proof.run([replay, self.folder / "found"]).ok)

    def test_every_family_has_a_corpus_within_its_limits(self):
        self.assertIn("map", fuzz.families())
        for family in fuzz.families():
            files = list((fuzz.CORPUS / family).iterdir())
            self.assertLessEqual(len(files), fuzz.MOST_FILES)
            self.assertLessEqual(sum(path.stat().st_size for path in files), fuzz.MOST_BYTES)


class Lists(Case):
    # Names of template arguments, items, and what tests/config/traits.cpp shows by another name or not where a library is not installed.
    ELSEWHERE = {*"AllocBy Column EqualBy HashBy IndexBy Members Options Tag TimeBy HandleOf AnyMapItem slot_t change_t".split(),
                 *"BasicObserverToken BasicAnySetStorage BasicAnyMapStorage BasicSoaSlotMap GroupIndex KeyedInterface SlotMapInterface".split(),
                 *"BasicSoaVector BasicSoaStruct Fields BasicAnyRows BasicAnySlotMap BasicAnySpan BasicAnyColumnView BasicAnyTSSStorage BasicAnyTSDStorage BasicTSSOps BasicTSDOps BasicBitColumn BasicTickColumn tick_t".split(),
                 *"AnkerlIndex BoostIndex RobinIndex EntityTag BasicPairMatch ArrowFields ArrowPairs".split()}

    def test_the_table_of_traits_has_a_row_for_each_public_type_and_no_other(self):
        public = set(parsed.public_types())
        table = (ROOT / "tests/config/traits.cpp").read_text(encoding="utf-8")
        rows = set(re.findall(r'^ROW\("[tny-]{7}", (?:pmr::)?(\w+)', table, re.MULTILINE))
        self.assertGreater(len(public), 50)
        self.assertEqual((sorted(public - rows - self.ELSEWHERE), sorted((rows | self.ELSEWHERE) - public)), ([], []))

    def test_the_module_exports_what_the_headers_declare(self):
        unit = module.unit({"slotwise": {"Plain", "act"}, "slotwise::bits": {"count"}})
        self.assertEqual(list(module.differences(unit, unit)), [])
        self.assertEqual(list(module.differences(unit, unit.replace("act;", "run;"))),
                         ["-using slotwise::act;", "+using slotwise::run;"])
        code, said = self.command("tools/module.py", "--check")
        self.assertEqual(code, 0, said)


if __name__ == "__main__":
    unittest.main()
