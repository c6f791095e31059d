// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The table of promises: a test for each cell that concerns slot maps. Cells that have a file of their own are named there:
// exceptions in throwing_maps.hpp, allocators in alloc_*.cpp, hostile handles in hostile.cpp.
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

namespace {

using namespace test;

template <class Map>
struct Filled {
    using handle_type = typename Map::handle_type;
    Map map{};
    std::vector<handle_type> handles{};
    explicit Filled(int count) {
        for (int i = 0; i != count; ++i) handles.push_back(put(map, i));
    }
    bool all_there() const {
        for (std::size_t i = 0; i != handles.size(); ++i)
            if (!map.contains(handles[i]) || number_of(map, handles[i]) != static_cast<int>(i)) return false;
        return true;
    }
    template <class F>
    auto addresses(F&& skip) {
        std::vector<const void*> all;
        for (const auto handle : handles)
            if (!skip(handle)) all.push_back(address(map, handle));
        return all;
    }
    auto addresses() {
        return addresses([](handle_type) { return false; });
    }
    static const void* address(Map& map, handle_type handle) {
        if constexpr (is_soa<Map>)
            return std::get<0>(map.get(handle).members());
        else
            return map.get(handle);
    }
};

} // namespace

TEMPLATE_TEST_CASE("insert: handles stay valid in every map, also when it grows", "[promises]", ALL_STORAGES) {
    Filled<typename TestType::template map<Tracked>> filled(10);
    for (int i = 0; i != 5000; ++i) put(filled.map, i);
    REQUIRE(filled.all_there());
}

