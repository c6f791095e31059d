// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A DeltaTracker alone in containers of several kinds:
//     TEMPLATE_TEST_CASE("...", "", ALL_REPRESENTATIONS) { set_of<TestType, true> set; auto& delta = set.template observer<0>(); ... }
#ifndef SLOTWISE_TESTS_SERIES_DELTA_TRACKER_HPP
#define SLOTWISE_TESTS_SERIES_DELTA_TRACKER_HPP

#include <slotwise/keyed/set_storage.hpp>
#include <slotwise/series/delta_tracker.hpp>

#include "representations.hpp"
#include "support/allocators.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace test {

using namespace slotwise;

using slot_list = std::vector<slot_t>;
constexpr std::int64_t never_time = TimeTraits<std::int64_t>::never();

template <class R, class Allocator = std::allocator<std::byte>>
using tracker_of = DeltaTracker<std::int64_t, R::representation, Allocator>;

constexpr KeySetOptions tracked_options(bool deferred) { return {.deferred_erase = deferred, .page_slots = 64}; }

/// Sets of numbers whose first observer is a tracker.
template <class R, bool Deferred, class Key = int, class Allocator = std::allocator<Key>, class... More>
using set_of = SetStorage<Key, Options<tracked_options(Deferred)>, AllocBy<Allocator>,
                          tracker_of<R, typename std::allocator_traits<Allocator>::template rebind_alloc<std::byte>>, More...>;

/// In the order of the walk.
template <class Range>
slot_list slots_of(const Range& range) {
    slot_list slots;
    for (const slot_t slot : range) slots.push_back(slot);
    return slots;
}
template <class Range>
slot_list sorted(const Range& range) {
    slot_list slots = slots_of(range);
    std::sort(slots.begin(), slots.end());
    return slots;
}
/// An adaptive tracker has a list of touched slots until there are more than this, or than one slot in 32; then it has bits.
constexpr std::size_t adaptive_list = 64;
/// In the order in which this representation tells slots that were touched in the order of `slots`, when `touched` slots were
/// in all.
template <class R>
slot_list as_told(slot_list slots, std::size_t touched) {
    const bool by_list = R::representation == DeltaRepresentation::dirty_list ||
                         (R::representation == DeltaRepresentation::adaptive && touched <= adaptive_list);
    if (!by_list) std::sort(slots.begin(), slots.end());
    return slots;
}

/// The ranges, their sizes and the single answers say the same; and they say this.
template <class Tracker>
void check_delta(const Tracker& delta, std::int64_t time, const slot_list& added, const slot_list& removed) {
    REQUIRE(sorted(delta.added(time)) == added);
    REQUIRE(sorted(delta.removed(time)) == removed);
    REQUIRE(delta.added(time).size() == added.size());
    REQUIRE(delta.removed(time).size() == removed.size());
    REQUIRE(delta.added(time).empty() == added.empty());
    REQUIRE(delta.removed(time).empty() == removed.empty());
    for (const slot_t slot : added) REQUIRE((delta.was_added(slot, time) && delta.was_touched(slot, time)));
    for (const slot_t slot : removed) REQUIRE((delta.was_removed(slot, time) && delta.was_touched(slot, time)));
}

/// 5000 numbers; in window 1: some gone, some new, one touched.
template <class Set>
void begin_window(Set& set) {
    auto& delta = set.template observer<0>();
    for (int i = 0; i != 5000; ++i) set.insert(i);
    delta.open(1);
    for (const int key : {4999, 7, 4100}) set.remove(key);
    set.insert(10'000);
    delta.touch(50);
}
template <class R, class Set>
void check_window(const Set& set) {
    const auto& delta = set.template observer<0>();
    REQUIRE(delta.window() == 1);
    REQUIRE(slots_of(delta.removed(1)) == as_told<R>({4999, 7, 4100}, 5));
    REQUIRE(slots_of(delta.added(1)) == slot_list{5000});
    REQUIRE(slots_of(delta.touched(1)) == as_told<R>({4999, 7, 4100, 5000, 50}, 5));
    REQUIRE(delta.check_invariants(set.occupancy()));
}
template <class Set>
void check_new(const Set& set) {
    const auto& delta = set.template observer<0>();
    REQUIRE(delta.window() == never_time);
    REQUIRE(delta.touched(1).empty());
    REQUIRE(delta.check_invariants(set.occupancy()));
}

} // namespace test

#endif
