# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Tests of tools/verify/throws.py and sweeps.py: what must fail fails."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "verify"))
import sweeps  # noqa: E402
import throws  # noqa: E402

HEADER = """
namespace slotwise {
namespace detail {
struct Part {
    void inherited(int);
    void hidden(int);
};
}
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
template <class T>
class Derived : public Box {
public:
    void insert(T);
};
void fill(Box&);
}
"""
NEEDED = ["Box::(copy)", "Box::inherited", "Box::insert", "Box::operator=(copy)", "Derived::(copy)", "Derived::insert",
          "Derived::operator=(copy)", "fill"]


def reported(names, points="3"):
    return [["throws", name, points, "a test"] for name in names]


class Throws(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        root = pathlib.Path(cls.folder.name)
        (root / "fwd.hpp").write_text("namespace slotwise { class Box; template <class T> class Derived; }\n")
        (root / "box.hpp").write_text("#pragma once\n#include \"fwd.hpp\"\n" + HEADER)
        cls.headers = throws.Headers(root)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def complaint(self, lines, excused=()):
        with self.assertRaises(sweeps.Failed) as failed:
            throws.judge(self.headers, lines, dict.fromkeys(excused, "a reason"))
        return str(failed.exception)

    def test_what_changes_and_may_throw_is_read_from_the_headers(self):
        self.assertEqual(self.headers.required(), NEEDED)

    def test_all_swept_is_well(self):
        pairs, functions, silent = throws.judge(self.headers, reported(NEEDED), {})
        self.assertEqual(pairs, 3 * len(NEEDED))
        self.assertEqual(functions - silent, len(NEEDED))
        self.assertGreater(silent, 3)

    def test_a_function_without_a_sweep_is_named(self):
        for missing in NEEDED:
            text = self.complaint(reported(name for name in NEEDED if name != missing))
            self.assertIn(f"{missing} (", text)
            self.assertEqual(len(text.splitlines()), 1)

    def test_a_function_that_is_noexcept_by_assertion_or_excused_needs_no_sweep(self):
        rest = reported(NEEDED[1:])
        throws.judge(self.headers, rest + [["noexcept", NEEDED[0], "0", "a test"]], {})
        throws.judge(self.headers, rest, {NEEDED[0]: "a reason"})

    def test_a_sweep_in_which_nothing_threw_is_an_error(self):
        text = self.complaint(reported(NEEDED) + [["throws", "Box::insert", "0", "another test"]])
        self.assertIn("Box::insert: nothing threw in the sweep of the test `another test`", text)

    def test_a_sweep_counts_if_one_of_its_runs_threw(self):
        throws.judge(self.headers, reported(NEEDED) + [["throws", "Box::insert", "0", "a test"]], {})

    def test_a_sweep_of_what_there_is_not_is_an_error(self):
        self.assertIn("Box::inset", self.complaint(reported(NEEDED + ["Box::inset"])))

    def test_a_reason_that_is_not_needed_is_an_error(self):
        self.assertIn("need not excuse", self.complaint(reported(NEEDED), ["fill"]))
        self.assertIn("no sweep is asked", self.complaint(reported(NEEDED), ["Box::clear"]))


class Alloc(unittest.TestCase):
    LINES = [["alloc", name, f"setting {number}", operation, "8"]
             for name in ("Box", "Bag") for number in range(16) for operation in ("copy", "swap")]

    def test_all_settings_are_well(self):
        self.assertEqual(sweeps.alloc(self.LINES, ("Box", "Bag")), "alloc: 16 settings x 32 cases over 2 containers, 0 failures")

    def test_a_setting_or_container_that_is_missing_is_named(self):
        with self.assertRaisesRegex(sweeps.Failed, "Bag: 15 of 16 settings"):
            sweeps.alloc([line for line in self.LINES if line[1:3] != ["Bag", "setting 7"]], ("Box", "Bag"))
        with self.assertRaisesRegex(sweeps.Failed, "Jar: no program reports it"):
            sweeps.alloc(self.LINES, ("Box", "Bag", "Jar"))

    def test_an_operation_that_some_setting_leaves_out_is_named(self):
        with self.assertRaisesRegex(sweeps.Failed, "Box, setting 3: no case of `swap`"):
            sweeps.alloc([line for line in self.LINES if line[1:4] != ["Box", "setting 3", "swap"]], ("Box", "Bag"))


class Sweeps(unittest.TestCase):
    """Programs are small scripts here."""

    def run_program(self, text):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "slotwise_test_fixture"
            program.write_text("#!/bin/sh\n" + text)
            program.chmod(0o755)
            return sweeps.run(pathlib.Path(folder), "[throws]", pathlib.Path(folder) / "report.txt")

    def test_the_report_of_a_program_is_read(self):
        lines = self.run_program("printf 'throws\\tBox::insert\\t7\\t%s\\n' \"$1\" >> $SLOTWISE_SWEEP_REPORT\n")
        self.assertEqual(lines, [["throws", "Box::insert", "7", "[throws]"]])

    def test_a_case_that_fails_is_an_error_with_its_output(self):
        with self.assertRaisesRegex(sweeps.Failed, "it leaks"):
            self.run_program("echo x >> $SLOTWISE_SWEEP_REPORT; echo it leaks; exit 1\n")

    def test_a_program_that_reports_nothing_is_an_error(self):
        with self.assertRaisesRegex(sweeps.Failed, "no program reported"):
            self.run_program("exit 0\n")
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(sweeps.Failed, "no program slotwise_test"):
                sweeps.run(pathlib.Path(folder), "[throws]", pathlib.Path(folder) / "report.txt")

    def test_an_exception_needs_a_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            listed = pathlib.Path(folder) / "throws.txt"
            listed.write_text("# comment\nBox::insert: it calls nothing that throws\n")
            self.assertEqual(sweeps.exceptions(listed), {"Box::insert": "it calls nothing that throws"})
            listed.write_text("Box::insert:\n")
            with self.assertRaisesRegex(sweeps.Failed, "with a reason"):
                sweeps.exceptions(listed)


if __name__ == "__main__":
    unittest.main()
