#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""tools/verify/promises.py finds the promises of doc comments and tables, and reports what no test names, what names nothing, and what
costs more or less than it says."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "verify"))
import promises  # noqa: E402

HEADER = """\
#pragma once
namespace slotwise {
/// A list. @invalidates itself when it grows
template <class T>
    requires(sizeof(T) > 1)
class List {
public:
    /// @throws what the copies throw
    constexpr List(const List& other);
    /// Adds a value. @pre there is room @throws std::length_error when it is full,
    /// strong @complexity O(1)
    template <class U>
    void insert(U&& value, int more = 0) {}
    /// The same. @throws nothing
    void insert(const T* first, const T* last = nullptr) noexcept(sizeof(T) == 1);
    /// @complexity O(1)
    int size() const { return 1; }
    /// @throws std::out_of_range
    T& operator[](unsigned i);
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
NAMES = {
    "List invalidates": "itself when it grows",
    "List::List throws": "what the copies throw",
    "List::insert(value, more) throws": "std::length_error when it is full, strong",
    "List::insert complexity": "O(1)",
    "List::insert(first, last) throws": "nothing",
    "List::size complexity": "O(1)",
    "List::operator[] throws": "std::out_of_range",
    "List::Inner::walk complexity": "linear",
    "give_up throws": "std::bad_alloc",
}
TABLE = "# what is promised\noperation | exceptions | handles\nmap insert | strong, any T | valid\nmap clear / reset | noexcept |\n"
PROGRAM = """\
#include "proof/counted.hpp"
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


def of(header):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "slotwise").mkdir()
        (pathlib.Path(folder) / "slotwise" / "a.hpp").write_text(header)
        return promises.promises_of(pathlib.Path(folder) / "slotwise")


class DocComments(unittest.TestCase):
    def test_every_kind_of_declaration(self):
        found, errors = of(HEADER)
        self.assertEqual(errors, [])
        self.assertEqual({name: promise.text for name, promise in found.items()}, NAMES)
        self.assertEqual(found["List::insert(value, more) throws"].where, "a.hpp:10")

    def test_overloads_that_cannot_be_told_apart_by_parameters(self):
        found, errors = of("struct A {\n/// @throws x\nvoid f(int a) &;\n/// @throws y\nvoid f(int a) const&;\n};\n")
        self.assertEqual(errors, [])
        self.assertEqual([(name, found[name].text) for name in found], [("A::f(a) throws", "x"), ("A::f(a) throws #2", "y")])

    def test_promises_of_nobody_and_without_text_are_reported(self):
        for header in ("/// @throws x\n", "void f() {\n    /// @throws x\n    g();\n}\n",
                       "struct A {\n    // @complexity O(1)\n    void f();\n};\n", "/// @throws\nvoid f();\n"):
            self.assertEqual(len(of(header)[1]), 1, header)


class Tests(unittest.TestCase):
    def test_names_above_test_cases(self):
        text = ("// proves: A::f(a, b) throws, table map clear / reset / exceptions\n// proves: B invalidates\n"
                "TEMPLATE_TEST_CASE(\"x\") {}\n  // proves: C throws\n  TEST_CASE(\"y\") {}\n")
        proofs, errors = promises.proofs_of({"t.cpp": text})
        self.assertEqual(errors, [])
        self.assertEqual(proofs, [("A::f(a, b) throws", "t.cpp:1"), ("table map clear / reset / exceptions", "t.cpp:1"),
                                  ("B invalidates", "t.cpp:2"), ("C throws", "t.cpp:4")])

    def test_names_above_anything_else_are_reported(self):
        for text in ("// proves: A throws\n\nTEST_CASE(\"x\") {}\n", "// proves: A throws\nint a;\n", "// proves: A throws\n",
                     "// proves: A throws\n// and more\nTEST_CASE(\"x\") {}\n"):
            proofs, errors = promises.proofs_of({"t.cpp": text})
            self.assertEqual((proofs, len(errors)), ([], 1), text)
            self.assertIn("t.cpp:1", errors[0])

    def test_rows(self):
        text = 'void f() {\n    row("A::f complexity", "elements", constant, [] {});\n    row(\n        "B complexity", x);\n}\n'
        self.assertEqual(promises.rows_of(text, "c.cpp"), [("A::f complexity", "c.cpp:2"), ("B complexity", "c.cpp:3")])


