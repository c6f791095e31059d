// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Windows: which time opens one, what it says, and what is readable until it rolls.
#include "semantics.hpp"
#include "support/tracked.hpp"

#include <limits>
#include <set>

using namespace test;

namespace {

template <class R>
using Numbers = TSSStorage<int, Options<with<R>>>;
template <class R>
using Values = TSDStorage<int, int, Options<with<R>>>;

} // namespace

//=== which window ===//

TEMPLATE_TEST_CASE("a newer time opens a window; late and equal times join the open one", "[series][windows]",
                   ALL_REPRESENTATIONS) {
    Values<TestType> dict;
    CHECK(dict.write(10).time() == 10);
    {
        auto w = dict.write(10);
        w.set(1, 1);
    }
    for (const std::int64_t time : {std::int64_t{9}, std::int64_t{0}, std::int64_t{-7}, never + 1, std::int64_t{10}}) {
        CAPTURE(time);
        auto w = dict.write_late(time);
        CHECK(w.time() == 10);
        w.set(2, 2);
        CHECK(dict.last_modified(2) == 10);
        CHECK(sorted(dict.added_keys(10)) == std::vector{1, 2});
        if (time != 10) CHECK(dict.added_keys(time).empty());
        w.remove(2);
        CHECK(sorted(dict.added_keys(10)) == std::vector{1});
    }
    CHECK(dict.window() == 10);
    CHECK(dict.write(11).time() == 11);
    CHECK(dict.added_keys(11).empty());
    CHECK(dict.last_modified() == 10);
    CHECK(dict.check_invariants());
}

TEMPLATE_TEST_CASE("before the first window nothing is modified, added or removed at any time", "[series][windows]",
                   ALL_REPRESENTATIONS) {
    const Values<TestType> dict;
    CHECK(dict.window() == never);
    for (const std::int64_t time : {never, std::int64_t{-1}, std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
        CAPTURE(time);
        CHECK_FALSE(dict.modified(time));
        CHECK_FALSE(dict.modified(1, time));
        CHECK_FALSE(dict.was_added(1, time));
        CHECK_FALSE(dict.was_removed(1, time));
        CHECK(dict.added_keys(time).empty());
        CHECK(dict.removed_items(time).empty());
        CHECK(dict.modified_items(time).empty());
        CHECK(dict.keys().added(time).empty());
        const auto delta = capture(dict, time);
        CHECK(delta.empty());
        CHECK_FALSE(delta.ticked);
        CHECK_FALSE(delta.keys_ticked);
    }
    CHECK(dict.check_invariants());
}

TEMPLATE_TEST_CASE("times may be negative, and as late as can be", "[series][windows]", ALL_REPRESENTATIONS) {
    constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
    Numbers<TestType> set;
    int key = 0;
    for (const std::int64_t time : {never + 1, std::int64_t{-1'000}, std::int64_t{-1}, std::int64_t{0}, last}) {
        CAPTURE(time);
        set.write(time).add(++key);
        CHECK(set.window() == time);
        CHECK(sorted(set.added(time)) == std::vector{key});
        CHECK(set.modified(time));
    }
    set.write_late(-1).add(++key);
    CHECK(set.window() == last);
    CHECK(sorted(set.added(last)) == std::vector{key - 1, key});
}

TEST_CASE("the lowest time of any type is never, and is refused; so is what is no number", "[series][windows]") {
    const auto refuses = [](auto series, auto time) {
        CHECK(says(refusal([&] { series.write(time).close(); }), "never"));
        CHECK(series.window() == series.never);
        CHECK_FALSE(series.valid());
    };
    refuses(TSSStorage<int, TimeBy<int>>(), std::numeric_limits<int>::min());
    refuses(TSSStorage<int, TimeBy<unsigned>>(), 0u);
    refuses(TSSStorage<int, TimeBy<double>>(), -std::numeric_limits<double>::infinity());
    refuses(TSSStorage<int, TimeBy<double>>(), std::numeric_limits<double>::quiet_NaN());
    TSSStorage<int, TimeBy<unsigned>> set;
    set.write(1).add(1);
    CHECK(set.modified(1));
    CHECK_FALSE(set.modified(0));
}

TEMPLATE_TEST_CASE("a time refused leaves the open window as it is", "[series][windows]", ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}, {"b", 2}});
    dict.write(2).remove("a");
    CHECK_THROWS_AS(dict.write(never), std::invalid_argument);
    CHECK(sorted(dict.removed_items(2)) == items{{"a", 1}});
    {
        const auto w = dict.write(2);
        CHECK(says(refusal([&] { dict.write(3).close(); }), "newer")); // it would roll under the open writer
        CHECK(dict.window() == 2);
        CHECK(says(refusal([&] { dict.write(1).close(); }), "older"));
        dict.write_late(1).set("c", 3); // to join is no harm
    }
    CHECK(sorted(dict.removed_items(2)) == items{{"a", 1}});
    CHECK(sorted(dict.added_keys(2)) == keys{"c"});
    dict.write(3).close();
    CHECK(dict.window() == 3);
}

TEMPLATE_TEST_CASE("reading never rolls a window, whatever time is asked for", "[series][windows]", ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}, {"b", 2}});
    {
        auto w = dict.write(2);
        w.remove("a"), w.set("b", 3), w.set("c", 4);
    }
    const auto before = capture(dict, 2);
    const auto bytes_of = [](const Prices<TestType>& d) { return std::make_pair(d.pending(), d.window()); };
    const auto state = bytes_of(dict);
    for (const std::int64_t time : {std::int64_t{1}, std::int64_t{3}, std::int64_t{1'000'000}, never}) {
        (void)dict.modified(time), (void)dict.modified("b", time);
        (void)dict.was_added("c", time), (void)dict.was_removed("a", time);
        (void)dict.added_keys(time).size(), (void)dict.removed_keys(time).size(), (void)dict.removed_items(time).size();
        (void)dict.modified_keys(time).size(), (void)dict.modified_items(time).size(), (void)dict.reset_keys(time).size();
        (void)dict.keys().added(time).size(), (void)dict.view().removed_keys(time).size();
        CHECK(capture(dict, time).empty());
        CHECK(capture(dict, time).time == time);
    }
    CHECK(bytes_of(dict) == state);
    CHECK(capture(dict, 2) == before);
    CHECK(sorted(dict.removed_items(2)) == items{{"a", 1}});
}

