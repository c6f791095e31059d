// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Slot maps with allocators that have a state, do or do not travel, give fancy pointers, or cannot be made from nothing.
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <slotwise/slots/value_array.hpp>

using namespace test;

namespace {

template <Propagation P>
struct Traveller {
    template <class T>
    using allocator = StatefulAllocator<T, P>;
};
using Stays = Traveller<Propagation{}>;
using Travels = Traveller<Propagation{.copy = true, .move = true, .swap = true}>;

template <class Storage, class T, class A>
using MapWith = typename Storage::template map<T, SlotMapOptions{}, A>;

/// A map with holes, of `count` elements base, base + 1, ...
template <class Map>
void fill(Map& map, int base, int count = 90) {
    std::vector<typename Map::handle_type> handles;
    for (int i = 0; i != count; ++i) handles.push_back(put(map, base + i));
    for (std::size_t i = 4; i < handles.size(); i += 5) map.erase(handles[i]);
}

/// Usable like new: empty, and sound after inserts.
template <class Map>
void require_usable(Map& map) {
    REQUIRE(map.empty());
    REQUIRE(map.check_invariants());
    const auto handle = put(map, 5);
    REQUIRE(number_of(map, handle) == 5);
    for (int i = 0; i != 200; ++i) put(map, i);
    REQUIRE(map.size() == 201);
    REQUIRE(map.check_invariants());
}

} // namespace

TEMPLATE_TEST_CASE("with reserved address space the values keep their place whatever the allocators are; handles stay",
                   "[allocators]", Stays, Travels) {
    using Allocator = typename TestType::template allocator<Tracked>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    MapWith<Reserved, Tracked, Allocator> source{Allocator(1)}, target{Allocator(2)};
    fill(source, 100);
    fill(target, 500, 20);
    auto twin = source;
    target = std::move(source);
    REQUIRE(target == twin);
    require_usable(source); // NOLINT(bugprone-use-after-move)
    target.swap(source);
    REQUIRE(source == twin);
    REQUIRE(source.check_invariants());
    REQUIRE(target.check_invariants());
}

TEMPLATE_TEST_CASE("a static column goes along with copies, moves and swaps, and the moved-from map can use its own",
                   "[allocators]", test::Paged, test::Dense) {
    using Allocator = StatefulAllocator<Tracked>;
    using Column = ValueArray<std::int64_t, StatefulAllocator<std::int64_t>>;
    using Map = typename TestType::template map<Tracked, SlotMapOptions{}, Allocator, Column>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    for (const int other_id : {1, 2}) {
        CAPTURE(other_id);
        Map source{Allocator(1)};
        fill(source, 100);
        for (const slot_t slot : source.slots()) source.template observer<0>()[slot] = 3 * slot;
        const auto follows = [](Map& map) {
            std::size_t seen = 0;
            for (const slot_t slot : map.slots()) seen += map.template observer<0>()[slot] == 3 * slot;
            return seen == map.size() && seen != 0;
        };
        Map copy(source, Allocator(other_id));
        REQUIRE(follows(copy));
        Map target{Allocator(other_id)};
        target = std::move(source);
        REQUIRE(follows(target));
        require_usable(source); // NOLINT(bugprone-use-after-move)
        for (const slot_t slot : source.slots()) source.template observer<0>()[slot] = 3 * slot;
        REQUIRE(follows(source));
        source.swap(target);
        REQUIRE(follows(source));
        REQUIRE(follows(target));
        source = target;
        REQUIRE(follows(source));
    }
}

TEMPLATE_TEST_CASE("an allocator without a default constructor is enough", "[allocators]", ALL_STORAGES) {
    using Map = MapWith<TestType, Tracked, NoDefaultAllocator<Tracked>>;
    static_assert(!std::is_default_constructible_v<Map>);
    NothingLeaks objects;
    EveryByteReturned bytes;
    Map map{NoDefaultAllocator<Tracked>(3)}, other{NoDefaultAllocator<Tracked>(4)};
    fill(map, 100);
    other = map;
    REQUIRE(other == map);
    other = std::move(map);
    other.reserve(500);
    const auto reserved = other.reserve_handle();
    REQUIRE(other.cancel(reserved));
    other.restore(other.snapshot(NumberCodec{}), NumberCodec{});
    other.shrink_to_fit();
    REQUIRE(other.check_invariants());
    other.swap(map);
    REQUIRE(map.size() == 72);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("an allocator with fancy pointers is used by its rules", "[allocators]", ALL_STORAGES) {
    using Map = MapWith<TestType, Tracked, FancyAllocator<Tracked>>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    Map map;
    fill(map, 100, 500);
    Map copy(map), moved(std::move(map));
    REQUIRE(copy == moved);
    copy.clear();
    copy.shrink_to_fit();
    copy = moved;
    copy.swap(map);
    map.restore(map.snapshot(NumberCodec{}), NumberCodec{});
    REQUIRE(map == moved);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("a map that holds nothing holds no memory", "[allocators]", test::Paged, test::Dense, test::Soa) {
    using Allocator = StatefulAllocator<Tracked>;
    using Map = MapWith<TestType, Tracked, Allocator>;
    EveryByteReturned bytes;
    const auto allocations = Ledger::allocations();
    Map map{Allocator(9)};
    Map moved(std::move(map));
    map = std::move(moved);
    REQUIRE(Ledger::allocations() == allocations);
    fill(map, 0, 3000);
    const auto most = bytes.live_bytes();
    REQUIRE(most > 3000 * sizeof(Tracked));
    map.clear();
    REQUIRE(bytes.live_bytes() == most); // capacity stays
    map.shrink_to_fit();
    REQUIRE(bytes.live_bytes() == 0);
    REQUIRE(map.capacity() == 0);
    const auto handle = put(map, 1);
    REQUIRE(handle.version() > 1); // the floor: no handle of before can resolve
    map.erase(handle);
}

TEMPLATE_TEST_CASE("after reserve(n), n inserts allocate nothing, and erase never allocates", "[allocators]", test::Paged,
                   test::Dense, test::Soa) {
    using Allocator = StatefulAllocator<int>;
    using Map = MapWith<TestType, int, Allocator>;
    EveryByteReturned bytes;
    Map map{Allocator(9)};
    map.reserve(5000);
    REQUIRE(map.capacity() >= 5000);
    const auto allocations = Ledger::allocations();
    std::vector<typename Map::handle_type> handles;
    for (int i = 0; i != 5000; ++i) handles.push_back(put(map, i));
    for (const auto handle : handles) map.erase(handle);
    for (int i = 0; i != 5000; ++i) put(map, i);
    map.clear();
    for (int i = 0; i != 5000; ++i) put(map, i);
    REQUIRE(Ledger::allocations() == allocations);
}
