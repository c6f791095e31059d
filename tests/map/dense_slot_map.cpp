// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/dense_slot_map.hpp>

using namespace test;

TEST_CASE("DenseSlotMap: values() is packed, and index_of and handle_of_row agree with it", "[dense_slot_map]") {
    NothingLeaks objects;
    DenseSlotMap<Tracked> map;
    std::vector<DenseSlotMap<Tracked>::handle_type> handles;
    for (int i = 0; i != 100; ++i) handles.push_back(map.emplace(i));
    for (std::size_t i = 0; i < 100; i += 3) map.erase(handles[i]);
    REQUIRE(map.values().size() == map.size());
    for (std::size_t row = 0; row != map.size(); ++row) {
        REQUIRE(&map.values()[row] == map.get(map.handle_of_row(row)));
        REQUIRE(map.index_of(map.handle_of_row(row)) == row);
        REQUIRE(map.handle_of(&map.values()[row]) == map.handle_of_row(row));
    }
    REQUIRE(reinterpret_cast<std::uintptr_t>(map.values().data()) % 64 == 0);
}

TEST_CASE("DenseSlotMap: erase moves the last element into the gap", "[dense_slot_map]") {
    DenseSlotMap<int> map;
    const auto a = map.insert(1);
    map.insert(2);
    const auto c = map.insert(3);
    map.erase(a);
    REQUIRE(map.values()[0] == 3);
    REQUIRE(map.index_of(c) == 0);
}

TEST_CASE("DenseSlotMap: sort orders the rows and the handles follow", "[dense_slot_map]") {
    NothingLeaks objects;
    Random random(5);
    for (const int count : {0, 1, 2, 3, 64, 501}) {
        CAPTURE(count);
        DenseSlotMap<Tracked> map;
        std::vector<std::pair<DenseSlotMap<Tracked>::handle_type, int>> all;
        for (int i = 0; i != count; ++i) {
            const int value = static_cast<int>(random.below(100));
            all.emplace_back(map.emplace(value), value);
        }
        map.sort([](const Tracked& a, const Tracked& b) { return a < b; });
        REQUIRE(std::is_sorted(map.begin(), map.end()));
        for (const auto& [handle, value] : all) REQUIRE(map[handle].value() == value);
        REQUIRE(map.size() == all.size());
        REQUIRE(map.check_invariants());
    }
}

TEST_CASE("DenseSlotMap: a sort whose order throws leaves every handle with its value", "[dense_slot_map][throws]") {
    NothingLeaks objects;
    const auto failures = fail_at_every_step(swept<DenseSlotMap<MoveOnly>>("sort"), [](auto&& attempt) {
        DenseSlotMap<MoveOnly> map;
        std::vector<DenseSlotMap<MoveOnly>::handle_type> handles;
        for (int i = 0; i != 12; ++i) handles.push_back(map.emplace((i * 7) % 12));
        attempt([&] {
            map.sort([](const MoveOnly& a, const MoveOnly& b) {
                Budget::spend();
                return a < b;
            });
        });
        for (int i = 0; i != 12; ++i) REQUIRE(map[handles[static_cast<std::size_t>(i)]].value() == (i * 7) % 12);
        REQUIRE(map.check_invariants());
    });
    REQUIRE(failures > 12);
}

TEST_CASE("insert_at of ascending slots grows geometrically, not slot by slot", "[map]") {
    struct Counts final : SlotObserver {
        int growths = 0;
        void on_capacity(slot_t before, slot_t after) override { growths += after > before; }
    } counts;
    DenseSlotMap<int> map;
    const auto token = map.attach(counts);
    for (slot_t slot = 0; slot != 5000; ++slot) REQUIRE(map.insert_at(DenseSlotMap<int>::handle_type(slot, 1), 1) != nullptr);
    CHECK(counts.growths > 0);
    CHECK(counts.growths < 20);
    CHECK(map.check_invariants());
}
TEST_CASE("DenseSlotMap: ranges and lists are inserted, and sort() is by operator<", "[dense_slot_map]") {
    const std::vector<int> values{5, 3};
    DenseSlotMap<int> map;
    map.insert(values.begin(), values.end());
    map.insert_range({4, 1});
    map.sort();
    REQUIRE(std::ranges::equal(map, std::vector{1, 3, 4, 5}));
}
