// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// PendingSlots: which slots were removed and wait to be erased, oldest first.
#ifndef SLOTWISE_KEYED_PENDING_SLOTS_HPP
#define SLOTWISE_KEYED_PENDING_SLOTS_HPP

#include "../core/bits.hpp"
#include "../fwd.hpp"
#include "../memory/allocator.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A queue of slots, each at most once: a ring with room for every slot, so that pushing never allocates. A slot whose element was
/// resurrected stays in the ring until it comes up; the owner asks who is live.
template <class Allocator>
class PendingSlots {
public:
    constexpr PendingSlots() = default;
    constexpr explicit PendingSlots(const Allocator& alloc) noexcept : ring_(alloc), listed_(alloc) {}
    constexpr PendingSlots(PendingSlots&& other) noexcept
        : ring_(std::move(other.ring_)), listed_(std::move(other.listed_)), first_(std::exchange(other.first_, 0)),
          count_(std::exchange(other.count_, 0)) {}
    PendingSlots(const PendingSlots&) = delete;
    PendingSlots& operator=(const PendingSlots&) = delete;
    PendingSlots& operator=(PendingSlots&&) = delete;
    ~PendingSlots() = default;
    constexpr void swap(PendingSlots& other) noexcept {
        ring_.swap(other.ring_);
        listed_.swap(other.listed_);
        std::swap(first_, other.first_);
        std::swap(count_, other.count_);
    }

    /// The same queue with room for `slots` slots, in memory of `alloc`. @pre no slot of the queue is that high
    /// @throws what the allocator throws
    constexpr PendingSlots resized(std::size_t slots, const Allocator& alloc) const {
        PendingSlots result(alloc);
        auto ring = result.ring_.resized(slots, 0, alloc);
        auto listed = listed_.resized(bits::word_count(slots), 0, alloc);
        result.ring_.swap(ring);
        result.listed_.swap(listed);
        for (std::size_t i = 0; i != count_; ++i) result.ring_[i] = at(i);
        result.count_ = count_;
        return result;
    }

    constexpr std::size_t room() const noexcept { return ring_.size(); }
    constexpr std::size_t listed() const noexcept { return count_; }
    /// Entry `i`, oldest first. @pre i < listed()
    constexpr slot_t at(std::size_t i) const noexcept { return ring_[wrap(first_ + i)]; }
    constexpr bool contains(slot_t slot) const noexcept {
        return bits::word_of(slot) < listed_.size() && (listed_[bits::word_of(slot)] & bits::bit_of(slot)) != 0;
    }
    /// Bits of the slots in the queue. @pre w < word_count(room())
    constexpr bits::word_t word(std::size_t w) const noexcept { return listed_[w]; }

    /// Adds `slot` unless it is there. @pre slot < room()
    constexpr void push(slot_t slot) noexcept {
        if (contains(slot)) return;
        listed_[bits::word_of(slot)] |= bits::bit_of(slot);
        ring_[wrap(first_ + count_++)] = slot;
    }
    /// Takes the oldest. @pre listed() != 0
    constexpr slot_t pop() noexcept {
        const slot_t slot = ring_[first_];
        first_ = wrap(first_ + 1);
        --count_;
        listed_[bits::word_of(slot)] &= ~bits::bit_of(slot);
        return slot;
    }
    /// Takes `slot` out, wherever it is. @complexity linear in entries; for the way out of a failure
    constexpr void remove(slot_t slot) noexcept {
        for (std::size_t left = count_; left != 0; --left) {
            const slot_t each = pop();
            if (each != slot) push(each);
        }
    }

private:
    constexpr std::size_t wrap(std::size_t i) const noexcept { return i < ring_.size() ? i : i - ring_.size(); }

    FlatArray<slot_t, Allocator> ring_{};
    FlatArray<bits::word_t, Allocator> listed_{};
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
