#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Tests tools/verify/mutate.py: it finds the places for mutants and leaves constants alone, a good test kills them all, a useless one none,
and what is claimed to be equivalent must be."""
import json
import unittest

from fixture import Case

CONSTANTS = """#define SLOTWISE_EXPECT(condition, message) ((condition) ? void() : __builtin_abort())
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
    requires(sizeof(T) > 1)
int width(T value) {
    if constexpr (sizeof(T) > 1) return Box<1 + 1>::size();
    SLOTWISE_EXPECT(value > 0, "positive");
    switch (value) {
    case 1: return TOY_TWICE(value + 1);
    default: return 7;
    }
}
}
"""
TOY = """namespace toy {
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
"""
EXPECTED = """
amount < 0 || | negate: amount < 0
amount < 0 || | < to <= in: amount < 0
amount < 0 || | 0 to 1
amount < 0 || | negate: full_
amount < 0 || | negate: amount < 0 || full_
sum_ += amount | delete: sum_ += amount
sum_ += amount | += to -= in: sum_ += amount
++count_ | delete: ++count_
count_ == 0 | negate: count_ == 0
count_ == 0 | 0 to 1
T i = 0 | 0 to 1
T i = 0 | negate: i != count_
T i = 0 | the loop is never entered
T i = 0 | delete: f(i)
other > sum_ | negate: other > sum_
other > sum_ | > to >= in: other > sum_
full_ = true | delete: full_ = true
T sum_ = 0 | 0 to 1
T count_ = 0 | 0 to 1
"""
INVISIBLE = "other > sum_ | > to >= in: other > sum_"  # no test can see which of two equal numbers is returned

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
USELESS = "toy::Counter<int> counter; counter.add(3); counter.add(0); counter.each([](int) {}); (void)counter.larger(3);"
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
CATCH = "#if SLOTWISE_CATCH2_VERSION >= 3\n#include <catch2/catch_all.hpp>\n#else\n#include <catch2/catch.hpp>\n#endif\n"


class Mutate(Case):
    def mutate(self, header, *options, replay=None, unit=None, equivalent=""):
        """(exit code, what it said, the mutants)"""
        self.write("include/slotwise/toy/toy.hpp", f"#ifndef TOY_HPP\n#define TOY_HPP\n{header}#endif\n")
        self.write("tests/support/catch.hpp", CATCH)
        if replay is not None:
            self.write("tests/fuzz/toy.cpp", REPLAY % replay)
        if unit is not None:
            self.write("tests/toy/toy.cpp", UNIT % unit)
        self.write("tools/verify/mutate_equivalent.txt", equivalent)
        code, said = self.command("tools/verify/mutate.py", "toy", "--root", self.folder, *options)
        report = self.folder / "build" / "proof" / "mutate" / "report.json"
        return code, said, json.loads(report.read_text())["mutants"] if report.exists() else []

    def named(self, places):
        """The tool's (line, change) of lines "part of the line of code | change"."""
        code = TOY.splitlines()
        pairs = (line.split(" | ") for line in places.strip().splitlines())
        return sorted((next(i for i, line in enumerate(code, 3) if part in line), change) for part, change in pairs)

    def left(self, mutants, *states):
        return sorted((each["line"], each["change"]) for each in mutants if each["state"] in states)

    def test_the_places_are_found_and_what_the_compiler_evaluates_is_left_alone(self):
        for header, expected, wanted in ((TOY, self.named(EXPECTED), 0), (CONSTANTS, [], 1)):  # nothing to do is no success
            code, said, _ = self.mutate(header, "--list")
            found = [line.split(":", 2)[1:] for line in said.splitlines() if line.startswith("toy/toy.hpp:")]
            self.assertEqual(sorted((int(line), change.strip()) for line, change in found), expected, said)
            self.assertEqual(code, wanted)
        self.assertIn("1 checks (SLOTWISE_EXPECT) are left out", said)

    def test_a_good_replay_kills_all_but_what_no_test_can_see_and_a_useless_one_fails(self):
        code, said, mutants = self.mutate(TOY, replay=GOOD)
        self.assertEqual((code, self.left(mutants, "survived", "never reached")), (0, self.named(INVISIBLE)), said)
        self.assertEqual(said.splitlines()[-1], "mutate: toy 18 of 19 killed (94.7 %); 0 never reached, 0 equivalent, 0 not compilable")
        code, said, mutants = self.mutate(TOY, replay=USELESS)
        self.assertEqual([each for each in mutants if each["state"] == "killed" and each["how"] != "timeout"], [], said)
        self.assertEqual((code, "toy is below 90 %" in said), (1, True), said)

    def test_test_cases_kill_as_well_and_what_no_test_enters_is_said_to_be_so(self):
        code, said, mutants = self.mutate(TOY, unit="toy::Counter<int> counter; counter.add(2); CHECK(counter.sum() == 2);")
        self.assertEqual(code, 1, said)
        self.assertLessEqual(set(self.named("sum_ += amount | delete: sum_ += amount\nT sum_ = 0 | 0 to 1")), set(self.left(mutants, "killed")))
        self.assertIn(self.named("T i = 0 | delete: f(i)")[0], self.left(mutants, "never reached"))

    def test_a_mutant_that_does_not_compile_is_left_out_and_counted(self):
        header = TOY.replace("T larger(T other)", "const char* text() const { return 1 + \"ab\"; }\n    T larger(T other)")
        code, said, _ = self.mutate(header, replay=GOOD + 'CHECK(counter.text()[0] == \'b\');')
        self.assertEqual((code, "1 not compilable" in said), (0, True), said)

    def test_equivalent_mutants_count_neither_way_and_must_be_equivalent(self):
        block = "== toy/toy.hpp\n{}\n    {} => {}\n"
        line = "T larger(T other) const { return other > sum_ ? other : sum_; }"
        listed = block.format(line, "> to >= in: other > sum_", "they are equal")
        wrong = block.format("++count_;", "delete: ++count_", "wrong")
        code, said, mutants = self.mutate(TOY, replay=GOOD, equivalent=listed)
        self.assertEqual((code, len(self.left(mutants, "equivalent")), "18 of 18 killed" in said), (0, 1, True), said)
        for options, text, words in (((), listed + wrong, "listed as equivalent and killed"),
                                     (("--sample", "2"), wrong.replace("++count_;", "--count_;"), "names no mutant")):
            code, said, _ = self.mutate(TOY, *options, replay=GOOD, equivalent=text)
            self.assertEqual((code, words in said), (1, True), said)


if __name__ == "__main__":
    unittest.main()
