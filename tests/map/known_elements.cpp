// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Elements that the caller knows to be there: emplace_ref, erase_at(slot), erase(address).
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/any_slot_map.hpp>

#include <type_traits>

using namespace test;

TEMPLATE_TEST_CASE("emplace_ref gives the handle and the element itself", "[known]", ALL_STORAGES) {
    typename TestType::template map<Tracked> map;
    std::vector<typename decltype(map)::handle_type> handles;
    for (int i = 0; i != 300; ++i) handles.push_back(put_ref(map, i));
    for (int i = 0; i != 300; ++i) REQUIRE(number_of(map, handles[static_cast<std::size_t>(i)]) == i);
    REQUIRE(map.erase(handles[7]));
    REQUIRE(put_ref(map, 77).index() == 7);
}

TEST_CASE("emplace_ref of a described map gives the address of the element", "[known]") {
    AnySlotMap map(TypeDescriptor::of<int>());
    const int value = 5;
    auto [handle, address] = map.emplace_ref(AnyValue::copied(&value));
    REQUIRE(address == map.get(handle));
    REQUIRE(*static_cast<int*>(address) == 5);
    REQUIRE(map.erase_at(handle.index()));
    REQUIRE(map.empty());
}

TEMPLATE_TEST_CASE("erase_at(slot) ends what lives there, as erase(handle) does, and answers any slot", "[known][promises]",
                   ALL_STORAGES) {
    typename TestType::template map<Tracked> map, twin;
    STATIC_REQUIRE(noexcept(map.erase_at(slot_t{})));
    std::vector<typename decltype(map)::handle_type> handles;
    for (int i = 0; i != 200; ++i) handles.push_back(put(map, i)), put(twin, i);
    for (const slot_t slot : {0u, 199u, 64u, 63u, 100u}) {
        REQUIRE(map.erase_at(slot));
        REQUIRE(twin.erase(handles[slot]));
        REQUIRE_FALSE(map.erase_at(slot));
        REQUIRE_FALSE(map.contains(handles[slot]));
    }
    for (const slot_t slot : {slot_t{200}, slot_t{5000}, no_slot}) REQUIRE_FALSE(map.erase_at(slot));
    const auto promised = map.reserve_handle();
    REQUIRE_FALSE(map.erase_at(promised.index()));
    REQUIRE(map.explain(promised) == HandleStatus::reserved);
    REQUIRE(map.cancel(promised));
    REQUIRE(twin.cancel(twin.reserve_handle()));
    REQUIRE(contents(map) == contents(twin));
    REQUIRE(futures(map) == futures(twin));
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("erase(address) ends the element there, and knows the addresses of no other map", "[known][promises]",
                   test::Paged, test::Reserved, test::Dense) {
    typename TestType::template map<Tracked> map, other;
    std::vector<typename decltype(map)::handle_type> handles;
    for (int i = 0; i != 2000; ++i) handles.push_back(put(map, i));
    const auto foreign = put(other, 1);
    Tracked local(1);
    STATIC_REQUIRE(noexcept(map.erase(&local)));
    for (const std::size_t i : {0u, 1999u, 64u, 63u, 1000u}) {
        const Tracked* const address = map.get(handles[i]);
        REQUIRE(map.erase(address));
        REQUIRE_FALSE(map.contains(handles[i]));
        if constexpr (is_paged<decltype(map)>) REQUIRE_FALSE(map.erase(address)); // dense: the last element has come
    }
    REQUIRE(map.size() == 1995);
    REQUIRE_FALSE(map.erase(&local));
    REQUIRE_FALSE(map.erase(other.get(foreign)));
    REQUIRE_FALSE(map.erase(static_cast<Tracked*>(nullptr)));
    for (std::size_t i = 2; i != 60; ++i) REQUIRE(number_of(map, handles[i]) == static_cast<int>(i));
    REQUIRE(map.check_invariants());
}

TEST_CASE("a number that is no slot_t is not taken for a slot, nor for a handle", "[known]") {
    const auto erases_at = []<class Map, class Number>(Map&&, Number) { return requires(Map m, Number n) { m.erase_at(n); }; };
    const auto erases = []<class Map, class Number>(Map&&, Number) { return requires(Map m, Number n) { m.erase(n); }; };
    SlotMap<int> map;
    STATIC_REQUIRE(std::is_same_v<slot_t, std::uint32_t>);
    REQUIRE(erases_at(map, slot_t{}));
    REQUIRE_FALSE(erases_at(map, 1));
    REQUIRE_FALSE(erases_at(map, std::uint64_t{1}));
    REQUIRE_FALSE(erases_at(map, SlotMap<int>::handle_type()));
    REQUIRE_FALSE(erases(map, slot_t{}));
    REQUIRE_FALSE(erases(map, 0));
}
