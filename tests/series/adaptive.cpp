// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DeltaRepresentation::adaptive: a list while few slots were touched, then the bits. Where it changes over.

#include "support/catch.hpp"

#include <slotwise/series/delta_tracker.hpp>

#include <algorithm>
#include <vector>

using namespace slotwise;

namespace {

using Slots = std::vector<slot_t>;

Slots touched(const DeltaTracker<>& tracker) {
    Slots result;
    for (const slot_t slot : tracker.touched(tracker.window())) result.push_back(slot);
    return result;
}
Slots sorted(Slots slots) {
    std::sort(slots.begin(), slots.end());
    return slots;
}
/// `count` distinct slots below `slots`, in no order.
Slots scattered(slot_t slots, slot_t count) {
    Slots result;
    for (slot_t i = 0; i != count; ++i) result.push_back(static_cast<slot_t>((std::uint64_t{i} * 40'503 + 17) % slots));
    return result;
}
DeltaTracker<> tracker_of(slot_t slots) {
    DeltaTracker<> tracker;
    tracker.on_capacity(0, slots);
    for (slot_t slot = 0; slot != slots; ++slot) tracker.on_insert(slot, InsertKind::fresh);
    tracker.open(1);
    return tracker;
}

constexpr slot_t many = 65'536, few = many / 32;

} // namespace

TEST_CASE("up to one slot in 32 deltas come in the order of first touch, beyond it in slot order") {
    auto tracker = tracker_of(many);
    const Slots order = scattered(many, few + 1);
    for (slot_t i = 0; i != few; ++i) {
        tracker.touch(order[i]);
        tracker.touch(order[0]); // again: counts once
    }
    REQUIRE(touched(tracker) == Slots(order.begin(), order.end() - 1));
    tracker.touch(order[few]);
    REQUIRE(touched(tracker) == sorted(order));
    REQUIRE(tracker.touched(1).size() == few + 1);
}

TEST_CASE("the window after one with many changes begins as a list again, and empty") {
    auto tracker = tracker_of(many);
    for (const slot_t slot : scattered(many, 5 * few)) tracker.touch(slot);
    REQUIRE(tracker.open(2));
    REQUIRE(tracker.touched(2).empty());
    for (slot_t slot = 0; slot != many; ++slot) REQUIRE_FALSE(tracker.was_touched(slot, 2));
    tracker.touch(900);
    tracker.touch(70);
    REQUIRE(touched(tracker) == Slots{900, 70});
}

TEST_CASE("growth makes room for more changes; a list that was given up stays given up until the window rolls") {
    auto tracker = tracker_of(many);
    const Slots order = scattered(many, few + 1);
    for (slot_t i = 0; i != few; ++i) tracker.touch(order[i]);
    SECTION("before it is full") {
        tracker.on_capacity(many, 2 * many);
        tracker.touch(order[few]);
        REQUIRE(touched(tracker) == order);
    }
    SECTION("after") {
        tracker.touch(order[few]);
        tracker.on_capacity(many, 2 * many);
        REQUIRE(touched(tracker) == sorted(order));
        tracker.touch(5);
        REQUIRE(tracker.was_touched(5, 1));
        REQUIRE(touched(tracker).size() == few + 2);
    }
}

TEST_CASE("truth is forgotten with the window, by list and by bits") {
    for (const slot_t count : {10u, 4 * few}) {
        auto tracker = tracker_of(many);
        const Slots slots = scattered(many, count);
        for (const slot_t slot : slots) tracker.on_remove(slot), tracker.on_erase(slot);
        REQUIRE(tracker.removed(1).size() == count);
        tracker.open(2);
        for (const slot_t slot : slots) tracker.on_insert(slot, InsertKind::fresh);
        REQUIRE(tracker.added(2).size() == count);
        REQUIRE(tracker.removed(2).empty());
        tracker.open(3);
        for (const slot_t slot : slots) tracker.touch(slot);
        REQUIRE(tracker.added(3).empty());
        REQUIRE(tracker.removed(3).empty());
        REQUIRE(tracker.touched(3).size() == count);
        for (const slot_t slot : slots) REQUIRE(tracker.opening_flags(slot) == 0);
    }
}
