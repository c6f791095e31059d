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

struct AcquiredSlot {
    slot_t slot;
    bool fresh; ///< for undo_acquire()
};
/// Takes the next slot, for inserts that anything may interrupt. Containers of many types share it. @pre there is room
template <class Directory>
SLOTWISE_NEVER_INLINE constexpr AcquiredSlot acquire_slot(Directory& directory) noexcept {
    const bool fresh = directory.next_is_fresh();
    return {directory.acquire(), fresh};
}

/// An erase that the directory does not do at once, or that dynamic observers are notified of: they may insert, and the slot is
/// blocked until all know. Containers of many types share it. @param dynamic the attached observers; null: none
template <class Directory>
SLOTWISE_NEVER_INLINE constexpr void erase_silently(Directory& directory, ObserverCell* dynamic, slot_t slot) noexcept {
    if (dynamic == nullptr) return directory.erase(slot);
    directory.remove(slot);
    NotifyDynamic::erase(*dynamic, slot, [] {});
    directory.release(slot);
}

/// Steps that are rare, or linear in slots. A hundred element types without columns have them once: they read no element.
template <class Directory, class Pending, class Hub>
struct PlainSteps {
    /// Whether growth would add no slot for an element.
    static constexpr bool cannot_grow(const Directory& directory, std::size_t limit, slot_t first_slot) noexcept {
        return (directory.capacity() < first_slot ? first_slot : directory.capacity()) >= limit;
    }
    /// The slots that growth should make room for, or a std::length_error with the text `full` when no slot is left.
    /// @param usual what the store asks for @param most slots that the container can have
    SLOTWISE_NEVER_INLINE static constexpr std::size_t grown(const Directory& directory, const Hub& hub, std::size_t usual,
                                                             std::size_t most, slot_t first_slot, const char* full) {
        const std::size_t limit = directory.limit() < most ? directory.limit() : most;
        if (cannot_grow(directory, limit, first_slot)) throw_length_error(full);
        std::size_t want = hub.grown_capacity(usual);
        if (want <= first_slot) want = first_slot + std::size_t{1};
        return want < limit ? want : limit;
    }
    SLOTWISE_NEVER_INLINE static constexpr void expect_not_resetting(bool resetting) noexcept {
        SLOTWISE_EXPECT(!resetting, "container reset(): a destructor inserts meanwhile; it must not");
    }
    /// Room in all parts but the store. @param room slots that the store has room for @param most that the container can have
    /// Throws what the allocator and observers throw. Strong
    template <class Bytes>
    SLOTWISE_NEVER_INLINE static constexpr void reserve(Directory& directory, Pending& pending, Hub& hub, const Bytes& bytes,
                                                        std::size_t slot_count, std::size_t room, std::size_t most) {
        const std::size_t limit = directory.limit() < most ? directory.limit() : most;
        room = hub.capacity_for(slot_count, room < limit ? room : limit);
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
    /// The second half of an insert that observers are notified of: the slot was acquired and its element built. Returns its
    /// version. Throws what an observer throws. The slot is free again then
    SLOTWISE_NEVER_INLINE static constexpr std::uint32_t notify_insert(Directory& directory, Hub& hub, slot_t slot,
                                                                       bool was_fresh) {
        ScopeGuard undo([&]() noexcept { directory.undo_acquire(slot, was_fresh); });
        hub.insert(slot, InsertKind::fresh);
        undo.dismiss();
        directory.commit(slot);
        return directory.version(slot);
    }
    /// An erase that the directory does not do at once, or that dynamic observers are notified of. @pre directory.is_live(slot)
    static constexpr void erase_rarely(Directory& directory, Hub& hub, slot_t slot) noexcept {
        if constexpr (Hub::silent_erase)
            erase_silently(directory, hub.dynamic_cell(), slot);
        else
            erase_with_columns(directory, hub, slot);
    }
    /// @param clearing whether an outer clear runs, whose observer calls: that one does the rest
    SLOTWISE_NEVER_INLINE static constexpr void clear(Directory& directory, Hub& hub, bool& clearing) noexcept {
        if (clearing) return erase_live(directory, hub);
        if (directory.cursor() == 0) return;
        clearing = true;
        const slot_t end = directory.begin_clear();
        hub.clear(directory.occupancy());
        directory.end_clear(end);
        clearing = false;
    }
    /// The first half of a destructor.
    SLOTWISE_NEVER_INLINE static constexpr void end(Directory& directory, Hub& hub, bool& clearing) noexcept {
        if (directory.size() != 0) hub.expect_not_notifying();
        do { // again, because an observer may insert
            clear(directory, hub, clearing);
        } while (directory.size() != 0);
        hub.detach_all();
    }

private:
    SLOTWISE_NEVER_INLINE static constexpr void erase_with_columns(Directory& directory, Hub& hub, slot_t slot) noexcept {
        if (!hub.dynamic()) {
            directory.erase(slot);
            return hub.erase_static(slot);
        }
        directory.remove(slot);
        hub.erase(slot);
        directory.release(slot);
    }
    static void erase_live(Directory& directory, Hub& hub) noexcept {
        for (slot_t slot = 0; slot < directory.cursor(); ++slot) {
            if (!directory.is_live(slot)) continue;
            hub.expect_not_notifying();
            erase_rarely(directory, hub, slot);
        }
    }
};

} // namespace detail
SLOTWISE_END

#endif
