// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What views, iterators and addresses of slot maps survive, and what a new one shows where they do not.
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>
#include <slotwise/slots/zip_chunks.hpp>

using namespace test;

namespace {

/// All elements by an iterator each.
template <class Map>
auto iterators(Map& map) {
    std::vector<decltype(map.begin())> all;
    for (auto it = map.begin(); it != map.end(); ++it) all.push_back(it);
    return all;
}
template <class Iterator>
int number_at(const Iterator& it) {
    return test::detail::number_at(*it);
}

} // namespace

TEMPLATE_TEST_CASE(
    "a SlotMap's view shows inserts and erases while it does not grow; a new one shows the same values at the same "
    "addresses",
    "[promises]", test::Paged, test::Reserved) {
    typename TestType::template map<Tracked> map;
    map.reserve(200);
    for (int i = 0; i != 100; ++i) put(map, i);
    const auto view = map.values();
    const auto chunks = zip_chunks(view);
    map.erase(map.handle_at(slot_t{7}));
    REQUIRE_FALSE((*chunks.begin()).live.test(7));
    REQUIRE_FALSE(view.contains(7));
    REQUIRE(put(map, 77).index() == 7);
    REQUIRE(view[7].value() == 77);
    REQUIRE(std::get<0>((*chunks.begin()).values)[7].value() == 77);
    std::vector<const void*> before;
    for (slot_t slot = 0; slot != 100; ++slot) before.push_back(&view[slot]);
    SECTION("reserve") { map.reserve(100'000); }
    SECTION("insert") {
        while (map.size() != 100'000) put(map, 1);
    }
    const auto now = map.values(); // the old one may look where the map no longer is
    bool same = true;
    for (slot_t slot = 0; slot != 100; ++slot) same = same && &now[slot] == before[slot];
    REQUIRE(same);
    REQUIRE(now[7].value() == 77);
}

TEST_CASE("DenseSlotMap::values() stays where it is until the map grows, and shows neither inserts nor erases", "[promises]") {
    DenseSlotMap<int> map;
    map.reserve(100);
    const auto capacity = map.capacity();
    for (int i = 0; i != 10; ++i) map.insert(i);
    const auto values = map.values();
    while (map.size() != capacity) map.insert(1);
    REQUIRE(values.data() == map.values().data());
    REQUIRE(values.size() == 10);
    REQUIRE(map.values().size() == capacity);
    map.erase(map.handle_of_row(3));
    REQUIRE(values.size() == 10);
    REQUIRE(values[3] == 1); // the last one has come
    for (int i = 0; i != 1000; ++i) map.insert(i);
    REQUIRE(map.values()[9] == 9);
    REQUIRE(map.values().size() == capacity + 999);
}

TEST_CASE("SoaSlotMap::column() stays where it is until the map grows", "[promises]") {
    SoaSlotMap<int, double> map;
    map.reserve(100);
    const auto capacity = map.capacity();
    for (int i = 0; i != 10; ++i) map.insert(i, i / 2.0);
    const auto ints = map.column<0>();
    const auto doubles = map.column<double>();
    while (map.size() != capacity) map.insert(1, 1.0);
    REQUIRE(ints.data() == map.column<0>().data());
    REQUIRE(doubles.data() == map.column<1>().data());
    REQUIRE((ints.size() == 10 && doubles.size() == 10));
    REQUIRE(doubles[9] == 4.5);
    for (int i = 0; i != 1000; ++i) map.insert(i, 0.0);
    REQUIRE(map.column<0>()[9] == 9);
    REQUIRE(map.column<double>()[9] == 4.5);
    REQUIRE(map.column<0>().size() == capacity + 1000);
}

TEMPLATE_TEST_CASE("iterators and addresses of a dense map stay valid while it does not grow; an erase concerns two of them",
                   "[promises]", test::Dense, test::Soa) {
    typename TestType::template map<Tracked> map;
    map.reserve(300);
    const auto capacity = map.capacity();
    std::vector<decltype(put(map, 0))> handles;
    for (int i = 0; i != 100; ++i) handles.push_back(put(map, i));
    const auto all = iterators(map);
    const auto same = [&] {
        for (std::size_t i = 0; i != 100; ++i)
            if (number_at(all[i]) != static_cast<int>(i)) return false;
        return true;
    };
    REQUIRE(all.size() == 100);
    map.reserve(capacity); // there is room
    while (map.size() != capacity) handles.push_back(put(map, 1));
    REQUIRE(same());
    while (map.size() != 100) {
        map.erase(handles.back());
        handles.pop_back();
    }
    REQUIRE(same());
    map.erase(handles[40]);
    REQUIRE(number_at(all[40]) == 99); // the last one has come
    for (std::size_t i = 0; i != 99; ++i)
        if (i != 40) REQUIRE(number_at(all[i]) == static_cast<int>(i));
    REQUIRE(number_of(map, handles[99]) == 99);
    // When it grows the values move, and handles follow.
    const Tracked* const address = [&] {
        if constexpr (is_soa<decltype(map)>)
            return &map[handles[0]].template get<0>();
        else
            return &map[handles[0]];
    }();
    const void* const before = address;
    map.reserve(10 * capacity);
    for (std::size_t i = 0; i != 100; ++i)
        if (i != 40) REQUIRE(number_of(map, handles[i]) == static_cast<int>(i));
    if constexpr (is_soa<decltype(map)>)
        REQUIRE(&map[handles[0]].template get<0>() != before);
    else
        REQUIRE(&map[handles[0]] != before);
}

TEMPLATE_TEST_CASE("after clear no iterator leads to an element", "[promises][death]", ALL_STORAGES) {
    typename TestType::template map<int> map;
    for (int i = 0; i != 100; ++i) put(map, i);
    [[maybe_unused]] const auto it = map.begin();
    map.clear();
    REQUIRE(map.begin() == map.end());
    if constexpr (!is_soa<decltype(map)>) REQUIRE(dies_saying("erase(it)", [&] { map.erase(it); }));
    put(map, 1);
    REQUIRE(std::distance(map.begin(), map.end()) == 1);
}

TEMPLATE_TEST_CASE("SlotMap shrink_to_fit: what lives stays where it is; handles of given up slots stay stale", "[promises]",
                   test::Paged, test::Reserved) {
    typename TestType::template map<Tracked> map;
    std::vector<decltype(put(map, 0))> handles;
    for (int i = 0; i != 30'000; ++i) handles.push_back(put(map, i));
    for (std::size_t i = 10; i != 30'000; ++i) map.erase(handles[i]);
    const auto all = iterators(map);
    std::vector<const void*> before;
    for (std::size_t i = 0; i != 10; ++i) before.push_back(map.get(handles[i]));
    const auto capacity = map.capacity();
    map.shrink_to_fit();
    REQUIRE(map.capacity() < capacity);
    REQUIRE(all.size() == 10);
    for (std::size_t i = 0; i != 10; ++i) {
        REQUIRE(map.get(handles[i]) == before[i]);
        REQUIRE(number_at(all[i]) == static_cast<int>(i));
        REQUIRE((i == 9 || std::next(all[i]) == all[i + 1]));
    }
    for (int i = 0; i != 30'000; ++i) put(map, i);
    REQUIRE(std::none_of(handles.begin() + 10, handles.end(), [&](const auto& handle) { return map.contains(handle); }));
}

TEMPLATE_TEST_CASE("a dense map's shrink_to_fit moves the values, and handles follow; those of given up slots stay stale",
                   "[promises]", test::Dense, test::Soa) {
    NothingLeaks objects;
    typename TestType::template map<Tracked> map;
    std::vector<decltype(put(map, 0))> handles;
    for (int i = 0; i != 3000; ++i) handles.push_back(put(map, i));
    for (std::size_t i = 10; i != 3000; ++i) map.erase(handles[i]);
    const auto capacity = map.capacity();
    map.shrink_to_fit();
    REQUIRE(map.capacity() < capacity);
    REQUIRE(std::distance(map.begin(), map.end()) == 10);
    for (std::size_t i = 0; i != 10; ++i) REQUIRE(number_of(map, handles[i]) == static_cast<int>(i));
    for (int i = 0; i != 3000; ++i) put(map, i);
    REQUIRE(std::none_of(handles.begin() + 10, handles.end(), [&](const auto& handle) { return map.contains(handle); }));
    REQUIRE(map.check_invariants());
}

TEST_CASE("a SparseSecondaryMap's addresses stay valid until it grows; its spans are as long as they were", "[promises]") {
    using H = SlotMap<int>::handle_type;
    SparseSecondaryMap<H, int> more;
    std::size_t growths = 0;
    more.try_emplace(H(0, 1), 0);
    const int* first = more.get(H(0, 1));
    for (slot_t slot = 1; slot != 5000; ++slot) {
        const auto values = more.values();
        more.try_emplace(H(slot * 3, 1), static_cast<int>(slot));
        if (more.get(H(0, 1)) != first) {
            ++growths;
            first = more.get(H(0, 1));
        } else if (values.data() != more.values().data() || values.size() != slot)
            FAIL("a value has moved without growth");
        REQUIRE(*first == 0);
    }
    REQUIRE(growths > 2);
    REQUIRE(growths < 12); // grows geometrically
    REQUIRE(more.values().size() == 5000);
    more.erase(H(0, 1));
    REQUIRE(*more.get(H(4999 * 3, 1)) == 4999);
    REQUIRE(more.handles()[0] == H(4999 * 3, 1)); // the last one has come
    REQUIRE(more.handles().size() == 4999);
    const auto it = more.begin();
    const H last = more.handles().back();
    more.erase(it->handle);
    REQUIRE(it->handle == last);
}
