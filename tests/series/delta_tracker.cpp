// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DeltaTracker alone: windows, net effects, order of ranges, in sets with and without deferred erase and in slot maps.
#include "delta_tracker.hpp"
#include "support/thrown.hpp"

#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/value_array.hpp>

#include <stdexcept>
#include <string>
#include <utility>

using namespace test;

static_assert(StaticObserver<tracker_of<DirtyList>> && StaticObserver<tracker_of<Bitmap>> &&
              StaticObserver<tracker_of<Adaptive>>);
static_assert(std::is_nothrow_move_constructible_v<DeltaTracker<>> && std::is_copy_constructible_v<DeltaTracker<>>);
static_assert(DeltaTracker<>::representation == DeltaRepresentation::adaptive);
static_assert(std::forward_iterator<DeltaTracker<>::range::iterator>);

//=== windows ===//

TEMPLATE_TEST_CASE("before the first window there are no deltas", "[delta_tracker]", ALL_REPRESENTATIONS) {
    set_of<TestType, true> set;
    auto& delta = set.template observer<0>();
    CHECK(delta.window() == never_time);
    set.insert(1);
    set.insert(2);
    set.remove(1);
    for (const std::int64_t time : {never_time, never_time + 1, std::int64_t{0}}) {
        CHECK_FALSE(delta.current(time));
        check_delta(delta, time, {}, {});
        CHECK(delta.touched(time).empty());
        CHECK_FALSE(delta.was_added(0, time));
        CHECK_FALSE(delta.was_touched(0, time));
    }
    set.flush_removed();
    delta.open(1);
    check_delta(delta, 1, {}, {});
    set.remove(2);
    check_delta(delta, 1, {}, {1}); // it lived before the window
    CHECK(delta.check_invariants(set.occupancy()));
}

TEMPLATE_TEST_CASE("a window opens at a newer time; equal and older times join it", "[delta_tracker]", ALL_REPRESENTATIONS) {
    set_of<TestType, true> set;
    auto& delta = set.template observer<0>();
    CHECK(delta.open(10));
    CHECK(delta.window() == 10);
    set.insert(1);
    CHECK_FALSE(delta.open(10));
    CHECK_FALSE(delta.open(9));
    CHECK_FALSE(delta.open(never_time + 1));
    CHECK(delta.window() == 10);
    check_delta(delta, 10, {0}, {});
    CHECK(delta.open(11));
    check_delta(delta, 11, {}, {});
    CHECK(delta.open(INT64_MAX));
    CHECK_FALSE(delta.open(INT64_MAX));
}

TEMPLATE_TEST_CASE("the first window may be at any time but never", "[delta_tracker]", ALL_REPRESENTATIONS) {
    set_of<TestType, true> set;
    auto& delta = set.template observer<0>();
    CHECK(delta.open(never_time + 1));
    set.insert(1);
    check_delta(delta, never_time + 1, {0}, {});
    CHECK(delta.open(-5));
    check_delta(delta, -5, {}, {});
}

TEMPLATE_TEST_CASE("a window at never is refused, by the argument's name, and nothing has happened", "[delta_tracker]",
                   ALL_REPRESENTATIONS) {
    set_of<TestType, true> set;
    auto& delta = set.template observer<0>();
    delta.open(3);
    set.insert(1);
    const std::string message = test::thrown_text<std::invalid_argument>([&] { delta.open(never_time); });
    CHECK(message.find("open(time): time is \"never\"") != std::string::npos);
    CHECK(delta.window() == 3);
    check_delta(delta, 3, {0}, {});
}

TEMPLATE_TEST_CASE("deltas are to be had for the open window only", "[delta_tracker]", ALL_REPRESENTATIONS) {
    set_of<TestType, true> set;
    auto& delta = set.template observer<0>();
    set.insert(0);
    delta.open(5);
    set.remove(0);
    set.insert(1);
    for (const std::int64_t time : {std::int64_t{4}, std::int64_t{6}, never_time}) {
        CHECK_FALSE(delta.current(time));
        check_delta(delta, time, {}, {});
        CHECK(delta.touched(time).empty());
        CHECK_FALSE(delta.was_added(1, time));
        CHECK_FALSE(delta.was_removed(0, time));
        CHECK_FALSE(delta.was_touched(0, time));
    }
    CHECK(delta.current(5));
    check_delta(delta, 5, {1}, {0});
}

