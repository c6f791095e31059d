// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Walking a map, and changing it meanwhile as its documentation allows.
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <any>
#include <iterator>
#include <memory>
#include <numeric>
#include <ranges>
#include <set>

namespace {

using namespace test;

template <class Storage, class T = int>
using Small = typename Storage::template map<T, SlotMapOptions{.page_slots = 64}>;

/// Elements 0, 1, 2 ... in slots 0, 1, 2 ...; every one whose number `gone` answers true to is erased.
template <class Map, class Gone>
std::vector<typename Map::handle_type> fill(Map& map, int count, Gone gone) {
    std::vector<typename Map::handle_type> handles;
    for (int i = 0; i != count; ++i) handles.push_back(put(map, i));
    for (int i = 0; i != count; ++i)
        if (gone(i)) map.erase(handles[static_cast<std::size_t>(i)]);
    return handles;
}

template <class Map>
std::multiset<int> numbers(Map& map) {
    std::multiset<int> all;
    for (auto&& element : map) all.insert(test::detail::number_at(element));
    return all;
}

} // namespace

static_assert(std::forward_iterator<SlotMap<int>::iterator>);
static_assert(std::forward_iterator<SlotMap<int>::const_iterator>);
static_assert(std::ranges::forward_range<SlotMap<int>>);
static_assert(std::ranges::forward_range<const SlotMap<int>>);
static_assert(std::contiguous_iterator<DenseSlotMap<int>::iterator>);
static_assert(std::ranges::contiguous_range<DenseSlotMap<int>>);
static_assert(std::ranges::sized_range<DenseSlotMap<int>>);
static_assert(!std::sortable<DenseSlotMap<int>::iterator> &&
              !std::sortable<SlotMap<int>::iterator>); // values would change handles
static_assert(!std::permutable<DenseSlotMap<std::any>::iterator>);
static_assert(!std::permutable<SoaSlotMap<int, char>::iterator> && !std::permutable<SlotMap<std::any>::iterator>);
static_assert(std::contiguous_iterator<DenseSlotMap<std::any>::iterator>);
static_assert(std::ranges::forward_range<SoaSlotMap<int, char>>);
static_assert(std::ranges::forward_range<decltype(std::declval<SlotMap<int>&>().handles())>);
static_assert(std::ranges::forward_range<decltype(std::declval<SlotMap<int>&>().items())>);
static_assert(std::ranges::forward_range<decltype(std::declval<SlotMap<int>&>().slots())>);
static_assert(std::ranges::forward_range<decltype(std::declval<SlotMap<int>&>().chunks())>);
static_assert(std::ranges::forward_range<decltype(std::declval<SoaSlotMap<int, char>&>().rows())>);

TEMPLATE_TEST_CASE("every way of walking visits every live element once, at every density", "[iteration]", ALL_STORAGES) {
    for (const int count : {0, 1, 63, 64, 65, 128, 700})
        for (const int keep_every : {1, 2, 10, 64, 1000}) {
            CAPTURE(count, keep_every);
            Small<TestType> map;
            fill(map, count, [&](int i) { return i % keep_every != keep_every / 2; });
            std::multiset<int> expected;
            for (int i = 0; i != count; ++i)
                if (i % keep_every == keep_every / 2) expected.insert(i);
            REQUIRE(numbers(map) == expected);
            REQUIRE(numbers(std::as_const(map)) == expected);
            std::multiset<int> items, each, named, by_slot, by_handle;
            for (auto [handle, value] : map.items()) {
                REQUIRE(number_of(map, handle) == test::detail::number_at(value));
                items.insert(test::detail::number_at(value));
            }
            map.for_each([&](auto& value, auto&...) { each.insert(value); });
            map.for_each([&](typename decltype(map)::handle_type handle, auto& value, auto&...) {
                REQUIRE(number_of(map, handle) == value);
                named.insert(value);
            });
            slot_t previous = 0;
            for (const slot_t slot : map.slots()) {
                REQUIRE((by_slot.empty() || slot > previous));
                previous = slot;
                by_slot.insert(number_of(map, map.handle_at(slot)));
            }
            for (const auto handle : map.handles()) by_handle.insert(number_of(map, handle));
            REQUIRE(items == expected);
            REQUIRE(each == expected);
            REQUIRE(named == expected);
            REQUIRE(by_slot == expected);
            REQUIRE(by_handle == expected);
            REQUIRE(map.occupancy().count() == expected.size());
            REQUIRE(map.items().size() == expected.size());
            REQUIRE(static_cast<std::size_t>(std::distance(map.begin(), map.end())) == expected.size());
        }
}

