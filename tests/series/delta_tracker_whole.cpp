// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DeltaTracker alone: copies, moves and assignments of its container, growth and shrinking inside a window, inserts that are
// rolled back.
#include "delta_tracker.hpp"

#include "support/event_log.hpp"

#include <stdexcept>
#include <utility>

using namespace test;

namespace {

constexpr std::size_t summary = 64 * 64; // slots of one word of the first summary level

/// Whose every entry may throw.
struct Failing {
    void on_insert(slot_t, InsertKind) { Budget::spend(); }
};

} // namespace

TEMPLATE_TEST_CASE("growth inside a window loses nothing and invents nothing", "[delta_tracker]", ALL_REPRESENTATIONS) {
    set_of<TestType, true> set;
    auto& delta = set.template observer<0>();
    for (int i = 0; i != 40; ++i) set.insert(i);
    delta.open(1);
    slot_list removed, added, touched;
    for (const int key : {39, 5}) {
        removed.push_back(set.slot_of(key));
        set.remove(key);
    }
    touched = removed;
    std::size_t capacity = set.capacity(), grown = 0;
    for (int i = 100; i != 100 + 3 * static_cast<int>(summary); ++i) {
        added.push_back(set.insert(i).it.slot());
        if (set.capacity() == capacity) continue;
        capacity = set.capacity();
        ++grown;
        REQUIRE(slots_of(delta.added(1)) == as_told<TestType>(added, removed.size() + added.size()));
        REQUIRE(slots_of(delta.removed(1)) == as_told<TestType>(removed, removed.size() + added.size()));
    }
    REQUIRE(grown > 3);
    touched.insert(touched.end(), added.begin(), added.end());
    CHECK(slots_of(delta.touched(1)) == as_told<TestType>(touched, touched.size()));
    CHECK(delta.check_invariants(set.occupancy()));
    set.reserve(5 * summary);
    CHECK(slots_of(delta.touched(1)) == as_told<TestType>(touched, touched.size()));
    delta.open(2);
    CHECK(delta.touched(2).empty());
    CHECK(delta.check_invariants(set.occupancy()));
}

TEMPLATE_TEST_CASE("shrinking inside a window keeps what is known of the slots that are left", "[delta_tracker]",
                   ALL_REPRESENTATIONS) {
    set_of<TestType, false> set;
    auto& delta = set.template observer<0>();
    for (int i = 0; i != 1000; ++i) set.insert(i);
    delta.open(1);
    for (int i = 999; i >= 50; --i) set.erase(i);
    set.erase(3);
    set.shrink_to_fit();
    REQUIRE(set.capacity() < 1000);
    CHECK(delta.was_removed(3, 1));
    CHECK(delta.check_invariants(set.occupancy()));
    for (int i = 5000; i != 6000; ++i) set.insert(i); // and grows again
    CHECK(delta.check_invariants(set.occupancy()));
    CHECK(delta.was_removed(3, 1));
    CHECK(delta.was_added(3, 1));
    CHECK_FALSE(delta.was_added(2, 1));
    for (slot_t slot = 50; slot != 1000; ++slot) REQUIRE((delta.was_removed(slot, 1) && delta.was_added(slot, 1)));
    delta.open(2);
    check_delta(delta, 2, {}, {});
}