TEMPLATE_TEST_CASE("a range made before a roll is empty after it", "[delta_tracker]", ALL_REPRESENTATIONS) {
    set_of<TestType, true> set;
    auto& delta = set.template observer<0>();
    set.insert(0);
    delta.open(1);
    set.remove(0);
    set.insert(1);
    const auto added = delta.added(1), removed = delta.removed(1), touched = delta.touched(1);
    CHECK(slots_of(added) == slot_list{1});
    CHECK(slots_of(removed) == slot_list{0});
    CHECK(touched.size() == 2);
    set.flush_removed();
    delta.open(2);
    set.insert(2); // something is touched in the new window
    for (const auto& range : {added, removed, touched}) {
        CHECK(range.empty());
        CHECK(range.size() == 0);
        CHECK(range.begin() == range.end());
    }
    const auto future = delta.added(3);
    CHECK(future.empty());
    delta.open(3);
    set.insert(3);
    CHECK(slots_of(future) == slot_list{set.slot_of(3)}); // it reads as it goes
    CHECK(typename tracker_of<TestType>::range().empty());
}

TEMPLATE_TEST_CASE("no slot that there is not was changed", "[delta_tracker]", ALL_REPRESENTATIONS) {
    set_of<TestType, true> set;
    auto& delta = set.template observer<0>();
    delta.open(1);
    CHECK_FALSE(delta.was_added(0, 1)); // no memory yet
    set.insert(1);
    for (const slot_t slot : {slot_t{1}, slot_t{63}, slot_t{64}, slot_t{1} << 20, no_slot}) {
        CHECK_FALSE(delta.was_added(slot, 1));
        CHECK_FALSE(delta.was_removed(slot, 1));
        CHECK_FALSE(delta.was_touched(slot, 1));
    }
}

//=== net effects ===//

TEMPLATE_TEST_CASE("the truth about a slot is that of its first touch in the window", "[delta_tracker]", ALL_REPRESENTATIONS) {
    set_of<TestType, true> set;
    auto& delta = set.template observer<0>();
    const auto lost_a_value = [&](slot_t slot) { return delta.words().selected(slot, slotwise::detail::DeltaPart::dropped); };
    for (int i = 0; i != 4; ++i) set.insert(i);
    delta.open(1);
    delta.touch(0, false); // it had no value
    delta.touch(0, true);
    delta.touch(1, true);
    delta.touch(1, false);
    CHECK(delta.touched(1).size() == 2);
    set.remove(0);
    set.remove(1);
    check_delta(delta, 1, {}, {0, 1});
    CHECK_FALSE(lost_a_value(0));
    CHECK(lost_a_value(1));
    delta.open(2);
    CHECK(delta.touched(2).empty());
    delta.touch(2, false);
    delta.open(3);
    CHECK(delta.touched(3).empty());
    delta.touch(2, true);
    set.remove(2);
    CHECK(lost_a_value(2)); // nothing of the windows before is left
}

TEMPLATE_TEST_CASE("a clear and a reset: the deltas go on after the first, and start again after the second", "[delta_tracker]",
                   ALL_REPRESENTATIONS) {
    set_of<TestType, true> set;
    auto& delta = set.template observer<0>();
    for (int i = 0; i != 200; ++i) set.insert(i);
    delta.open(7);
    set.insert(200);
    set.clear();
    CHECK(delta.removed(7).size() == 200);
    CHECK(delta.added(7).empty());
    CHECK(delta.window() == 7);
    set.reset();
    CHECK(delta.window() == never_time);
    CHECK(delta.removed(7).empty());
    CHECK(delta.touched(7).empty());
    CHECK(delta.check_invariants(set.occupancy()));
    CHECK(delta.open(3)); // any window is newer than none
    set.insert(1);
    check_delta(delta, 3, {0}, {});
    CHECK(delta.check_invariants(set.occupancy()));
}

//=== order ===//

