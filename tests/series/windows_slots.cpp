// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Windows: addresses, handles, slots and memory within one and over many.
#include "semantics.hpp"

#include <random>
#include <set>

using namespace test;

namespace {

template <class R>
using Numbers = TSSStorage<int, Options<with<R>>>;
template <class R>
using Values = TSDStorage<int, int, Options<with<R>>>;

std::vector<int> numbers(int first, int last) {
    std::vector<int> all;
    for (int i = first; i != last; ++i) all.push_back(i);
    return all;
}

} // namespace

//=== what stays ===//

TEMPLATE_TEST_CASE("addresses and handles of what stays are the same over many windows", "[series][windows]",
                   ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"stays", 1}, {"goes", 2}});
    const auto handle = dict.handle_of("stays");
    const int* const value = dict.get("stays");
    const std::string* const key = &dict.key(dict.slot_of("stays"));
    for (int time = 2; time != 60; ++time) {
        auto w = dict.write(time);
        for (int i = 0; i != 50; ++i) w.set("new " + std::to_string(time * 100 + i), i);
        if (time % 3 == 0) w.set("stays", time);
        for (int i = 0; i != 40; ++i) w.remove("new " + std::to_string((time - 1) * 100 + i));
        REQUIRE(dict.handle_of("stays") == handle);
        REQUIRE(dict.get(handle) == value);
        REQUIRE(dict.get("stays") == value);
        REQUIRE(&dict.key(dict.slot_of("stays")) == key);
    }
    CHECK(*value == 57);
    CHECK(dict.check_invariants());
}

TEMPLATE_TEST_CASE("a handle of a removed element never resolves again, though key and slot come back", "[series][windows]",
                   ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}});
    std::vector<typename Prices<TestType>::handle_type> old;
    const slot_t slot = dict.slot_of("a");
    for (int time = 2; time != 20; ++time) {
        auto w = dict.write(time);
        for (int i = 0; i != 3; ++i) {
            old.push_back(dict.handle_of("a"));
            REQUIRE(dict.contains(old.back()));
            w.remove("a");
            REQUIRE_FALSE(dict.contains(old.back()));
            REQUIRE(dict.get(old.back()) == nullptr);
            w.set("a", time);
            REQUIRE(dict.slot_of("a") == slot);
            for (const auto handle : old) {
                REQUIRE_FALSE(dict.contains(handle));
                REQUIRE(dict.get(handle) == nullptr);
                REQUIRE_FALSE(w.remove(handle));
                REQUIRE_THROWS_AS(w.modify(handle), std::out_of_range);
            }
        }
        if (time % 4 == 0)
            w.remove("a"), w.close(), dict.write(time + 1).set("a", 0), ++time; // erased in between, not only removed
    }
    const std::set<std::pair<slot_t, std::uint64_t>> different = [&] {
        std::set<std::pair<slot_t, std::uint64_t>> all;
        for (const auto handle : old) all.insert({handle.index(), handle.version()});
        return all;
    }();
    CHECK(different.size() == old.size());
}

TEMPLATE_TEST_CASE("the key set's time does not move when values tick", "[series][windows]", ALL_REPRESENTATIONS) {
    auto dict = dict_of<TestType>({{"a", 1}});
    std::int64_t time = 1;
    const auto stays = [&](const char* what, auto&& act) {
        INFO(what);
        act(dict.write(++time));
        CHECK(dict.keys().last_modified() == 1);
        CHECK_FALSE(dict.keys().modified(time));
        CHECK_FALSE(capture(dict, time).keys_ticked);
        CHECK(capture(dict, time).ticked == dict.modified(time));
    };
    stays("set", [](auto w) { w.set("a", 2); });
    CHECK(dict.last_modified() == 2);
    stays("an equal value", [](auto w) { w.set("a", 2); });
    stays("modify", [](auto w) { w.modify("a") = 3; });
    stays("touch", [](auto w) { w.touch(); });
    CHECK(dict.last_modified() == time);
    stays("create of a member", [](auto w) { w.create("a"); });
    CHECK(dict.last_modified() == time - 1);
    stays("remove of none", [](auto w) { w.remove("b"); });
    dict.write(++time).create("b");
    CHECK(dict.keys().last_modified() == time);
    dict.write(++time).remove("b");
    CHECK(dict.keys().last_modified() == time);
}

//=== memory within a window ===//

