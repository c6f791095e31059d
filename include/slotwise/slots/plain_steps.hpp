// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// PlainSteps: the steps of a SlotContainer whose elements need no destruction, without the type of the elements.
#ifndef SLOTWISE_SLOTS_PLAIN_STEPS_HPP
#define SLOTWISE_SLOTS_PLAIN_STEPS_HPP

#include "../core/scope_guard.hpp"
#include "observer_hub.hpp"
#include "pending_slots.hpp"
#include "slot_directory.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Steps that are rare, or linear in slots. A hundred element types without columns have them once: they read no element.
template <class Directory, class Pending, class Hub>
struct PlainSteps {
    /// Room in all parts but the store. @param room slots that the store has room for
    /// Throws what the allocator and observers throw. Strong
    template <class Bytes>
    SLOTWISE_NEVER_INLINE static constexpr void reserve(Directory& directory, Pending& pending, Hub& hub, const Bytes& bytes,
                                                        std::size_t slots, std::size_t room) {
        room = hub.capacity_for(slots, room);
        const std::size_t before = directory.capacity();
        // Doubled, because it is copied when it grows. A copy at each growth by a page was quadratic.
        const bool full = !std::is_same_v<Pending, NoPendingSlots> && room > pending.room();
        auto more_pending = pending.resized(!full ? 0 : room < 2 * pending.room() ? 2 * pending.room() : room, bytes);
        if (!directory.covers(room)) {
            auto more = directory.prepare(room, bytes);
            hub.capacity(before, room);
            directory.adopt(more);
        } else
            hub.capacity(before, room);
        if (full) pending.swap(more_pending);
        directory.set_capacity(room);
    }
    /// Takes the next slot for notify_insert(). @pre there is room
    SLOTWISE_NEVER_INLINE static slot_t acquire(Directory& directory) noexcept { return directory.acquire(); }
    /// The second half of an insert that observers are notified of: the slot was acquired and its element built.
    /// Throws what an observer throws. The slot is free again then
    SLOTWISE_NEVER_INLINE static void notify_insert(Directory& directory, Hub& hub, slot_t slot, bool was_fresh) {
        ScopeGuard undo([&]() noexcept { directory.undo_acquire(slot, was_fresh); });
        hub.insert(slot, InsertKind::fresh);
        undo.dismiss();
        directory.commit(slot);
    }
    /// The slot is blocked until all observers were notified: they may insert. @pre directory.is_live(slot)
    SLOTWISE_NEVER_INLINE static void erase_notifying(Directory& directory, Hub& hub, slot_t slot) noexcept {
        directory.remove(slot);
        hub.erase(slot);
        directory.release(slot);
    }
    SLOTWISE_NEVER_INLINE static constexpr void clear(Directory& directory, Hub& hub) noexcept {
        const slot_t end = directory.begin_clear();
        hub.clear(directory.occupancy());
        directory.end_clear(end);
    }
};

} // namespace detail
SLOTWISE_END

#endif
