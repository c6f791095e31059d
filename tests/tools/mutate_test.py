#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Tests tools/verify/mutate.py: it finds the places for mutants and leaves constants alone, a good test kills them all, a useless one none,
and what is claimed to be equivalent must be."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "verify" / "mutate.py"

CONSTANTS = """#ifndef TOY_HPP
#define TOY_HPP
#define SLOTWISE_EXPECT(condition, message) ((condition) ? void() : __builtin_abort())
#define TOY_TWICE(x) ((x) + (x))
namespace toy {
inline constexpr int limit = 1 + 2; // 1 + 1
static_assert(limit > 2 && limit != 0);
enum Size { small = 1, large = small + 1 };
template <int N, bool Odd = (N % 2 == 1)>
struct Box {
    int places[N + 1];
    static constexpr bool odd = Odd && N > 0;
    unsigned flag : 1;
    static constexpr int size() noexcept(N < 4) { return sizeof(int[N + 1]); }
};
template <class T>
concept Small = sizeof(T) <= 1;
template <class T>
    requires(sizeof(T) > 1 || Small<T>)
int width(T value) {
    if constexpr (sizeof(T) > 1) return Box<1 + 1>::size();
    SLOTWISE_EXPECT(value > 0, "positive");
    switch (value) {
    case 1: return TOY_TWICE(value + 1);
    default: return 7;
    }
}
} // namespace toy
#endif
"""

TOY = """#ifndef TOY_HPP
#define TOY_HPP
namespace toy {
template <class T>
class Counter {
public:
    void add(T amount) {
        if (amount < 0 || full_) return;
        sum_ += amount;
        ++count_;
    }
    bool empty() const { return count_ == 0; }
    T sum() const { return sum_; }
    template <class F>
    void each(F f) const {
        for (T i = 0; i != count_; ++i) f(i);
    }
    T larger(T other) const { return other > sum_ ? other : sum_; }
    void fill() { full_ = true; }

private:
    T sum_ = 0;
    T count_ = 0;
    bool full_ = false;
};
} // namespace toy
#endif
"""
EXPECTED = [
    ("amount < 0 ||", "negate: amount < 0"),
    ("amount < 0 ||", "< to <= in: amount < 0"),
    ("amount < 0 ||", "0 to 1"),
    ("amount < 0 ||", "negate: full_"),
    ("amount < 0 ||", "negate: amount < 0 || full_"),
    ("sum_ += amount", "delete: sum_ += amount"),
    ("sum_ += amount", "+= to -= in: sum_ += amount"),
    ("++count_", "delete: ++count_"),
    ("count_ == 0", "negate: count_ == 0"),
    ("count_ == 0", "0 to 1"),
    ("T i = 0", "0 to 1"),
    ("T i = 0", "negate: i != count_"),
    ("T i = 0", "the loop is never entered"),
    ("T i = 0", "delete: f(i)"),
    ("other > sum_", "negate: other > sum_"),
    ("other > sum_", "> to >= in: other > sum_"),
    ("full_ = true", "delete: full_ = true"),
    ("T sum_ = 0", "0 to 1"),
    ("T count_ = 0", "0 to 1"),
]
# No test can see which of two equal numbers is returned.
INVISIBLE = [("other > sum_", "> to >= in: other > sum_")]

GOOD = """
    toy::Counter<int> counter;
    int rounds = 0;
    const auto walk = [&] { rounds = 0; counter.each([&](int i) { rounds += 1 + i; if (rounds > 99) std::abort(); }); return rounds; };
    CHECK(counter.empty() && counter.sum() == 0 && walk() == 0);
    counter.add(-5);
    CHECK(counter.empty() && counter.sum() == 0);
    counter.add(1);
    CHECK(!counter.empty() && counter.sum() == 1 && walk() == 1);
    counter.add(3);
    CHECK(counter.sum() == 4 && walk() == 3);
    CHECK(counter.larger(9) == 9 && counter.larger(2) == 4);
    counter.add(0);
    CHECK(walk() == 6);
    counter.fill();
    counter.add(3);
    CHECK(counter.sum() == 4);
"""
USELESS = """
    toy::Counter<int> counter;
    counter.add(-5);
    counter.add(3);
    counter.add(0);
    (void)counter.empty();
    counter.each([](int) {});
    counter.fill();
    (void)counter.larger(3);
"""
REPLAY = """#include <slotwise/toy/toy.hpp>
#include <cstdlib>
#define CHECK(condition) ((condition) ? void() : std::abort())
int main() {%s}
"""
UNIT = """#include <slotwise/toy/toy.hpp>
#include "support/catch.hpp"
#include <cstdlib>
TEST_CASE("nothing, really [just a name]", "[toy]") { CHECK(true); }
TEST_CASE("a counter counts, and sums") {%s}
"""


