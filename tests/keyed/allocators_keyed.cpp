// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Copies of keyed containers with allocators that have a state and do or do not travel. Moves: allocators_keyed_move.cpp; other kinds
// of allocators: allocators_keyed_kinds.cpp.
#include "allocator_keyed.hpp"

using namespace test;

TEMPLATE_TEST_CASE("copies ask the allocator which one to take; given one, all memory is of that one", "[allocators]",
                   TRAVELLING_CONTAINERS) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    auto source = made<TestType>(1, 0, 90);
    TestType copy(source);
    REQUIRE(same(copy, source));
    if constexpr (!always_equal_allocator<TestType>) {
        REQUIRE(copy.get_allocator().id() == 1 + 100);
        REQUIRE(Ledger::live_bytes(1 + 100) > 0);
        const auto first = Ledger::live_bytes(1), copied = Ledger::live_bytes(1 + 100);
        TestType other(source, allocator_of<TestType>(2));
        REQUIRE(same(other, source));
        REQUIRE(other.get_allocator().id() == 2);
        REQUIRE(Ledger::live_bytes(2) > 90 * sizeof(typename TestType::key_type));
        // Keys, index, versions and values: all is in the other's memory.
        REQUIRE(Ledger::live_bytes(1) == first);
        REQUIRE(Ledger::live_bytes(1 + 100) == copied);
    }
    require_usable(copy);
}

// proves: table copy / exceptions
TEMPLATE_TEST_CASE("copy assignment takes the allocator along exactly when it propagates", "[allocators]",
                   TRAVELLING_CONTAINERS) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    for (const int id : {1, 2}) {
        auto source = made<TestType>(1, 0, 90);
        auto target = made<TestType>(id, 500, 20);
        target = source;
        REQUIRE(same(target, source));
        REQUIRE(target.get_allocator().id() == (propagation<TestType>.copy ? source : target).get_allocator().id());
        if (!always_equal_allocator<TestType>) REQUIRE(target.get_allocator().id() == (propagation<TestType>.copy ? 1 : id));
        target = static_cast<const TestType&>(target);
        REQUIRE(same(target, source));
        if constexpr (!propagation<TestType>.copy && !always_equal_allocator<TestType>) {
            auto fresh = made<TestType>(3, 0, 0);
            const auto others = Ledger::live_bytes() - Ledger::live_bytes(3);
            fresh = source;
            REQUIRE(Ledger::live_bytes(3) > 0);
            REQUIRE(Ledger::live_bytes() - Ledger::live_bytes(3) == others); // all of it is in its own memory
        }
        require_usable(target);
        require_usable(source);
    }
}

TEMPLATE_TEST_CASE("restore, merge, reset and shrink_to_fit use the container's own allocator", "[allocators]",
                   TRAVELLING_CONTAINERS) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    auto source = made<TestType>(1, 0, 90);
    auto target = made<TestType>(2, 500, 20);
    const auto snapshot = source.snapshot(NumberCodec{});
    target.restore(snapshot, NumberCodec{});
    REQUIRE(same(target, source));
    auto third = made<TestType>(3, 80, 40);
    target.merge(third);
    REQUIRE(target.check_invariants());
    REQUIRE(third.check_invariants());
    for (int n = 80; n != 120; ++n) REQUIRE(has(target, n) == (n % 5 != 4 || has(source, n)));
    target.shrink_to_fit();
    third.reset();
    REQUIRE(third.capacity() == 0);
    if constexpr (!always_equal_allocator<TestType>) REQUIRE(Ledger::live_bytes(3) == 0);
    require_empty_and_usable(third);
    require_usable(target);
}
