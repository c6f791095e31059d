// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// EntityIds: the ids of one range of an EntityIndex, first the living, then the dead.
#ifndef SLOTWISE_SPARSE_ENTITY_IDS_HPP
#define SLOTWISE_SPARSE_ENTITY_IDS_HPP

#include "../core/id_traits.hpp"
#include "../memory/allocator.hpp"
#include "row_observer.hpp"

SLOTWISE_BEGIN
namespace detail {

/// An array of ids and the border in it. It does not know pages and locations.
template <class Entity, class Allocator>
struct EntityIds {
    EntityIds(const Allocator& alloc, slot_t begin, slot_t end) noexcept
        : ids(alloc), first(begin), last(end), slot_count(end - begin), next(begin) {}
    EntityIds(const EntityIds& other, const Allocator& alloc)
        : ids(other.ids.resized(std::size_t{other.count} + other.reserved, Entity(), alloc)), count(other.count),
          alive(other.alive), retired(other.retired), reserved(other.reserved), first(other.first), last(other.last),
          slot_count(other.slot_count), next(other.next) {}
    /// `other` is without ids then.
    EntityIds(EntityIds&& other) noexcept : EntityIds(Allocator(other.ids.get_allocator()), other.first, other.last) {
        swap(other);
    }
    EntityIds& operator=(EntityIds&&) = delete;
    ~EntityIds() = default;
    void swap(EntityIds& other) noexcept {
        ids.swap(other.ids);
        std::swap(count, other.count);
        std::swap(alive, other.alive);
        std::swap(retired, other.retired);
        std::swap(reserved, other.reserved);
        std::swap(first, other.first);
        std::swap(last, other.last);
        std::swap(slot_count, other.slot_count);
        std::swap(next, other.next);
        hub.swap(other.hub);
    }

    /// Room for `room` ids: exactly that if there was none, else at least a quarter more than there was. @throws what the
    /// allocator throws; nothing has changed then
    void reserve(std::size_t room) {
        if (room + reserved > ids.size()) resize(reserved_capacity(room + reserved, ids.size()));
    }
    /// Room for `needed` ids at least, so that adding one is amortised O(1).
    void grow(std::size_t needed) {
        needed += reserved;
        if (needed <= ids.size()) return;
        const std::size_t doubled = 2 * ids.size() < 8 ? 8 : 2 * ids.size();
        resize(needed < doubled ? doubled : needed);
    }
    void shrink_to_fit() {
        if (std::size_t{count} + reserved != ids.size()) resize(std::size_t{count} + reserved);
    }
    std::size_t memory_usage() const noexcept { return memory_of(ids, hub); }
    /// Whether both will issue the same ids.
    bool same(const EntityIds& other) const noexcept {
        if (first != other.first || last != other.last || count != other.count || alive != other.alive ||
            retired != other.retired || reserved != other.reserved)
            return false;
        for (slot_t i = 0; i != count; ++i)
            if (ids[i] != other.ids[i]) return false;
        return true;
    }

    // [0, alive) live, [alive, count) are dead and have the versions of their next lives. Behind them is room for those that
    // are reserved, which are not in it: so they come back, and are given up, without an allocation.
    FlatArray<Entity, Allocator> ids;
    slot_t count = 0;
    slot_t alive = 0;
    slot_t retired = 0;
    slot_t reserved = 0;
    slot_t first; // the indices are first to last - 1
    slot_t last;
    slot_t slot_count; // as many of them are in no other range
    slot_t next;       // each lower one is in use
    RowHub hub{};

private:
    void resize(std::size_t room) {
        auto resized = ids.resized(room, Entity());
        ids.swap(resized);
    }
};

} // namespace detail
SLOTWISE_END

#endif