class Mutate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("tests/support/catch.hpp", "#if SLOTWISE_CATCH2_VERSION >= 3\n#include <catch2/catch_all.hpp>\n#else\n"
                   "#include <catch2/catch.hpp>\n#endif\n")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def mutate(self, header, *options, replay=None, unit=None, equivalent=""):
        self.write("include/slotwise/toy/toy.hpp", header)
        self.write("equivalent.txt", equivalent)
        if replay is not None:
            self.write("tests/fuzz/toy.cpp", REPLAY % replay)
        if unit is not None:
            self.write("tests/toy/toy.cpp", UNIT % unit)
        done = subprocess.run([sys.executable, str(SCRIPT), "toy", "--include", str(self.folder / "include"), "--tests",
                               str(self.folder / "tests"), "--work", str(self.folder / "work"), "--equivalent",
                               str(self.folder / "equivalent.txt"), *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        report = self.folder / "work" / "report.json"
        mutants = json.loads(report.read_text())["mutants"] if report.exists() else []
        return done.returncode, done.stdout, mutants

    def named(self, places, header=TOY):
        """(part of the line, change) as the tool's (line, change)."""
        lines = header.splitlines()
        return sorted((next(i for i, line in enumerate(lines, 1) if code in line), change) for code, change in places)

    def left(self, mutants, *states):
        return sorted((each["line"], each["change"]) for each in mutants if each["state"] in states)

    def test_the_places_are_found(self):
        code, output, _ = self.mutate(TOY, "--list")
        self.assertEqual(code, 0, output)
        found = [line.split(":", 2)[1:] for line in output.splitlines() if line.startswith("toy/toy.hpp:")]
        self.assertEqual(sorted((int(line), change.strip()) for line, change in found), self.named(EXPECTED))

    def test_what_the_compiler_evaluates_is_left_alone_and_so_are_macros(self):
        code, output, _ = self.mutate(CONSTANTS, "--list")
        self.assertEqual([line for line in output.splitlines() if line.startswith("toy/toy.hpp:")], [], output)
        self.assertIn("1 checks (SLOTWISE_EXPECT) are left out", output)
        self.assertEqual(code, 1, "nothing to do is no success")

    def test_a_good_replay_kills_all_but_what_no_test_can_see(self):
        code, output, mutants = self.mutate(TOY, replay=GOOD)
        self.assertEqual(code, 0, output)
        self.assertEqual(self.left(mutants, "survived", "never reached"), self.named(INVISIBLE))
        self.assertEqual(len(mutants), len(EXPECTED))
        self.assertEqual(output.splitlines()[-1],
                         "mutate: toy 18 of 19 killed (94.7 %); 0 never reached, 0 equivalent, 0 not compilable")

    def test_a_useless_replay_kills_none_and_the_tool_fails(self):
        code, output, mutants = self.mutate(TOY, replay=USELESS)
        self.assertEqual(code, 1, output)
        # A loop that does not end is noticed by any program that enters it.
        self.assertEqual([each for each in mutants if each["state"] == "killed" and each["how"] != "timeout"], [], output)
        self.assertIn("toy is below 90 %", output)

    def test_test_cases_kill_as_well_and_what_no_test_enters_is_said_to_be_so(self):
        body = "toy::Counter<int> counter; counter.add(2); CHECK(counter.sum() == 2);"
        code, output, mutants = self.mutate(TOY, unit=body)
        self.assertEqual(code, 1, output)
        killed = self.left(mutants, "killed")
        for place in self.named([("sum_ += amount", "delete: sum_ += amount"), ("T sum_ = 0", "0 to 1")]):
            self.assertIn(place, killed)
        never = self.left(mutants, "never reached")
        self.assertIn(self.named([("T i = 0", "delete: f(i)")])[0], never)
        self.assertIn(f"{len(never)} never reached", output.splitlines()[-1])

    def test_a_mutant_that_does_not_compile_is_left_out_and_counted(self):
        header = TOY.replace("T larger(T other)", "const char* text() const { return 1 + \"ab\"; }\n    T larger(T other)")
        code, output, mutants = self.mutate(header, replay=GOOD + 'CHECK(counter.text()[0] == \'b\');')
        self.assertEqual(code, 0, output)
        self.assertIn("1 not compilable", output.splitlines()[-1])
        self.assertEqual(len(mutants), len(EXPECTED) + 1, "+ to - is gone, 1 to 0 is one more")

    def test_equivalent_mutants_count_neither_way(self):
        block = "file: toy/toy.hpp\ncode: {}\nchange: {}\nreason: {}\n\n"
        line = "T larger(T other) const { return other > sum_ ? other : sum_; }"
        listed = block.format(line, "> to >= in: other > sum_", "they are equal")
        code, output, mutants = self.mutate(TOY, replay=GOOD, equivalent=listed)
        self.assertEqual(code, 0, output)
        self.assertEqual(len(self.left(mutants, "equivalent")), 1)
        self.assertIn("18 of 18 killed", output)
        wrong = block.format("++count_;", "delete: ++count_", "wrong")
        code, output, _ = self.mutate(TOY, replay=GOOD, equivalent=listed + wrong)
        self.assertEqual(code, 1)
        self.assertIn("listed as equivalent and killed", output)
        code, output, _ = self.mutate(TOY, replay=GOOD, equivalent=listed + wrong.replace("++count_;", "--count_;"))
        self.assertEqual(code, 1)
        self.assertIn("names no mutant", output)
        code, output, _ = self.mutate(TOY, "--sample", "2", replay=GOOD, equivalent=wrong.replace("++count_;", "--count_;"))
        self.assertEqual(code, 1, "a sample sees it as well")
        self.assertIn("names no mutant", output)
        self.assertIn("names no mutant", (self.folder / "work" / "report-part.txt").read_text())
        _, output, _ = self.mutate(TOY, "--sample", "2", replay=GOOD, equivalent=listed)
        self.assertNotIn("names no mutant", output)


if __name__ == "__main__":
    unittest.main()
