// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The slot directory and its observers in constant expressions.
#include "support/catch.hpp"
#include "support/constant.hpp"

#include <slotwise/slots/detail/slot_directory.hpp>
#include <slotwise/slots/detail/observer_hub.hpp>

namespace {

using namespace slotwise;

template <Reuse R>
constexpr int directories() {
    const std::allocator<std::byte> alloc;
    SlotDirectory<HandleLayout{}, Exhaustion::retire, R> directory(alloc);
    auto room = directory.prepare(64, alloc);
    directory.adopt(room);
    directory.set_capacity(64);

    HOLDS(directory.next_is_fresh());
    slot_t slot = directory.acquire();
    directory.undo_acquire(slot, true);
    HOLDS(slot == 0 && directory.cursor() == 0);
    for (int i = 0; i != 4; ++i) slot = directory.acquire_live();
    directory.erase(1);
    HOLDS(slot == 3 && directory.size() == 3 && !directory.is_live(1) && !directory.next_is_fresh());
    slot = directory.acquire();
    HOLDS(slot == 1 && directory.state(1) == SlotState::pending);
    directory.undo_acquire(slot, false);
    HOLDS(directory.state(1) == SlotState::free && directory.check_invariants());

    slot = directory.reserve_slot();
    directory.unreserve(slot);
    HOLDS(directory.reserved() == 0);
    directory.undo_unreserve(slot);
    HOLDS(directory.reserved() == 1 && directory.state(slot) == SlotState::reserved);
    directory.unreserve(slot);
    directory.skip_version(slot);

    HOLDS(directory.can_take(10, 1) && !directory.can_take(10, 2) && !directory.can_take(0, 3));
    const std::uint32_t version = directory.take(10, 7);
    HOLDS(version == 0 && directory.cursor() == 11 && directory.version(10) == 6);
    directory.undo_take(10, version, 4);
    HOLDS(directory.cursor() == 4 && directory.check_invariants());
    directory.take(10, 7);
    directory.commit(10);
    directory.take(5, 3);
    directory.undo_take(5, 0);
    HOLDS(directory.is_live(10, 7) && directory.state(5) == SlotState::free && directory.check_invariants());

    directory.erase(10);
    slot = directory.cursor();
    HOLDS(directory.lower_cursor() == 4 && directory.cursor() == 4);
    directory.restore_cursor(slot);
    HOLDS(directory.cursor() == 11 && directory.check_invariants());

    const slot_t end = directory.begin_clear();
    HOLDS(end == 11 && !directory.is_live(0) && directory.occupancy().test(0));
    directory.mark_destroyed(0);
    HOLDS(!directory.occupancy().test(0) && directory.occupancy().test(2));
    directory.end_clear(end);
    HOLDS(directory.size() == 0 && directory.occupancy().none() && directory.check_invariants());

    auto exact = directory.prepare_exactly(65, alloc); // of whole words
    directory.adopt(exact);
    HOLDS(directory.covers(128) && !directory.covers(129));
    auto amortised = directory.prepare(129, alloc); // half as much again
    directory.adopt(amortised);
    HOLDS(directory.covers(192) && !directory.covers(193) && directory.check_invariants());
    const auto moved(std::move(directory));
    HOLDS(moved.covers(192) && !directory.covers(1) && directory.check_invariants());
    return 0;
}

/// Counts its notifications.
struct Counter {
    slot_t slots = 0;
    int inserted = 0, removed = 0, erased = 0;
    constexpr void on_capacity(slot_t, slot_t now) { slots = now; }
    constexpr void on_insert(slot_t, InsertKind) { ++inserted; }
    constexpr void on_remove(slot_t) noexcept { ++removed; }
    constexpr void on_erase(slot_t) noexcept { ++erased; }
};
/// Counts, and learns the live slots when it is copied or its contents are taken.
struct Follower : Counter {
    std::size_t copied = 0, taken = 0;
    constexpr Follower() = default;
    constexpr Follower(const Follower& other, Occupancy live) : Counter(other), copied(live.count()) {}
    constexpr void take_from(Follower&, Occupancy live) noexcept { taken = live.count(); }
};

constexpr int hubs() {
    const bits::word_t words[] = {0b1011};
    const Occupancy live(words, 64);
    detail::ObserverHub<Counter, Follower> hub;
    hub.capacity(0, 64);
    hub.replay(live);
    HOLDS(hub.get<0>().slots == 64 && hub.get<0>().inserted == 3 && hub.get<1>().inserted == 3);
    hub.replay<1>(live);
    HOLDS(hub.get<0>().inserted == 3 && hub.get<1>().inserted == 6);
    hub.erase(1);
    hub.removed(0);
    HOLDS(hub.get<0>().removed == 2 && hub.get<0>().erased == 1 && hub.get<1>().removed == 2 && hub.get<1>().erased == 1);
    detail::ObserverHub<Counter, Follower> copy(hub, live), taker;
    HOLDS(copy.get<0>().inserted == 3 && copy.get<1>().inserted == 6 && copy.get<1>().copied == 3);
    taker.take_from(hub, live, true);
    HOLDS(taker.get<0>().inserted == 0 && taker.get<1>().taken == 0);
    taker.take_from(hub, live, false); // exchanged, or taken from
    HOLDS(taker.get<0>().inserted == 3 && hub.get<0>().inserted == 0 && taker.get<1>().taken == 3);
    return 0;
}

/// An observer that detaches during a notification leaves a null, which is swept after it. (A token is made at run time, so
/// none is moved.)
constexpr int cells() {
    int one = 1;
    auto* const cell = new detail::BasicObserverCell<int>;
    auto list = cell->list.resized(4, nullptr);
    cell->list.swap(list);
    cell->list[0] = &one;
    cell->list[2] = &one;
    cell->count = 3;
    cell->nulls = 1;
    int swept_early = 0;
    {
        const detail::BasicObserverCell<int>::Notification outer(*cell);
        const detail::BasicObserverCell<int>::Notification inner(*cell);
        cell->remove(2);
        swept_early = cell->count != 3 || cell->depth != 2;
    }
    const bool swept = cell->count == 1 && cell->list[0] == &one && cell->nulls == 0 && cell->depth == 0;
    ++cell->owners;
    detail::BasicObserverCell<int>::release(cell);
    const bool kept = cell->owners == 1;
    cell->detach_all();
    const bool disbanded = cell->count == 0;
    detail::BasicObserverCell<int>::release(cell);
    HOLDS(swept_early == 0 && swept && kept && disbanded);
    return 0;
}

/// What may be attached counts its attachments at level debug and ends the program when it dies attached; its copies are not.
struct Listener {
    int number;
    detail::AttachmentCount count{};
    constexpr explicit Listener(int n) : number(n) {}
    constexpr detail::AttachmentCount& attachments() noexcept { return count; }
};
constexpr int attachments() {
    Listener one(1), two(2);
    detail::BasicObserverCell<Listener> cell;
    auto list = cell.list.resized(1, nullptr);
    cell.list.swap(list);
    cell.count = 1;
    cell.replace(0, one);
    HOLDS(cell.list[0] == &one);
    cell.replace(0, two);
    HOLDS(cell.list[0] == &two);
    int sum = 0;
    {
        Listener copy(two);
        copy = one;
        sum = copy.number;
    }
    two = one; // still attached
    HOLDS(sum == 1 && cell.list[0] == &two && two.number == 1);
    cell.remove(0);
    HOLDS(cell.count == 0);
    return 0;
}

} // namespace

IN_CONSTANTS("a directory and its undoing work in constant expressions: lowest", directories<Reuse::lowest>())
IN_CONSTANTS("a directory and its undoing work in constant expressions: lifo", directories<Reuse::lifo>())
IN_CONSTANTS("a directory and its undoing work in constant expressions: fifo", directories<Reuse::fifo>())
IN_CONSTANTS("static observers are told in constant expressions", hubs())
IN_CONSTANTS("lists of observers are swept in constant expressions", cells())
IN_CONSTANTS("copies of an attached observer are not attached in constant expressions", attachments())