TEMPLATE_TEST_CASE("an iterator of a delta names the slot, and can be kept and compared", "[delta_tracker]",
                   ALL_REPRESENTATIONS) {
    set_of<TestType, true> set;
    auto& delta = set.template observer<0>();
    delta.open(1);
    for (int i = 0; i != 130; ++i) set.insert(i);
    const auto range = delta.added(1);
    auto it = range.begin();
    const auto first = it;
    for (slot_t slot = 0; slot != 130; ++slot, ++it) {
        REQUIRE(it != range.end());
        REQUIRE(it.slot() == slot);
        REQUIRE(*it == slot);
    }
    CHECK(it == range.end());
    CHECK(it.slot() == no_slot);
    CHECK(*first == 0);
    auto second = first;
    CHECK(*second++ == 0);
    CHECK(*second == 1);
    CHECK(std::distance(range.begin(), range.end()) == 130);
}

//=== other containers ===//

TEMPLATE_TEST_CASE("a tracker in a slot map", "[delta_tracker]", ALL_REPRESENTATIONS) {
    SlotMap<std::string, tracker_of<TestType>> map;
    auto& delta = map.template observer<0>();
    const auto a = map.insert("a"), b = map.insert("b");
    delta.open(1);
    map.erase(a);
    const auto c = map.insert("c");
    REQUIRE(c.index() == a.index());
    check_delta(delta, 1, {c.index()}, {a.index()});
    delta.touch(b.index());
    CHECK(delta.touched(1).size() == 2);
    map.clear();
    check_delta(delta, 1, {}, {0, 1});
    delta.open(2);
    check_delta(delta, 2, {}, {});
    CHECK(delta.check_invariants(map.occupancy()));
}

TEMPLATE_TEST_CASE("a tracker attached late knows what lived before, and does not say it was added", "[delta_tracker]",
                   ALL_REPRESENTATIONS) {
    SetStorage<int, Options<tracked_options(true)>> set;
    for (int i = 0; i != 100; ++i) set.insert(i);
    set.remove(50); // replayed as inserted and removed
    DynamicColumn<tracker_of<TestType>> column;
    auto& delta = column.column();
    auto token = set.attach(column);
    CHECK(delta.check_invariants(set.occupancy()));
    delta.open(1);
    check_delta(delta, 1, {}, {});
    set.remove(7);
    set.insert(1000);
    set.remove(1000);
    const slot_t b = set.insert(1001).it.slot();
    set.insert(50); // pending when the window opened: no member then
    check_delta(delta, 1, {50, b}, {7});
    for (int i = 2000; i != 2300; ++i) set.insert(i); // grows
    CHECK(delta.added(1).size() == 302);
    CHECK(delta.check_invariants(set.occupancy()));
    token.detach();
    set.remove(8);
    CHECK_FALSE(delta.was_removed(8, 1));
}

TEMPLATE_TEST_CASE("what is restored of a slot comes back, whether it was touched before or not", "[delta_tracker]",
                   ALL_REPRESENTATIONS) {
    tracker_of<TestType> delta;
    delta.on_capacity(0, 64);
    delta.on_insert(1, InsertKind::fresh);
    delta.on_insert(2, InsertKind::fresh);
    delta.restore_window(5);
    delta.on_insert(2, InsertKind::fresh); // touched
    for (const slot_t slot : {slot_t{1}, slot_t{2}}) {
        delta.restore_opening(slot, 2 | 1 | 4 | 8); // another one ended there; it lives again
        CHECK(delta.opening_flags(slot) == 15);
    }
    CHECK(sorted(delta.touched(5)) == slot_list{1, 2}); // each once
    CHECK(delta.touched(5).size() == 2);
    const bits::word_t live = 0b110;
    CHECK(delta.check_invariants(Occupancy(&live, 64)));
}

TEMPLATE_TEST_CASE("a slot that goes on from one that was not live when the window opened was not live either",
                   "[delta_tracker]", ALL_REPRESENTATIONS) {
    tracker_of<TestType> delta;
    delta.on_capacity(0, 64);
    delta.on_insert(0, InsertKind::fresh);
    delta.open(1);
    delta.on_insert(1, InsertKind::fresh);
    delta.on_remove(1);
    delta.on_insert(2, InsertKind::fresh);
    delta.inherit(1, 2);
    check_delta(delta, 1, {2}, {});
    delta.on_remove(0);
    delta.on_insert(3, InsertKind::fresh);
    delta.inherit(0, 3); // this one was
    check_delta(delta, 1, {2}, {});
    const bits::word_t live = 0b1100;
    CHECK(delta.check_invariants(Occupancy(&live, 64)));
}