TEMPLATE_TEST_CASE("growth within a window keeps its delta", "[series][windows]", ALL_REPRESENTATIONS) {
    Values<TestType> dict;
    {
        auto w = dict.write(1);
        for (int i = 0; i != 10; ++i) w.set(i, i);
    }
    const std::size_t capacity = dict.capacity();
    {
        auto w = dict.write(2);
        w.remove(3);
        w.set(4, 44);
        for (int i = 10; i != 10'000; ++i) w.set(i, i);
        w.remove(4), w.set(4, 45);
    }
    REQUIRE(dict.capacity() > capacity);
    CHECK(sorted(dict.removed_items(2)) == std::vector<std::pair<int, int>>{{3, 3}});
    CHECK(sorted(dict.added_keys(2)) == numbers(10, 10'000));
    CHECK(dict.modified_keys(2).size() == 9'991);
    CHECK(dict.at(4) == 45);
    CHECK_FALSE(dict.was_added(4, 2));
    CHECK(dict.check_invariants());
}

TEMPLATE_TEST_CASE("reserve and shrink_to_fit within a window keep its delta", "[series][windows]", ALL_REPRESENTATIONS) {
    Values<TestType> dict;
    {
        auto w = dict.write(1);
        for (int i = 0; i != 5'000; ++i) w.set(i, i);
    }
    {
        auto w = dict.write(2);
        for (int i = 5'000; i-- != 100;) w.remove(i);
        w.set(5, 55);
    }
    dict.write(3).close(); // the slots are free now
    {
        auto w = dict.write(3);
        w.remove(7), w.set(8, 88), w.set(-1, 1);
    }
    const auto delta = capture(dict, 3);
    const std::size_t before = dict.capacity();
    dict.shrink_to_fit();
    CHECK(dict.capacity() < before);
    CHECK(capture(dict, 3) == delta);
    CHECK(dict.check_invariants());
    const slot_t pending = dict.tracker().removed(3).begin().slot();
    CHECK(dict.value(pending) == 7);
    dict.reserve(20'000);
    CHECK(dict.capacity() >= 20'000);
    CHECK(capture(dict, 3) == delta);
    CHECK(dict.value(pending) == 7);
    CHECK(dict.check_invariants());
    {
        auto w = dict.write(3); // and it goes on
        for (int i = 1'000; i != 4'000; ++i) w.set(i, i);
        w.remove(8);
    }
    CHECK(dict.added_keys(3).size() == 3'001);
    CHECK(sorted(dict.removed_items(3)) == std::vector<std::pair<int, int>>{{7, 7}, {8, 88}});
    dict.shrink_to_fit();
    CHECK(dict.added_keys(3).size() == 3'001);
    CHECK(dict.check_invariants());
    dict.write(4).clear();
    dict.shrink_to_fit(); // who was removed is still there to be read
    CHECK(dict.removed_items(4).size() == 3'099);
    CHECK(dict.check_invariants());
    dict.write(5).close();
    dict.shrink_to_fit();
    CHECK(dict.capacity() == 0);
    CHECK(dict.check_invariants());
    dict.write(5).set(1, 1);
    CHECK(sorted(dict.added_keys(5)) == std::vector{1});
}

//=== the same for the same calls ===//

TEST_CASE("deltas come in the order of first change from a list, in slot order from bits; adaptive has one and then the other",
          "[series][windows]") {
    const auto in_order = [](auto set, int many) {
        {
            auto w = set.write(1);
            for (int i = 0; i != 200; ++i) w.add(i);
        }
        auto w = set.write(2);
        for (const int key : {150, 3, 77, 150}) w.remove(key);
        for (int i = 0; i != many; ++i) w.add(1'000 + i);
        std::vector<int> removed;
        for (const int key : set.removed(2)) removed.push_back(key);
        return removed;
    };
    const std::vector first_change{150, 3, 77}, by_slot{3, 77, 150};
    CHECK(in_order(Numbers<DirtyList>(), 0) == first_change);
    CHECK(in_order(Numbers<DirtyList>(), 5'000) == first_change);
    CHECK(in_order(Numbers<Bitmap>(), 0) == by_slot);
    CHECK(in_order(Numbers<Bitmap>(), 5'000) == by_slot);
    CHECK(in_order(Numbers<Adaptive>(), 0) == first_change);
    CHECK(in_order(Numbers<Adaptive>(), 5'000) == by_slot);
}
