// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// check_invariants() of a delta tracker and of series notices damage to each part. That of containers: keyed/damaged_keyed.cpp.
#include "representations.hpp"
#include "support/catch.hpp"
#include "support/private_access.hpp"

#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;
using test::notices;
using test::reach;

namespace {

using List = DeltaTracker<std::int64_t, DeltaRepresentation::dirty_list>;
TEST_PRIVATE(ListNow, List, now_)
TEST_PRIVATE(ListTouched, List, touched_)
TEST_PRIVATE(ListLive, List, live_)
TEST_PRIVATE(ListOpening, List, opening_)
TEST_PRIVATE(ListSlots, List, list_)

using Set = TSSStorage<int>;
using Dict = TSDStorage<int, int>;
using Sets = TSDStorage<int, Set>;
TEST_PRIVATE(SetState, Set, state_)
TEST_PRIVATE(DictState, Dict, state_)
TEST_PRIVATE(SetsState, Sets, state_)
using State = test::reached_t<DictState, Dict>;
TEST_PRIVATE(DictUnset, State, unset_)
using Store = test::reached_t<SetState, Set>::store_type;
TEST_PRIVATE(StoreCore, Store, core_)
using StoreDirectory = test::reached_t<StoreCore, Store>::Directory;
TEST_PRIVATE(Counters, StoreDirectory, n_)
using Tracker = std::remove_cvref_t<decltype(std::declval<Set&>().tracker())>;
TEST_PRIVATE(Touched, Tracker, touched_)

} // namespace

TEST_CASE("a delta tracker notices bits, truths and a list that disagree", "[delta_tracker]") {
    // 0 to 9 live; in window 1 slot 1 was touched, 2 removed, 10 inserted.
    List tracker;
    tracker.on_capacity(0, 64);
    for (slot_t slot = 0; slot != 10; ++slot) tracker.on_insert(slot, InsertKind::fresh);
    tracker.open(1);
    tracker.touch(1);
    tracker.on_remove(2);
    tracker.on_insert(10, InsertKind::fresh);
    const bits::word_t words[2] = {0b111'1111'1011, 0};
    const Occupancy live(words, 64);
    auto& now = reach<ListNow>(tracker);
    auto& truth = reach<ListOpening>(tracker)[0];
    auto& list = reach<ListSlots>(tracker);
    CHECK(notices(tracker, reach<ListLive>(tracker)[0], words[0] | bits::bit_of(2), live));
    CHECK(notices(tracker, truth.reinserted, bits::bit_of(5), live));                    // was not touched
    CHECK(notices(tracker, truth.was_vacant, truth.was_vacant | bits::bit_of(1), live)); // dead, and had a value
    CHECK(notices(tracker, now.values_only, true, live));                                // one was removed
    CHECK(notices(tracker, list[0], 60, live));
    CHECK(notices(tracker, list[2], 60, live));
    CHECK(notices(tracker, reach<ListTouched>(tracker)[0], reach<ListTouched>(tracker)[0] | bits::bit_of(20), live));
    CHECK(notices(tracker, now.listed, 2, live));
    CHECK(notices(tracker, now.by_list, false, live)); // what a dirty list never is in a window
    CHECK(tracker.check_invariants(live));
    CHECK_FALSE(tracker.check_invariants(Occupancy(words, 128))); // slots that it was not notified of
}

TEST_CASE("a series notices damage to its container, its deltas and its times", "[series]") {
    Set set;
    {
        auto w = set.write(1);
        for (int key = 0; key != 5; ++key) w.add(key);
    }
    {
        auto w = set.write(2);
        w.remove(1);
        w.add(9);
    }
    auto& store = reach<SetState>(set).store();
    auto& times = test::reached_t<SetState, Set>::times_of(store);
    CHECK(notices(set, reach<Counters>(reach<StoreCore>(store).directory).retired, 1));
    CHECK(notices(set, reach<Touched>(test::reached_t<SetState, Set>::tracker_of(store))[0], 0));
    CHECK(notices(set, times[0], 3)); // later than the window
    CHECK(notices(set, times[0], 2)); // in the window, and not touched
    CHECK(notices(set, times[store.slot_of(9)], 3));
    CHECK(notices(set, reach<SetState>(set).notification().whole.last, 3));
}

TEST_CASE("a dictionary notices a wrong count of members without a value, and nested times that disagree", "[series]") {
    Dict dict;
    dict.write(1).create(1);
    dict.write(1).set(2, 20);
    CHECK(notices(dict, reach<DictUnset>(reach<DictState>(dict)), 2));
    CHECK(notices(dict, reach<DictUnset>(reach<DictState>(dict)), 0));
    Sets sets;
    sets.write(1).create(1);
    sets.write(2).modify(1).add(5);
    sets.write(3).touch();
    auto& times = test::reached_t<SetsState, Sets>::times_of(reach<SetsState>(sets).store());
    CHECK(notices(sets, times[sets.slot_of(1)], 1)); // the nested set says 2
}
