// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What the tests of slot maps with allocators have in common.
#ifndef SLOTWISE_TESTS_MAP_PROPAGATION_HPP
#define SLOTWISE_TESTS_MAP_PROPAGATION_HPP

#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

namespace test {

template <Propagation P>
struct Traveller {
    template <class T>
    using allocator = StatefulAllocator<T, P>;
    static constexpr Propagation propagation = P;
};
using Stays = Traveller<Propagation{}>;
using Travels = Traveller<Propagation{.copy = true, .move = true, .swap = true}>;
using OnCopy = Traveller<Propagation{.copy = true}>;
using OnMove = Traveller<Propagation{.move = true}>;
using OnSwap = Traveller<Propagation{.swap = true}>;
using AlwaysEqual = Traveller<Propagation{.always_equal = true}>;

template <class Storage, class T, class A>
using MapWith = typename Storage::template map<T, SlotMapOptions{}, A>;

/// A map with holes, of `count` elements base, base + 1, ...
template <class Map>
void fill(Map& map, int base, int count = 90) {
    std::vector<typename Map::handle_type> handles;
    for (int i = 0; i != count; ++i) handles.push_back(put(map, base + i));
    for (std::size_t i = 4; i < handles.size(); i += 5) map.erase(handles[i]);
}

template <class Map>
const void* address_of_first(const Map& map) {
    const auto row = map.get(*map.handles().begin());
    if constexpr (is_soa<Map>)
        return std::get<0>(row.members());
    else
        return row;
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

} // namespace test

#endif