TEMPLATE_TEST_CASE("an insert that is rolled back was no insert", "[delta_tracker]", ALL_REPRESENTATIONS) {
    using Set = set_of<TestType, false, int, std::allocator<int>, Failing>;
    Set set;
    auto& delta = set.template observer<0>();
    for (int i = 0; i != 10; ++i) set.insert(i);
    delta.open(1);
    const auto fails = [&](int key) {
        Budget::arm(0);
        CHECK_THROWS_AS(set.insert(key), InjectedFailure);
        Budget::disarm();
    };
    fails(100);
    check_delta(delta, 1, {}, {});
    CHECK(delta.check_invariants(set.occupancy()));
    const slot_t slot = set.insert(100).it.slot(); // the same slot, for real
    check_delta(delta, 1, {slot}, {});
    set.erase(3);
    fails(101); // into the slot of what was removed
    check_delta(delta, 1, {slot}, {3});
    REQUIRE(set.insert(102).it.slot() == 3);
    check_delta(delta, 1, {3, slot}, {3});
    set.erase(102);
    check_delta(delta, 1, {slot}, {3});
    CHECK(delta.check_invariants(set.occupancy()));
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEMPLATE_TEST_CASE("a removed element that fails to live again stays removed", "[delta_tracker]", ALL_REPRESENTATIONS) {
    using Set = set_of<TestType, true, int, std::allocator<int>, Failing>;
    Set set;
    auto& delta = set.template observer<0>();
    for (int i = 0; i != 10; ++i) set.insert(i);
    delta.open(1);
    set.remove(3);
    const slot_t fresh = set.insert(100).it.slot();
    set.remove(100);
    for (const int key : {3, 100}) {
        Budget::arm(0);
        CHECK_THROWS_AS(set.insert(key), InjectedFailure);
        Budget::disarm();
        REQUIRE(set.state(key == 3 ? slot_t{3} : fresh) == SlotState::free); // erased for good
        check_delta(delta, 1, {}, {3});
    }
    REQUIRE(set.insert(3).it.slot() == 3);
    check_delta(delta, 1, {3}, {3}); // another element under the same key
    CHECK(delta.check_invariants(set.occupancy()));
}
#endif

TEMPLATE_TEST_CASE("copies of a container have window and deltas of their own", "[delta_tracker]", ALL_REPRESENTATIONS) {
    using Set = set_of<TestType, true>;
    Set set;
    begin_window(set);
    Set copy(set), assigned;
    assigned.template observer<0>().open(99);
    assigned.insert(77);
    assigned = set;
    for (Set* const each : {&copy, &assigned}) {
        check_window<TestType>(*each);
        each->remove(1);
        each->insert(7);
        check_delta(each->template observer<0>(), 1, {5000}, {1, 4100, 4999});
        check_window<TestType>(set);
        each->flush_removed();
        each->template observer<0>().open(2);
        check_delta(each->template observer<0>(), 2, {}, {});
        check_window<TestType>(set);
    }
    set = Set();
    check_new(set);
}

TEMPLATE_TEST_CASE("moves of a container take the window along and leave none", "[delta_tracker]", ALL_REPRESENTATIONS) {
    using Set = set_of<TestType, true>;
    Set set;
    begin_window(set);
    Set moved(std::move(set));
    check_window<TestType>(moved);
    check_new(set);
    set = std::move(moved);
    check_window<TestType>(set);
    check_new(moved);
    moved.template observer<0>().open(1);
    moved.insert(1);
    check_delta(moved.template observer<0>(), 1, {0}, {});
    set.swap(moved);
    check_window<TestType>(moved);
    check_delta(set.template observer<0>(), 1, {0}, {});
    for (int i = 0; i != 500; ++i) set.insert(i);
    CHECK(set.template observer<0>().added(1).size() == 500);
    CHECK(set.template observer<0>().check_invariants(set.occupancy()));
}

TEMPLATE_TEST_CASE("a tracker by itself copies, moves, assigns and swaps", "[delta_tracker]", ALL_REPRESENTATIONS) {
    EveryByteReturned bytes;
    using Tracker = tracker_of<TestType, StatefulAllocator<std::byte>>;
    Tracker delta{StatefulAllocator<std::byte>(1)};
    delta.on_capacity(0, 300);
    for (slot_t slot = 0; slot != 200; ++slot) delta.on_insert(slot, InsertKind::fresh);
    delta.open(1);
    for (const slot_t slot : {slot_t{150}, slot_t{70}}) {
        delta.on_remove(slot);
        delta.on_erase(slot);
    }
    delta.on_insert(299, InsertKind::fresh);
    const slot_list gone{150, 70};
    Tracker copy(delta);
    check_delta(copy, 1, {299}, {70, 150});
    copy.on_insert(250, InsertKind::fresh);
    check_delta(copy, 1, {250, 299}, {70, 150});
    check_delta(delta, 1, {299}, {70, 150});
    Tracker moved(std::move(copy));
    check_delta(moved, 1, {250, 299}, {70, 150});
    check_delta(copy, 1, {}, {});
    CHECK(copy.window() == never_time);
    copy = delta;
    CHECK(slots_of(copy.removed(1)) == as_told<TestType>(gone, 3));
    swap(copy, moved);
    check_delta(copy, 1, {250, 299}, {70, 150});
    check_delta(moved, 1, {299}, {70, 150});
    moved = std::move(copy);
    check_delta(moved, 1, {250, 299}, {70, 150});
    auto& same = moved;
    moved = same;
    check_delta(moved, 1, {250, 299}, {70, 150});
    moved.on_reset();
    CHECK(moved.window() == never_time);
    check_delta(moved, 1, {}, {});
}
