// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What the tests of keyed containers with allocators have in common.
#ifndef SLOTWISE_TESTS_KEYED_ALLOCATOR_KEYED_HPP
#define SLOTWISE_TESTS_KEYED_ALLOCATOR_KEYED_HPP

#include "scene.hpp"

namespace test {

template <Propagation P>
using TravellingSet = SetStorage<Tracked, NumberHash, EqualTo, at_once, StatefulAllocator<Tracked, P>>;
template <Propagation P>
using TravellingMap = MapStorage<Tracked, Tracked, NumberHash, EqualTo, deferred, StatefulAllocator<Tracked, P>>;

inline constexpr Propagation stays{}, travels{.copy = true, .move = true, .swap = true}, on_copy{.copy = true},
    on_move{.move = true}, on_swap{.swap = true}, equal{.always_equal = true};

#define TRAVELLING_CONTAINERS                                                                                                  \
    ::test::TravellingSet<::test::stays>, ::test::TravellingMap<::test::stays>, ::test::TravellingMap<::test::travels>,        \
        ::test::TravellingMap<::test::on_copy>, ::test::TravellingMap<::test::on_move>,                                        \
        ::test::TravellingMap<::test::on_swap>, ::test::TravellingMap<::test::equal>

template <class A>
inline constexpr Propagation propagation_of{};
template <class T, Propagation P>
inline constexpr Propagation propagation_of<StatefulAllocator<T, P>> = P;
template <class C>
inline constexpr Propagation propagation = propagation_of<typename C::allocator_type>;
template <class C>
inline constexpr bool always_equal_allocator = propagation<C>.always_equal;
template <class C>
typename C::allocator_type allocator_of(int id) {
    return typename C::allocator_type(id);
}

/// `count` keys from `first` on, every fifth of them erased, some of these pending where that is possible.
template <class C>
void fill(C& c, int first, int count) {
    for (int i = 0; i != count; ++i) enter(c, first + i);
    for (int i = 4; i < count; i += 5) {
        leave(c, first + i);
        if (i == count / 2 / 5 * 5 + 4) c.flush_removed();
    }
}
template <class C>
C made(int id, int first, int count) {
    C c(allocator_of<C>(id));
    fill(c, first, count);
    return c;
}

template <class C>
bool same(const C& a, const C& b) {
    return a.check_invariants() && state_of(a) == state_of(b) && pending_of(a) == pending_of(b) && a == b;
}
/// Of keys and values.
template <class C>
auto addresses_of(const C& c) {
    std::vector<const void*> all;
    for (const slot_t slot : c.slots()) {
        all.push_back(&c.key(slot));
        if constexpr (is_keyed_map<C>) all.push_back(&c.value(slot));
    }
    return all;
}

template <class C>
void require_usable(C& c) {
    const auto size = c.size();
    for (int n = 5000; n != 5200; ++n) REQUIRE(enter(c, n).inserted);
    for (int n = 5000; n != 5200; ++n) REQUIRE(has(c, n));
    REQUIRE(c.size() == size + 200);
    REQUIRE(c.check_invariants());
}
template <class C>
void require_empty_and_usable(C& c) {
    REQUIRE(c.empty());
    REQUIRE(c.pending() == 0);
    REQUIRE(c.begin() == c.end());
    REQUIRE_FALSE(has(c, 0));
    REQUIRE(c.check_invariants());
    require_usable(c);
}

} // namespace test

#endif
