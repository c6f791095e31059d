// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The slot directory in constant expressions.
#include "support/catch.hpp"
#include "support/constant.hpp"

#include <slotwise/slots/slot_directory.hpp>

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

} // namespace

IN_CONSTANTS("a directory and its undoing work in constant expressions: lowest", directories<Reuse::lowest>())
IN_CONSTANTS("a directory and its undoing work in constant expressions: lifo", directories<Reuse::lifo>())
IN_CONSTANTS("a directory and its undoing work in constant expressions: fifo", directories<Reuse::fifo>())
