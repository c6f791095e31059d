// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DeltaTracker alone: memory that runs out, and containers that move to another allocator.
#include "delta_tracker.hpp"

#include "support/tracked.hpp"

#include <utility>

using namespace test;

TEMPLATE_TEST_CASE("memory that runs out while a container grows changes no delta", "[delta_tracker][throwing][throws]",
                   ALL_REPRESENTATIONS) {
    EveryByteReturned bytes;
    using Set = set_of<TestType, true, int, ThrowingAllocator<int>>;
    const auto failures =
        fail_at_every_step(swept<std::remove_reference_t<decltype(std::declval<Set&>().template observer<0>())>>("on_capacity"),
                           [](auto&& attempt) {
                               Set set;
                               auto& delta = set.template observer<0>();
                               for (int i = 0; set.size() != set.capacity() || set.empty(); ++i) set.insert(i);
                               const auto full = static_cast<slot_t>(set.size());
                               delta.open(1);
                               delta.touch(full - 1);
                               const bool threw = attempt([&] { set.insert(100'000); });
                               check_delta(delta, 1, threw ? slot_list{} : slot_list{full}, {});
                               REQUIRE(delta.was_touched(full - 1, 1));
                               REQUIRE(delta.touched(1).size() == (threw ? 1 : 2));
                               REQUIRE(delta.check_invariants(set.occupancy()));
                               set.insert(100'001);
                               REQUIRE(delta.added(1).size() == (threw ? 1 : 2));
                           });
    CHECK(failures > 3);
}

TEST_CASE("a longer list of touched slots for which there is no memory changes no delta", "[delta_tracker][throws]") {
    EveryByteReturned bytes;
    using Set = set_of<Adaptive, true, int, ThrowingAllocator<int>>;
    using Tracker = std::remove_reference_t<decltype(std::declval<Set&>().template observer<0>())>;
    const auto failures = fail_at_every_step(swept<Tracker>("reserve_list"), [](auto&& attempt) {
        Set set;
        set.reserve(200);
        auto& delta = set.template observer<0>();
        delta.open(1);
        const slot_t slot = set.insert(7).it.slot();
        attempt([&] { delta.reserve_list(150); });
        check_delta(delta, 1, {slot}, {});
        REQUIRE(delta.check_invariants(set.occupancy()));
    });
    CHECK(failures == 1); // the others have room, or no list
}

TEMPLATE_TEST_CASE("a move to an allocator that is not equal, after slots that were touched have been given back",
                   "[delta_tracker]", ALL_REPRESENTATIONS) {
    EveryByteReturned bytes;
    using Set = set_of<TestType, false, int, StatefulAllocator<int>>;
    Set set{StatefulAllocator<int>(1)}, other{StatefulAllocator<int>(2)};
    for (int i = 0; i != 1000; ++i) set.insert(i);
    set.template observer<0>().open(1);
    for (int i = 999; i >= 10; --i) set.erase(i);
    set.erase(4);
    set.shrink_to_fit();
    REQUIRE(set.capacity() <= 64);
    other = std::move(set);
    const auto& delta = other.template observer<0>();
    CHECK(delta.window() == 1);
    CHECK(delta.was_removed(4, 1));
    CHECK_FALSE(delta.was_removed(5, 1));
    CHECK(delta.check_invariants(other.occupancy()));
    for (int i = 5000; i != 5200; ++i) other.insert(i);
    CHECK(delta.was_added(100, 1));
    CHECK(delta.check_invariants(other.occupancy()));
}
