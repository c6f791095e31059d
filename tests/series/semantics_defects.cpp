// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What earlier designs of window deltas got wrong, defect by defect: none of it is here.
#include "semantics.hpp"

using namespace test;

namespace {

template <class R, Reuse U>
inline constexpr SeriesOptions reusing{.delta = R::representation, .reuse = U};
template <class R, Reuse U>
using NumbersReusing = TSSStorage<int, Options<reusing<R, U>>>;

/// Counts how often keys are compared.
struct CountingEqual {
    static inline std::size_t calls = 0;
    bool operator()(int a, int b) const noexcept { return ++calls, a == b; }
};
template <class R>
using Compared = TSSStorage<int, EqualBy<CountingEqual>, Options<with<R>>>;

std::vector<int> numbers(int first, int last) {
    std::vector<int> all;
    for (int i = first; i != last; ++i) all.push_back(i);
    return all;
}

} // namespace

TEMPLATE_TEST_CASE("a slot that is given back does not cancel: remove A, add B is one removed, one added",
                   "[series][semantics]", ALL_REPRESENTATIONS) {
    const auto check = [](auto set) {
        set.write(1).add(1);
        const slot_t slot = set.slot_of(1);
        {
            auto w = set.write(2);
            w.remove(1);
            w.add(2);
        }
        CHECK(sorted(set.added(2)) == std::vector{2});
        CHECK(sorted(set.removed(2)) == std::vector{1});
        CHECK(set.slot_of(2) != slot);
        set.write(3).add(3); // now it may be
        CHECK(sorted(set.added(3)) == std::vector{3});
        CHECK(set.removed(3).empty());
    };
    check(NumbersReusing<TestType, Reuse::lifo>());
}

TEMPLATE_TEST_CASE("a change is recorded without a search: keys are compared in proportion to the changes",
                   "[series][semantics]", ALL_REPRESENTATIONS) {
    constexpr int pairs = 20'000;
    Compared<TestType> set;
    set.write(1).assign(numbers(0, pairs));
    CountingEqual::calls = 0;
    {
        auto w = set.write(2);
        for (int i = 0; i != pairs; ++i) {
            REQUIRE(w.remove(i));
            REQUIRE(w.add(pairs + i));
        }
    }
    // One where a key is found, few by chance where it is not: quadratic would be two hundred million.
    CHECK(CountingEqual::calls >= pairs);
    CHECK(CountingEqual::calls < 4 * pairs);
    CountingEqual::calls = 0;
    CHECK(sorted(set.added(2)) == numbers(pairs, 2 * pairs));
    CHECK(sorted(set.removed(2)) == numbers(0, pairs));
    CHECK(set.added(2).size() == pairs);
    CHECK(CountingEqual::calls == 0);
    CHECK(set.check_invariants());
}

TEMPLATE_TEST_CASE("removed keys are kept when a removal is cancelled by an add, and when an add is cancelled by a removal",
                   "[series][semantics]", ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a", "b", "c"});
    auto w = set.write(2);
    w.remove("a"), w.remove("b"), w.remove("c");
    w.add("b"); // cancels one removal, the others stay
    CHECK(sorted(set.removed(2)) == keys{"a", "c"});
    w.add("x"), w.remove("x"); // was none before
    CHECK(sorted(set.removed(2)) == keys{"a", "c"});
    w.remove("b"); // and is one again
    CHECK(sorted(set.removed(2)) == keys{"a", "b", "c"});
    CHECK(set.check_invariants());
}

TEMPLATE_TEST_CASE("clear records the old members as removed, and drops the window's additions only", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}, {"b", 2}, {"gone", 3}});
    {
        auto w = dict.write(2);
        w.remove("gone");
    }
    auto w = dict.write(3);
    w.set("new", 4);
    w.clear();
    CHECK(sorted(dict.removed_items(3)) ==
          items{{"a", 1}, {"b", 2}}); // neither who came in the window nor who had gone before it
    CHECK(dict.added_keys(3).empty());
    w.clear(); // once more: nothing is forgotten
    CHECK(sorted(dict.removed_items(3)) == items{{"a", 1}, {"b", 2}});
}

TEMPLATE_TEST_CASE("modified values are known, and removed values are kept until the window rolls", "[series][semantics]",
                   ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}, {"b", 2}, {"c", 3}});
    {
        auto w = dict.write(2);
        w.set("a", 10);
        w.modify("b") += 10;
        w.remove("c");
    }
    CHECK(sorted(dict.modified_items(2)) == items{{"a", 10}, {"b", 12}});
    CHECK(sorted(dict.removed_items(2)) == items{{"c", 3}});
    dict.write(3).set("d", 4);
    CHECK(sorted(dict.modified_items(3)) == items{{"d", 4}});
    CHECK(dict.removed_items(3).empty());
}

TEMPLATE_TEST_CASE("windows open by themselves: deltas do not pile up, and a late or equal time changes no window",
                   "[series][semantics]", ALL_REPRESENTATIONS) {
    Names<TestType> set;
    for (int time = 1; time != 100; ++time) {
        const std::string key = "key " + std::to_string(time);
        set.write(time).add(key);
        REQUIRE(sorted(set.added(time)) == keys{key});
        set.write_late(time / 2 + 1).add("late " + key);
        REQUIRE(set.window() == time);
        REQUIRE(set.added(time).size() == 2);
        set.write(time).touch();
        REQUIRE(set.added(time).size() == 2);
        REQUIRE(set.last_modified() == time);
    }
    CHECK(set.size() == 198);
    CHECK(set.check_invariants());
}

TEMPLATE_TEST_CASE("what was removed when does not depend on the order in which slots are given out again",
                   "[series][semantics]", ALL_REPRESENTATIONS) {
    const auto check = [](auto set) {
        set.write(1).assign(numbers(0, 8));
        for (int time = 2; time != 40; ++time) {
            auto w = set.write(time);
            const int first = (time - 2) * 3; // three go, three come, in slots of those who went in the window before
            for (int i = 0; i != 3; ++i) {
                REQUIRE(w.remove(first + i));
                REQUIRE(w.add(8 + first + i));
            }
            REQUIRE(sorted(set.removed(time)) == numbers(first, first + 3));
            REQUIRE(sorted(set.added(time)) == numbers(8 + first, 8 + first + 3));
            REQUIRE(set.removed(time - 1).empty());
        }
        REQUIRE(set.check_invariants());
        slot_t highest = 0;
        for (const slot_t slot : set.slots()) highest = std::max(highest, slot);
        CHECK(highest < 16); // slots are given out again, only not at once
    };
    check(NumbersReusing<TestType, Reuse::lifo>());
}
TEST_CASE("what was removed when is known too where the slot that rested longest is given out first", "[series][semantics]") {
    NumbersReusing<Adaptive, Reuse::fifo> set;
    set.write(1).assign(numbers(0, 100));
    for (int time = 2; time != 60; ++time) {
        auto w = set.write(time);
        for (int i = 0; i != 40; ++i) REQUIRE(w.remove((time - 2) * 40 + i));
        for (int i = 0; i != 40; ++i) REQUIRE(w.add((time - 2) * 40 + 100 + i));
        REQUIRE(sorted(set.removed(time)) == numbers((time - 2) * 40, (time - 1) * 40));
        REQUIRE(sorted(set.added(time)) == numbers((time - 2) * 40 + 100, (time - 1) * 40 + 100));
    }
    CHECK(set.check_invariants());
}