class Comparison(unittest.TestCase):
    def setUp(self):
        self.promises, _ = of(HEADER)
        self.proofs = [(name, "t.cpp:1") for name in NAMES if "complexity" not in name]
        self.rows = [(name, "c.cpp:1") for name in NAMES if "complexity" in name]

    def errors(self):
        return promises.compare(self.promises, self.proofs, self.rows)

    def test_all_is_named(self):
        self.assertEqual(self.errors(), [])

    def test_a_promise_that_no_test_names(self):
        self.proofs.remove(("List invalidates", "t.cpp:1"))
        self.assertEqual(self.errors(), ['a.hpp:3: no test names "List invalidates": itself when it grows'])

    def test_a_complexity_without_a_row(self):
        self.rows.remove(("List::size complexity", "c.cpp:1"))
        self.assertEqual(self.errors(), ['a.hpp:16: no row of complexity.cpp names "List::size complexity": O(1)'])

    def test_a_name_of_no_promise(self):
        self.proofs.append(("List::insert throws", "t.cpp:9"))
        self.rows.append(("List::insert(value, more) complexity", "c.cpp:9"))
        self.assertEqual(self.errors(), ['t.cpp:9: there is no promise "List::insert throws"',
                                         'c.cpp:9: there is no promise "List::insert(value, more) complexity"'])

    def test_a_complexity_is_not_proved_by_a_test_nor_a_throw_by_a_row(self):
        self.proofs.append(("List::size complexity", "t.cpp:9"))
        self.rows.append(("List invalidates", "c.cpp:9"))
        self.assertEqual(len(self.errors()), 2)


class Tables(unittest.TestCase):
    def test_cells_that_are_not_empty_are_promises(self):
        table = promises.table_of(TABLE)
        self.assertEqual({name: promise.text for name, promise in table.promises("p.txt").items()},
                         {"table map insert / exceptions": "strong, any T", "table map insert / handles": "valid",
                          "table map clear / reset / exceptions": "noexcept"})

    def test_a_row_with_too_few_cells_is_refused(self):
        with self.assertRaises(ValueError):
            promises.table_of(TABLE + "map swap | noexcept\n")

    def test_the_readme_has_this_table(self):
        table = promises.table_of(TABLE)
        readme = f"# x\n{promises.MARKERS[0]}\n{table.markdown()}{promises.MARKERS[1]}\n"
        self.assertEqual(table.markdown().splitlines()[3], "| map clear / reset | noexcept | |")
        self.assertEqual(promises.document_error(readme, table), "")
        self.assertIn("is not what", promises.document_error(readme.replace("valid", "invalid"), table))
        self.assertIn("belongs between", promises.document_error("# x\n", table))


class Costs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source = self.folder / "fixture.cpp"
        self.source.write_text(PROGRAM)
        self.rows = promises.rows_of(PROGRAM, "fixture.cpp")

    def test_wrong_claims_are_reported_and_right_ones_are_not(self):
        program, error = promises.build_costs(self.source, self.folder)
        self.assertEqual(error, "")
        output, errors = promises.run_costs(program, self.rows)
        self.assertIn("complexity: 4 rows, 0 controls, 3 failures", output)
        self.assertEqual([error.split()[2] for error in errors], ["hasty", "lazy", "greedy"], output)
        self.assertIn("it allocates", errors[2])
        self.assertEqual(promises.run_costs(program, self.rows)[0], output)  # the same in every run
        _, errors = promises.run_costs(program, [*self.rows, ("idle complexity", "c.cpp:1")])
        self.assertIn('complexity: the row "idle complexity" was not measured', errors)

    def test_a_program_that_does_not_count_proves_nothing(self):
        program = self.folder / "blind"
        command = [promises.proof.gcc(), "-std=c++20", "-O1", f"-I{promises.proof.TESTS}", self.source, "-o", program]
        subprocess.run([str(part) for part in command], check=True)
        output, errors = promises.run_costs(program, self.rows)
        self.assertEqual(len(errors), 4, output)

    def test_a_source_that_does_not_compile_is_reported(self):
        self.source.write_text("int main() { return nothing; }\n")
        self.assertIn("does not compile", promises.build_costs(self.source, self.folder)[1])


if __name__ == "__main__":
    unittest.main()
