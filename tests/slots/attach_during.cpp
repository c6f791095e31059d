// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Attaching from inside an assignment, a restore and a move assignment: what the new observer is notified of.
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/map/dense_slot_map.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/soa_slot_map.hpp>
#include <slotwise/slots/value_array.hpp>

#include "support/catch.hpp"
#include "support/event_log.hpp"

#include <functional>
#include <utility>
#include <vector>

using namespace slotwise;
using test::Budget;
using test::EventLog;
using test::Events;
using test::LoggingObserver;

namespace {

/// Counts what it believes to be there; hearing twice of one, or of one it does not know, is a fault.
struct Mirror final : SlotObserver {
    std::vector<int> stored = std::vector<int>(8192), live = std::vector<int>(8192);
    slot_t slots = 0;
    int faults = 0, heard = 0;
    void on_capacity(slot_t before, slot_t now) override {
        faults += before != slots;
        slots = now;
    }
    void on_insert(slot_t slot, InsertKind kind) override {
        ++heard;
        faults += slot >= slots || live[slot]++ != 0 || (kind == InsertKind::fresh && stored[slot]++ != 0);
    }
    void on_remove(slot_t slot) noexcept override { faults += live[slot]-- != 1; }
    void on_erase(slot_t slot) noexcept override {
        faults += stored[slot]-- != 1;
        live[slot] = 0;
    }
    void on_reset() noexcept override {
        slots = 0;
        stored.assign(8192, 0);
        live.assign(8192, 0);
    }
    template <class C>
    bool agrees(const C& c) const {
        bool same = faults == 0 && slots == c.capacity();
        for (slot_t slot = 0; slot != 8192; ++slot) {
            const SlotState state = c.state(slot);
            same = same && (live[slot] == 1) == (state == SlotState::live) &&
                   (stored[slot] == 1) == (state == SlotState::live || state == SlotState::pending);
        }
        return same;
    }
};

template <class C>
void add(C& c, int n) {
    if constexpr (requires { c.insert(n, n); })
        c.insert(n, n);
    else
        c.insert(n);
}
template <class C>
void take_away(C& c, slot_t slot) {
    c.erase(c.handle_at(slot));
}

using Deferred = MapStorage<int, int, Options<KeySetOptions{.deferred_erase = true}>>;

/// Calls f(change) for each way in which all elements of `c` are exchanged and its observers stay.
template <class C, class F>
void for_each_exchange(F&& f) {
    C other;
    for (int i = 10; i != 16; ++i) add(other, i);
    take_away(other, 1);
    f([&](C& c) { c = other; });
    f([&](C& c) { c.restore(other.snapshot()); });
    f([](C& c) { c = C(std::as_const(c)); }); // moves: all are detached
}

} // namespace

#define CONTAINERS SlotMap<int>, DenseSlotMap<int>, (SoaSlotMap<int, int>), (MapStorage<int, int>), Deferred

TEMPLATE_TEST_CASE("an observer attached from inside an assignment or a restore is notified of the new contents once and of "
                   "the old ones never",
                   "", CONTAINERS) {
    enum When { in_clear, in_reset, in_capacity, in_insert, in_remove, whens };
    int attached = 0;
    for (int when = 0; when != whens; ++when)
        for (const bool last : {false, true}) // whether others are attached behind the one that acts
            for_each_exchange<TestType>([&](auto&& exchange) {
                CAPTURE(when, last);
                TestType c;
                add(c, 1);
                add(c, 2);
                Mirror newcomer, witness;
                LoggingObserver actor("actor");
                ObserverToken of_newcomer, of_actor = c.attach(actor), of_witness;
                if (!last) of_witness = c.attach(witness);
                const auto act = [&] {
                    if (!of_newcomer.attached()) of_newcomer = c.attach(newcomer);
                };
                if (when == in_clear) actor.during_clear = act;
                if (when == in_reset) actor.during_reset = act;
                if (when == in_capacity) actor.during_capacity = act;
                if (when == in_insert) actor.during_insert = [&](slot_t) { act(); };
                if (when == in_remove) actor.during_remove = [&](slot_t) { act(); };
                exchange(c);
                actor.during_clear = actor.during_reset = actor.during_capacity = nullptr;
                actor.during_insert = actor.during_remove = nullptr;
                EventLog::take();
                if (!of_actor.attached()) { // a move assignment: nothing is left, and nothing was heard
                    CHECK((!of_newcomer.attached() && newcomer.heard == 0 && newcomer.faults == 0 && newcomer.slots == 0));
                    return;
                }
                if (of_newcomer.attached()) {
                    ++attached;
                    CHECK(newcomer.heard >= 5);
                    CHECK(newcomer.agrees(c));
                }
                if (!last) CHECK(witness.agrees(c));
                add(c, 99);
                take_away(c, 0);
                if (of_newcomer.attached()) CHECK(newcomer.agrees(c));
                EventLog::take();
            });
    CHECK(attached >= 16);
}

TEST_CASE("an observer attached from on_reset of a move assignment is not notified and detached") {
    SlotMap<int> map, other;
    map.insert(1);
    other.insert(2);
    LoggingObserver actor("a"), late("late");
    ObserverToken of_late;
    const auto token = map.attach(actor);
    actor.during_reset = [&] { of_late = map.attach(late); };
    EventLog::take();
    map = std::move(other);
    CHECK(EventLog::take() == Events{"a clear 0", "a reset"});
    CHECK_FALSE(of_late.attached());
    const auto again = map.attach(actor);
    EventLog::take();
    actor.during_reset = [&] { of_late = map.attach(late); };
    {
        const SlotMap<int> dying(std::move(map)); // takes its observers along
    }
    const auto events = EventLog::take();
    CHECK(events == Events{"a clear 0", "a reset"});
}

#if defined(__cpp_exceptions)
TEMPLATE_TEST_CASE(
    "when an observer throws during an assignment, those who know the capacity stay with an empty target, and the "
    "others are let go",
    "[throws]", CONTAINERS) {
    TestType source;
    for (int i = 0; i != 3; ++i) add(source, i);
    int detached = 0, kept = 0;
    const auto failures = test::fail_at_every_step(test::swept<TestType>("operator=(copy)"), [&](auto&& attempt) {
        TestType target;
        Mirror first, last;
        LoggingObserver thrower("thrower", true);
        const auto of_first = target.attach(first), of_thrower = target.attach(thrower), of_last = target.attach(last);
        if (attempt([&] { target = source; })) {
            CHECK(target.empty());
            CHECK(of_first.attached());
            CHECK(first.agrees(target));
            for (const bool attached : {of_thrower.attached(), of_last.attached()}) (attached ? kept : detached) += 1;
        }
        add(target, 7); // whoever is left can follow
        if (of_last.attached()) CHECK(last.agrees(target));
        CHECK(first.agrees(target));
        EventLog::take();
    });
    CHECK(failures == 4); // capacity, three elements
    CHECK(detached == 2);
    CHECK(kept == 6);
}

TEST_CASE("a column whose allocator refuses the capacity of an assigned map is detached, and inserts do without it",
          "[throws]") {
    struct Small final : SlotObserver {
        void on_capacity(slot_t, slot_t) override { throw 1; }
        void on_insert(slot_t, InsertKind) override { ++misled; }
        int misled = 0;
    } small;
    SlotMap<int> source, target;
    source.insert(1);
    const auto token = target.attach(small);
    CHECK_THROWS_AS(target = source, int);
    CHECK_FALSE(token.attached());
    target.insert(2);
    CHECK(small.misled == 0);
}
#endif