TEMPLATE_TEST_CASE("erase(iterator) returns where to go on; a loop of it empties the map and visits all once", "[iteration]",
                   ALL_STORAGES) {
    Small<TestType> map;
    fill(map, 300, [](int i) { return i % 3 == 0; });
    std::multiset<int> expected = numbers(map), visited;
    for (auto it = map.begin(); it != map.end();) {
        visited.insert(test::detail::number_at(*it));
        it = map.erase(it);
        REQUIRE(map.check_invariants());
    }
    REQUIRE(visited == expected);
    REQUIRE(map.empty());
    fill(map, 300, [](int) { return false; });
    std::multiset<int> kept;
    visited.clear();
    for (auto it = map.begin(); it != map.end();) {
        const int number = test::detail::number_at(*it);
        visited.insert(number);
        if (number % 2 == 0)
            it = map.erase(it);
        else {
            kept.insert(number);
            ++it;
        }
    }
    REQUIRE(visited.size() == 300);
    REQUIRE(numbers(map) == kept);
    REQUIRE(kept.size() == 150);
}

TEMPLATE_TEST_CASE("iterators of a SlotMap survive growth and the erase of any element", "[iteration]", test::Paged,
                   test::Reserved) {
    Small<TestType> map;
    const auto handles = fill(map, 200, [](int) { return false; });
    auto it = map.begin();
    std::advance(it, 50);
    REQUIRE(*it == 50);
    map.erase(handles[50]);                                       // the one it is at
    for (std::size_t i = 51; i != 60; ++i) map.erase(handles[i]); // and those behind it
    map.erase(handles[10]);
    for (int i = 0; i != 5000; ++i) put(map, 1000 + i); // grows, and fills slot 10 and 50 to 59 again
    map.erase(handles[61]);
    ++it;
    std::set<int> rest;
    for (; it != map.end(); ++it) {
        REQUIRE(map.handle_of(it).index() > 50);
        rest.insert(*it);
    }
    REQUIRE_FALSE(rest.contains(61));
    for (int i = 62; i != 200; ++i) REQUIRE(rest.contains(i));
    REQUIRE(rest.contains(60));
    REQUIRE(rest.size() >= 139 + 4900);
}

