// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Moves and swaps of keyed containers with allocators that have a state and do or do not travel.
#include "allocator_keyed.hpp"

using namespace test;

// proves: table move / swap / exceptions
TEMPLATE_TEST_CASE("move construction keeps addresses; into another allocator elements move, and their memory with them",
                   "[allocators]", TRAVELLING_CONTAINERS) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    auto source = made<TestType>(1, 0, 90);
    auto twin = made<TestType>(1, 0, 90);
    const auto addresses = addresses_of(source);
    TestType moved(std::move(source));
    REQUIRE(addresses_of(moved) == addresses);
    REQUIRE(same(moved, twin));
    REQUIRE(moved.get_allocator().id() == twin.get_allocator().id());
    require_empty_and_usable(source); // NOLINT(bugprone-use-after-move)
    TestType same_allocator(std::move(moved), twin.get_allocator());
    REQUIRE(addresses_of(same_allocator) == addresses);
    require_empty_and_usable(moved); // NOLINT(bugprone-use-after-move)
    TestType other(std::move(same_allocator), allocator_of<TestType>(2));
    REQUIRE(same(other, twin));
    require_empty_and_usable(same_allocator); // NOLINT(bugprone-use-after-move)
    require_usable(other);
}

// proves: table move / swap / exceptions
TEMPLATE_TEST_CASE("move assignment is exact whether allocators are equal, propagate, or neither", "[allocators]",
                   TRAVELLING_CONTAINERS) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    constexpr bool steals = propagation<TestType>.move || always_equal_allocator<TestType>;
    static_assert(std::is_nothrow_move_assignable_v<TestType> == steals);
    for (const int id : {1, 2}) {
        auto source = made<TestType>(1, 0, 90);
        auto twin = made<TestType>(1, 0, 90);
        auto target = made<TestType>(id, 500, 20);
        const auto addresses = addresses_of(source);
        target = std::move(source);
        REQUIRE(same(target, twin));
        REQUIRE((addresses_of(target) == addresses) == (steals || id == 1));
        if (!always_equal_allocator<TestType>) REQUIRE(target.get_allocator().id() == (propagation<TestType>.move ? 1 : id));
        require_empty_and_usable(source); // NOLINT(bugprone-use-after-move)
        REQUIRE(future_of(target) == future_of(twin));
        REQUIRE(target.check_invariants());
    }
}

// proves: table move / swap / exceptions
TEMPLATE_TEST_CASE("swap is exact whether allocators are equal, propagate, or neither", "[allocators]", TRAVELLING_CONTAINERS) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    static_assert(std::is_nothrow_swappable_v<TestType> == (propagation<TestType>.swap || always_equal_allocator<TestType>));
    for (const int id : {1, 2}) {
        auto a = made<TestType>(1, 0, 90), a_twin = made<TestType>(1, 0, 90);
        auto b = made<TestType>(id, 500, 20), b_twin = made<TestType>(id, 500, 20);
        const auto a_addresses = addresses_of(a), b_addresses = addresses_of(b);
        swap(a, b);
        REQUIRE(same(a, b_twin));
        REQUIRE(same(b, a_twin));
        const bool exchanged = propagation<TestType>.swap || always_equal_allocator<TestType> || id == 1;
        REQUIRE((addresses_of(a) == b_addresses) == exchanged);
        REQUIRE((addresses_of(b) == a_addresses) == exchanged);
        if (!always_equal_allocator<TestType>) {
            REQUIRE(a.get_allocator().id() == (propagation<TestType>.swap ? id : 1));
            REQUIRE(b.get_allocator().id() == (propagation<TestType>.swap ? 1 : id));
        }
        a.swap(a);
        REQUIRE(same(a, b_twin));
        REQUIRE(future_of(a) == future_of(b_twin));
        REQUIRE(future_of(b) == future_of(a_twin));
        REQUIRE(a.check_invariants());
        REQUIRE(b.check_invariants());
    }
}

TEMPLATE_TEST_CASE("after a move between unequal allocators nothing is left in the memory of the first", "[allocators]",
                   TravellingSet<stays>, TravellingMap<stays>) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    auto target = made<TestType>(2, 500, 20);
    {
        auto source = made<TestType>(1, 0, 90);
        target = std::move(source);
    }
    REQUIRE(target.size() == 72);
    REQUIRE(Ledger::live_bytes(1) == 0); // its resource may be gone by now
    {
        auto other = made<TestType>(3, 0, 50);
        target.swap(other);
    }
    REQUIRE(Ledger::live_bytes(3) == 0);
    REQUIRE(target.size() == 40);
    require_usable(target);
    {
        auto source = made<TestType>(1, 0, 90);
        TestType moved(std::move(source), allocator_of<TestType>(2));
        require_usable(source); // NOLINT(bugprone-use-after-move)
        source.reset();
        REQUIRE(Ledger::live_bytes(1) == 0);
    }
}
