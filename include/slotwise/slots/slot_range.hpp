// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotRange: the live slots of a directory, in ascending order.
#ifndef SLOTWISE_SLOTS_SLOT_RANGE_HPP
#define SLOTWISE_SLOTS_SLOT_RANGE_HPP

#include "../core/iterator_facade.hpp"
#include "../memory/occupancy.hpp"

SLOTWISE_BEGIN

/// Live slot numbers. Reads the words as it goes: a slot erased ahead of the walk is skipped, one inserted behind is missed.
/// @invalidates itself when the container grows, shrinks or moves
class SlotRange {
public:
    class iterator : public detail::IteratorFacade<iterator, slot_t, slot_t> {
    public:
        constexpr iterator() noexcept = default;
        friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.slot_ == b.slot_; }

    private:
        friend SlotRange;
        friend detail::IteratorFacade<iterator, slot_t, slot_t>;
        constexpr iterator(Occupancy occupancy, slot_t slot) noexcept : occupancy_(occupancy), slot_(slot) {}
        constexpr slot_t dereference() const noexcept { return slot_; }
        constexpr void increment() noexcept { slot_ = occupancy_.find_next(std::size_t{slot_} + 1); }

        Occupancy occupancy_;
        slot_t slot_ = no_slot;
    };

    constexpr SlotRange() noexcept = default;
    constexpr explicit SlotRange(Occupancy occupancy) noexcept : occupancy_(occupancy) {}
    constexpr iterator begin() const noexcept { return {occupancy_, occupancy_.find_next(0)}; }
    constexpr iterator end() const noexcept { return {occupancy_, no_slot}; }
    constexpr bool empty() const noexcept { return occupancy_.none(); }

private:
    Occupancy occupancy_;
};

SLOTWISE_END

#endif