TEMPLATE_TEST_CASE("for_each of a SlotMap may erase its element and insert", "[iteration]", test::Paged, test::Reserved) {
    Small<TestType> map;
    fill(map, 256, [](int i) { return i % 5 == 0; });
    const auto before = numbers(map);
    std::multiset<int> visited;
    int born = 10'000;
    map.for_each([&](auto handle, int& value) {
        if (value >= 10'000) return; // a newcomer whose slot lay ahead
        visited.insert(value);
        REQUIRE(map.erase(handle));
        put(map, born++);
    });
    REQUIRE(visited == before);
    REQUIRE(map.size() == before.size());
    REQUIRE(*numbers(map).begin() >= 10'000);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("chunks cover every live element once, and their masks say which", "[iteration]", test::Paged,
                   test::Reserved) {
    Small<TestType> map;
    fill(map, 700, [](int i) { return i % 7 == 3 || (i > 128 && i < 320); });
    std::multiset<int> visited;
    slot_t next = 0;
    for (const auto chunk : map.chunks()) {
        REQUIRE(chunk.first == next);
        REQUIRE(chunk.first % 64 == 0);
        next = chunk.first + static_cast<slot_t>(chunk.values.size());
        for (std::size_t i = 0; i != chunk.values.size(); ++i)
            if (chunk.live.test(i)) {
                REQUIRE(map.handle_of(&chunk.values[i]).index() == chunk.first + i);
                visited.insert(chunk.values[i]);
            }
    }
    REQUIRE(visited == numbers(map));
    REQUIRE(visited.size() > 300);
    for (const auto chunk : std::as_const(map).chunks())
        static_assert(std::is_same_v<decltype(chunk.values), std::span<const int>>);
    auto column = map.values();
    int sum = 0;
    column.for_each([&](int value) { sum += value; });
    REQUIRE(sum == std::accumulate(visited.begin(), visited.end(), 0));
}

#if SLOTWISE_VIRTUAL_MEMORY
TEST_CASE("Growth::reserve gives one span over every slot, which stays where it is", "[iteration]") {
    SlotMap<int, Options<SlotMapOptions{.growth = Growth::reserve}>> map;
    const auto first = map.insert(0);
    int* const address = map.get(first);
    for (int i = 1; i != 50'000; ++i) map.insert(i);
    const auto span = map.slot_span();
    REQUIRE(span.size() == 50'000);
    REQUIRE(span.data() == address);
    for (const slot_t slot : map.slots()) REQUIRE(span[slot] == static_cast<int>(slot));
    std::size_t chunks = 0;
    for (const auto chunk : map.chunks()) chunks += !chunk.values.empty();
    REQUIRE(chunks == 1);
}
#endif

TEMPLATE_TEST_CASE("handle_of finds the element of a slot, an iterator and an address", "[iteration]", test::Paged,
                   test::Reserved, test::Dense) {
    Small<TestType> map;
    const auto handles = fill(map, 200, [](int i) { return i % 2 == 0; });
    for (std::size_t i = 0; i != 200; ++i) {
        const bool live = i % 2 == 1;
        REQUIRE(map.handle_at(static_cast<slot_t>(i)) == (live ? handles[i] : typename decltype(map)::handle_type()));
        if (!live) continue;
        REQUIRE(map.handle_of(map.get(handles[i])) == handles[i]);
        REQUIRE(map.handle_of(std::as_const(map).get(handles[i])) == handles[i]);
    }
    int elsewhere = 0;
    REQUIRE(map.handle_of(&elsewhere).is_null());
    REQUIRE(map.handle_of(static_cast<int*>(nullptr)).is_null());
    for (auto it = map.begin(); it != map.end(); ++it) REQUIRE(map[map.handle_of(it)] == *it);
    REQUIRE(map.handle_at(no_slot).is_null());
    if constexpr (is_paged<decltype(map)>) REQUIRE(map.handle_of(map.end()).is_null());
}

TEST_CASE("for_each of a SlotMap goes on with the elements that were there when f's inserts make it grow", "[iteration]") {
    SlotMap<int> map;
    std::multiset<int> before, visited;
    for (int i = 0; i != 500; ++i) map.insert(i);
    map.erase_if([](int value) { return value % 3 == 0; });
    for (const int value : map) before.insert(value);
    const auto capacity = map.capacity();
    map.for_each([&](int& value) {
        if (value >= 1000) return; // a newcomer whose slot lay ahead
        if (visited.empty())
            while (map.capacity() < 20 * capacity) map.insert(1000);
        visited.insert(value);
    });
    CHECK(visited == before);
    CHECK(map.check_invariants());
}

TEST_CASE("values of a slot map move out through std::make_move_iterator", "[iteration]") {
    DenseSlotMap<std::unique_ptr<int>> packed;
    SlotMap<std::unique_ptr<int>> paged;
    packed.insert(std::make_unique<int>(1));
    paged.insert(std::make_unique<int>(2));
    std::vector<std::unique_ptr<int>> out(std::make_move_iterator(packed.begin()), std::make_move_iterator(packed.end()));
    out.emplace_back(*std::make_move_iterator(paged.begin()));
    CHECK(*out.front() + *out.back() == 3);
    CHECK(packed.values().front() == nullptr);
    CHECK(*paged.begin() == nullptr);
}