//=== stale surfaces ===//

TEMPLATE_TEST_CASE("a range kept over a roll is empty, and so is one of another time", "[series][windows]",
                   ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}, {"b", 2}});
    {
        auto w = dict.write(2);
        w.remove("a"), w.set("b", 3), w.set("c", 4);
    }
    const auto added = dict.added_keys(2), removed = dict.removed_keys(2), modified = dict.modified_keys(2);
    const auto removed_items = dict.removed_items(2), modified_items = dict.modified_items(2);
    const auto touched = dict.tracker().touched(2);
    CHECK(sorted(added) == keys{"c"});
    CHECK(sorted(removed_items) == items{{"a", 1}});
    CHECK(sorted(modified_items) == items{{"b", 3}, {"c", 4}});
    CHECK(touched.size() == 3);
    dict.write(3).set("b", 5);
    for (const auto* range : {&added, &removed, &modified}) {
        CHECK(range->empty());
        CHECK(range->size() == 0);
        CHECK(range->begin() == range->end());
    }
    CHECK(removed_items.empty());
    CHECK(modified_items.empty());
    CHECK(touched.empty());
    CHECK(dict.modified_items(2).empty());
    CHECK(sorted(dict.modified_items(3)) == items{{"b", 5}});
    CHECK_FALSE(dict.was_added("c", 2));
    CHECK_FALSE(dict.was_removed("a", 2));
    CHECK(capture(dict, 2).empty());
    CHECK_FALSE(capture(dict, 2).ticked); // it ticked then, but that is not to be had any more
}

TEMPLATE_TEST_CASE("an opened window without writes has no delta, and hides the one before", "[series][windows]",
                   ALL_REPRESENTATIONS) {
    auto set = set_of<TestType>({"a"});
    set.write(2).add("b");
    set.write(3).close();
    CHECK(set.window() == 3);
    CHECK(set.added(2).empty());
    CHECK(set.added(3).empty());
    CHECK_FALSE(set.modified(3));
    CHECK(set.modified(2)); // the time of the last write is no delta
    CHECK(set.last_modified() == 2);
}

//=== what was removed ===//

TEST_CASE("removed keys and values stay where they are until the window rolls; nothing is copied or moved for it",
          "[series][windows]") {
    // Neither can be copied; and each object is known by its address.
    struct Hash {
        std::size_t operator()(const MoveOnly& key) const noexcept { return static_cast<std::size_t>(key.value()); }
    };
    const NothingLeaks scope;
    {
        TSDStorage<MoveOnly, MoveOnly, HashBy<Hash>> dict;
        {
            auto w = dict.write(1);
            for (int i = 0; i != 100; ++i) w.set(MoveOnly(i), MoveOnly(1000 + i));
        }
        CHECK(scope.alive() == 200);
        const slot_t slot = dict.slot_of(MoveOnly(7));
        const MoveOnly *const where = &dict.value(slot), *const key = &dict.key(slot);
        {
            auto w = dict.write(2);
            w.remove(MoveOnly(7));
            CHECK(scope.alive() == 200);
            for (int i = 100; i != 2'000; ++i) w.set(MoveOnly(i), MoveOnly(1000 + i)); // it grows
        }
        CHECK(&dict.value(slot) == where);
        CHECK(&dict.key(slot) == key);
        for (const auto [k, v] : dict.removed_items(2)) {
            CHECK(&k == key);
            CHECK(&v == where);
            CHECK(k.value() == 7);
            CHECK(v.value() == 1007);
        }
        CHECK(dict.removed_items(2).size() == 1);
        CHECK(&*dict.removed_keys(2).begin() == key);
        CHECK(scope.alive() == 4'000);
        dict.write(3).close();
        CHECK(scope.alive() == 3'998);
    }
}

TEMPLATE_TEST_CASE("a slot freed in a window is not given out in it, but is in later ones", "[series][windows]",
                   ALL_REPRESENTATIONS) {
    constexpr int count = 3'000;
    Values<TestType> dict;
    {
        auto w = dict.write(1);
        for (int i = 0; i != count; ++i) w.set(i, i);
    }
    std::set<slot_t> freed, taken;
    {
        auto w = dict.write(2);
        for (int i = 0; i != count; ++i) {
            freed.insert(dict.slot_of(i));
            w.remove(i);
            taken.insert(w.set(count + i, -i).it.slot());
        }
    }
    CHECK(freed.size() == count);
    CHECK(taken.size() == count);
    for (const slot_t slot : taken) REQUIRE(freed.count(slot) == 0);
    CHECK(dict.pending() == count);
    for (const auto [key, value] : dict.removed_items(2)) REQUIRE(key == value);
    CHECK(dict.removed_items(2).size() == count);
    CHECK(dict.added_keys(2).size() == count);
    CHECK(dict.check_invariants());
    std::size_t again = 0;
    auto w = dict.write(3);
    CHECK(dict.pending() == 0);
    for (int i = 0; i != count; ++i) again += freed.count(w.set(-1 - i, 0).it.slot());
    CHECK(again == count);
    CHECK(dict.check_invariants());
}