TEMPLATE_TEST_CASE("SlotMap insert: addresses and iterators stay valid, also when it grows", "[promises]", test::Paged,
                   test::Reserved) {
    Filled<typename TestType::template map<Tracked>> filled(10);
    const auto before = filled.addresses();
    const auto it = std::next(filled.map.begin(), 5);
    for (int i = 0; i != 50'000; ++i) put(filled.map, i);
    REQUIRE(filled.addresses() == before);
    REQUIRE(it->value() == 5);
    REQUIRE(std::next(it)->value() == 6);
}

TEMPLATE_TEST_CASE("DenseSlotMap and SoaSlotMap insert: addresses stay valid while it does not grow", "[promises]", test::Dense,
                   test::Soa) {
    Filled<typename TestType::template map<Tracked>> filled(10);
    filled.map.reserve(1000);
    const auto before = filled.addresses();
    while (filled.map.size() < 1000) put(filled.map, 1);
    REQUIRE(filled.addresses() == before);
}

TEMPLATE_TEST_CASE("SlotMap erase: noexcept, and only the erased address, iterator and handle are gone", "[promises]",
                   test::Paged, test::Reserved) {
    Filled<typename TestType::template map<Throwing>> filled(100);
    static_assert(noexcept(filled.map.erase(filled.handles[0])));
    static_assert(noexcept(filled.map.erase(filled.map.begin())));
    const auto gone = filled.handles[40];
    const auto other = [&](auto handle) { return handle == gone; };
    const auto before = filled.addresses(other);
    const auto at_39 = std::next(filled.map.begin(), 39);
    REQUIRE(filled.map.erase(gone));
    REQUIRE(filled.addresses(other) == before);
    REQUIRE(at_39->value() == 39);
    REQUIRE(std::next(at_39)->value() == 41);
    for (const auto handle : filled.handles) REQUIRE(filled.map.contains(handle) == (handle != gone));
}

TEMPLATE_TEST_CASE("DenseSlotMap and SoaSlotMap erase: noexcept if moves are; only the erased and the last address are gone",
                   "[promises]", test::Dense, test::Soa) {
    Filled<typename TestType::template map<Tracked>> filled(100);
    static_assert(noexcept(filled.map.erase(filled.handles[0])));
    const auto gone = filled.handles[40], last = filled.handles[99];
    const auto other = [&](auto handle) { return handle == gone || handle == last; };
    const auto before = filled.addresses(other);
    REQUIRE(filled.map.erase(gone));
    REQUIRE(filled.addresses(other) == before);
    for (const auto handle : filled.handles) REQUIRE(filled.map.contains(handle) == (handle != gone));
    REQUIRE(number_of(filled.map, last) == 99);
    typename TestType::template map<Throwing> throwing;
    static_assert(!noexcept(throwing.erase(put(throwing, 1))));
}

TEMPLATE_TEST_CASE("clear: noexcept, all handles are stale and known to be, capacity stays", "[promises]", ALL_STORAGES) {
    NothingLeaks objects;
    Filled<typename TestType::template map<Tracked>> filled(500);
    static_assert(noexcept(filled.map.clear()));
    const auto capacity = filled.map.capacity();
    filled.map.clear();
    REQUIRE(filled.map.empty());
    REQUIRE(objects.alive() == 0);
    REQUIRE(filled.map.capacity() == capacity);
    for (const auto handle : filled.handles) REQUIRE(filled.map.explain(handle) == HandleStatus::stale);
    for (int i = 0; i != 500; ++i) put(filled.map, i);
    for (const auto handle : filled.handles) REQUIRE_FALSE(filled.map.contains(handle));
}

TEMPLATE_TEST_CASE("reserve: handles stay valid; paged addresses and iterators too", "[promises]", ALL_STORAGES) {
    Filled<typename TestType::template map<Tracked>> filled(100);
    const auto before = filled.addresses();
    const auto it = filled.map.begin();
    filled.map.reserve(20'000);
    REQUIRE(filled.map.capacity() >= 20'000);
    REQUIRE(filled.all_there());
    if constexpr (is_paged<decltype(filled.map)>) {
        REQUIRE(filled.addresses() == before);
        REQUIRE(it->value() == 0);
    }
    if constexpr (constexpr std::size_t most = decltype(filled.map)::max_size(); most != static_cast<std::size_t>(-1)) {
        REQUIRE_THROWS_AS(filled.map.reserve(most + 1), std::length_error);
        REQUIRE(filled.all_there());
    }
}

TEMPLATE_TEST_CASE("copy: handles are valid in the copy, and the copies are independent", "[promises]", ALL_STORAGES) {
    Filled<typename TestType::template map<Tracked>> filled(100);
    auto copy = filled;
    REQUIRE(copy.all_there());
    copy.map.erase(copy.handles[3]);
    set_number(copy.map, copy.handles[4], -4);
    REQUIRE(filled.all_there());
    REQUIRE_FALSE(copy.map == filled.map);
}

TEMPLATE_TEST_CASE("move: noexcept, addresses and handles are kept, moved-from is empty and usable", "[promises]",
                   ALL_STORAGES) {
    Filled<typename TestType::template map<Tracked>> filled(100);
    using Map = decltype(filled.map);
    static_assert(std::is_nothrow_move_constructible_v<Map> && std::is_nothrow_move_assignable_v<Map> &&
                  std::is_nothrow_swappable_v<Map>);
    const auto before = filled.addresses();
    Map moved(std::move(filled.map));
    REQUIRE(filled.map.empty()); // NOLINT(bugprone-use-after-move)
    REQUIRE(filled.map.check_invariants());
    for (const auto handle : filled.handles) REQUIRE_FALSE(filled.map.contains(handle));
    put(filled.map, 7);
    REQUIRE(filled.map.size() == 1);
    filled.map = std::move(moved);
    REQUIRE(filled.addresses() == before);
    REQUIRE(filled.all_there());
    REQUIRE(moved.empty()); // NOLINT(bugprone-use-after-move)
    put(moved, 8);
    REQUIRE(moved.check_invariants());
}

TEMPLATE_TEST_CASE("swap: addresses and handles go along", "[promises]", ALL_STORAGES) {
    Filled<typename TestType::template map<Tracked>> a(100), b(3);
    const auto before = a.addresses();
    a.map.swap(b.map);
    REQUIRE(b.map.size() == 100);
    std::swap(a.handles, b.handles);
    REQUIRE(a.all_there());
    REQUIRE(b.all_there());
    REQUIRE(b.addresses() == before);
}

TEMPLATE_TEST_CASE("== compares handles and values, not capacity or history", "[promises]", ALL_STORAGES) {
    typename TestType::template map<int> a, b;
    REQUIRE(a == b);
    const auto a1 = put(a, 1);
    REQUIRE_FALSE(a == b);
    const auto b1 = put(b, 1);
    REQUIRE(a1 == b1);
    REQUIRE(a == b);
    b.reserve(1000);
    b.erase(put(b, 5));
    REQUIRE(a == b);
    put(a, 2);
    put(b, 2); // the same value under another handle
    REQUIRE_FALSE(a == b);
}
