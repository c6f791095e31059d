// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The interface that all slot maps share, call by call, and its preconditions.
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <string>

using namespace test;

// proves: SlotMapCore::at throws
TEMPLATE_TEST_CASE("insert, get, at, [], contains, erase and extract do what they say", "[slot_map]", ALL_STORAGES) {
    NothingLeaks objects;
    typename TestType::template map<Tracked> map;
    REQUIRE(map.empty());
    REQUIRE(map.begin() == map.end());
    const auto a = put(map, 1), b = put(map, 2);
    REQUIRE(map.size() == 2);
    REQUIRE(a != b);
    REQUIRE(map.contains(a));
    REQUIRE(map.get(a) != nullptr);
    REQUIRE(number_of(map, b) == 2);
    REQUIRE(map.state(a.index()) == SlotState::live);
    REQUIRE(map.explain(a) == HandleStatus::live);
    set_number(map, a, 10);
    REQUIRE(number_of(map, a) == 10);
    REQUIRE(map.erase(a));
    REQUIRE_FALSE(map.erase(a));
    REQUIRE(map.explain(a) == HandleStatus::stale);
    REQUIRE(map.state(a.index()) == SlotState::free);
    REQUIRE_THROWS_AS(map.at(a), std::out_of_range);
    REQUIRE_THROWS_AS(std::as_const(map).at(a), std::out_of_range);
    const auto taken = map.extract(b);
    REQUIRE(taken.has_value());
    REQUIRE_FALSE(map.extract(b).has_value());
    REQUIRE(map.empty());
}

TEMPLATE_TEST_CASE("reserve_handle, fulfill and cancel: no lookup finds a reserved handle until its element is there",
                   "[slot_map]", ALL_STORAGES) {
    typename TestType::template map<int> map;
    const auto later = map.reserve_handle(), never = map.reserve_handle();
    REQUIRE(map.empty());
    REQUIRE_FALSE(map.contains(later));
    REQUIRE(map.explain(later) == HandleStatus::reserved);
    REQUIRE(map.state(later.index()) == SlotState::reserved);
    REQUIRE_FALSE(map.erase(later));
    REQUIRE(fulfill(map, later, 5));
    REQUIRE(number_of(map, later) == 5);
    REQUIRE_FALSE(fulfill(map, later, 6));
    REQUIRE_FALSE(map.cancel(later));
    REQUIRE(map.cancel(never));
    REQUIRE_FALSE(map.cancel(never));
    REQUIRE_FALSE(fulfill(map, never, 7));
    const auto next = put(map, 8);
    REQUIRE(next.index() == never.index());
    REQUIRE(next.version() > never.version());
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("insert_at undoes an erase under the same handle, and refuses what could resurrect an older one",
                   "[slot_map]", ALL_STORAGES) {
    typename TestType::template map<int> map;
    using handle_type = typename decltype(map)::handle_type;
    const auto first = put(map, 1);
    map.erase(first);
    const auto second = put(map, 2);
    REQUIRE_FALSE(put_at(map, second, 3)); // in use
    REQUIRE_FALSE(put_at(map, first, 3));
    map.erase(second);
    REQUIRE_FALSE(put_at(map, first, 3)); // older than the last one issued
    REQUIRE(put_at(map, second, 4));
    REQUIRE(number_of(map, second) == 4);
    REQUIRE_FALSE(put_at(map, handle_type(9, 2), 5)); // even
    REQUIRE(put_at(map, handle_type(9, 7), 5));
    REQUIRE(put_at(map, handle_type(5, 1), 6)); // in the gap
    REQUIRE(map.size() == 3);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("get_many gives null where one is gone and equal pointers for equal handles", "[slot_map]", test::Paged,
                   test::Dense) {
    typename TestType::template map<int> map;
    const auto a = put(map, 1), b = put(map, 2), gone = put(map, 3);
    map.erase(gone);
    const auto [pa, pg, pb, again] = map.get_many(a, gone, b, a);
    REQUIRE((*pa == 1 && *pb == 2 && pg == nullptr && again == pa));
}

TEMPLATE_TEST_CASE("swap_values exchanges values; the handles stay", "[slot_map]", ALL_STORAGES) {
    NothingLeaks objects;
    typename TestType::template map<Tracked> map;
    const auto a = put(map, 1), b = put(map, 2), gone = put(map, 3);
    map.erase(gone);
    REQUIRE(map.swap_values(a, b));
    REQUIRE(number_of(map, a) == 2);
    REQUIRE(number_of(map, b) == 1);
    REQUIRE_FALSE(map.swap_values(a, gone));
    REQUIRE_FALSE(map.swap_values(gone, b));
    REQUIRE(number_of(map, a) == 2);
}

TEST_CASE("reuse: lifo gives the slot vacated last, fifo the one vacated first, lowest the lowest", "[slot_map]") {
    const auto order = []<Reuse R>(std::integral_constant<Reuse, R>) {
        SlotMap<int, SlotMapOptions{.reuse = R}> map;
        std::vector<Handle<int>> handles;
        for (int i = 0; i != 10; ++i) handles.push_back(map.insert(i));
        for (const std::size_t i : {5u, 2u, 8u}) map.erase(handles[i]);
        std::vector<slot_t> slots;
        for (int i = 0; i != 4; ++i) slots.push_back(map.insert(i).index());
        return slots;
    };
    REQUIRE(order(std::integral_constant<Reuse, Reuse::lifo>{}) == std::vector<slot_t>{8, 2, 5, 10});
    REQUIRE(order(std::integral_constant<Reuse, Reuse::fifo>{}) == std::vector<slot_t>{5, 2, 8, 10});
    REQUIRE(order(std::integral_constant<Reuse, Reuse::lowest>{}) == std::vector<slot_t>{2, 5, 8, 10});
}

TEMPLATE_TEST_CASE("[handle] of a stale handle stops with a message", "[slot_map][death]", ALL_STORAGES) {
    typename TestType::template map<int> map;
    const auto stale = put(map, 1);
    map.erase(stale);
    REQUIRE(dies_saying("no element has this handle", [&] { static_cast<void>(map[stale]); }));
    REQUIRE(dies_saying("no element has this handle", [&] { static_cast<void>(std::as_const(map)[{}]); }));
    REQUIRE_FALSE(dies_saying("", [&] { static_cast<void>(map.get(stale)); }));
}

TEST_CASE("erase(it) of an erased element or of the end stops with a message", "[slot_map][death]") {
    SlotMap<int> map;
    const auto handle = map.insert(1);
    map.insert(2);
    const auto it = map.begin();
    map.erase(handle);
    REQUIRE(dies_saying("the element here was erased", [&] { map.erase(it); }));
    REQUIRE(dies_saying("or it is the end", [&] { map.erase(map.end()); }));
    DenseSlotMap<int> dense;
    dense.insert(1);
    REQUIRE(dies_saying("DenseSlotMap::erase(it)", [&] { dense.erase(dense.end()); }));
    REQUIRE(dies_saying("DenseSlotMap::index_of", [&] { static_cast<void>(dense.index_of({})); }));
    REQUIRE(dies_saying("there are not so many rows", [&] { static_cast<void>(dense.handle_at(1)); }));
}
