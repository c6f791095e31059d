// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// PendingSlots: which slots were removed and wait to be erased, oldest first.
#ifndef SLOTWISE_SLOTS_PENDING_SLOTS_HPP
#define SLOTWISE_SLOTS_PENDING_SLOTS_HPP

#include "../memory/free_slots.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A queue of slots, each at most once, and their bits: room for every slot, so that no step allocates. All steps are O(1). A
/// slot may be superseded: its key was inserted again, in another slot.
template <class Allocator>
class PendingSlots {
    using Block = FlatArray<bits::word_t, Allocator>;
    using Words = PlacedArray<bits::word_t>;
    using Queue = FreeSlots<Reuse::fifo, Allocator, Words>;

public:
    constexpr PendingSlots() = default;
    constexpr explicit PendingSlots(const Allocator& alloc) noexcept : block_(alloc) {}
    /// The same queue as `other` with room for `slot_count` slots, in memory of `alloc`. @pre no slot of the queue is that high
    /// Throws what the allocator throws
    constexpr PendingSlots(const PendingSlots& other, std::size_t slot_count, const Allocator& alloc) : block_(alloc) {
        const std::size_t words = bits::word_count(slot_count), whole = words * bits::word_bits; // as far as room() says
        Block::unmade(Queue::words_for(whole) + 2 * words, alloc).swap(block_);
        ArrayPlace place{block_.data()};
        other.queue_.resized(whole, place).swap(queue_);
        other.bits_.resized(words, 0, place).swap(bits_);
        other.superseded_.resized(words, 0, place).swap(superseded_);
    }
    constexpr void swap(PendingSlots& other) noexcept {
        block_.swap(other.block_);
        queue_.swap(other.queue_);
        bits_.swap(other.bits_);
        superseded_.swap(other.superseded_);
    }
    /// The same of this one, for what is no member: see NoPendingSlots. @throws what the allocator throws
    constexpr PendingSlots resized(std::size_t slot_count, const Allocator& alloc) const { return {*this, slot_count, alloc}; }

    /// How many slots fit, rounded up to a word.
    constexpr std::size_t room() const noexcept { return bits_.size() * bits::word_bits; }
    constexpr std::size_t memory_usage() const noexcept { return block_.memory_usage(); }
    constexpr std::size_t size() const noexcept { return queue_.size(); }
    constexpr bool empty() const noexcept { return queue_.empty(); }
    constexpr bool contains(slot_t slot) const noexcept {
        return slot < room() && (bits_[bits::word_of(slot)] & bits::bit_of(slot)) != 0;
    }
    /// Whether the slot is in the queue and another has its key.
    constexpr bool superseded(slot_t slot) const noexcept {
        return contains(slot) && (superseded_[bits::word_of(slot)] & bits::bit_of(slot)) != 0;
    }
    /// Bits of the slots in the queue. @pre w < word_count(room())
    constexpr bits::word_t word(std::size_t w) const noexcept { return bits_[w]; }
    /// Calls f(slot) for each, oldest first.
    template <class F>
    constexpr void for_each(F&& f) const {
        queue_.order(f);
    }

    /// Whether queue and bits agree, and is_member(slot) of each; for check_invariants.
    template <class IsMember>
    constexpr bool is_sound(IsMember&& is_member) const {
        std::size_t marked = 0;
        for (std::size_t w = 0; w != bits_.size(); ++w) marked += bits::count(bits_[w]);
        return marked == size() && queue_.is_sound([&](slot_t slot) { return contains(slot) && is_member(slot); });
    }

    /// @pre slot < room(), and it is not in the queue
    constexpr void push(slot_t slot) noexcept {
        bits_[bits::word_of(slot)] |= bits::bit_of(slot);
        superseded_[bits::word_of(slot)] &= ~bits::bit_of(slot);
        queue_.push(slot);
    }
    /// Another slot has the key of this one. @pre contains(slot)
    constexpr void supersede(slot_t slot) noexcept { superseded_[bits::word_of(slot)] |= bits::bit_of(slot); }
    /// No other slot has its key any more. @pre contains(slot)
    constexpr void undo_supersede(slot_t slot) noexcept { superseded_[bits::word_of(slot)] &= ~bits::bit_of(slot); }
    /// Removes and returns the oldest. @pre !empty()
    constexpr slot_t pop() noexcept {
        const slot_t slot = queue_.pop(0);
        bits_[bits::word_of(slot)] &= ~bits::bit_of(slot);
        return slot;
    }
    /// Removes `slot` from any position. @pre contains(slot)
    constexpr void remove(slot_t slot) noexcept {
        queue_.remove(slot, 0);
        bits_[bits::word_of(slot)] &= ~bits::bit_of(slot);
    }
    /// Undoes remove(): the slot returns to its place, if its neighbours are still neighbours.
    constexpr void undo_remove(slot_t slot) noexcept {
        queue_.undo_remove(slot, [this](slot_t each) noexcept { return contains(each); });
        bits_[bits::word_of(slot)] |= bits::bit_of(slot);
    }

private:
    Block block_{}; // what the others lie in
    Queue queue_{};
    Words bits_{};
    Words superseded_{}; // of slots in the queue; meaningless for others
};

/// The same for containers whose erase is not deferred: there is never one. As an empty member it is built by its constructors,
/// never from what a function returns: clang 16 for Windows writes over the member beside it then (LLVM #64253, #64077).
struct NoPendingSlots {
    constexpr NoPendingSlots() noexcept = default;
    template <class Allocator>
    constexpr explicit NoPendingSlots(const Allocator&) noexcept {}
    template <class Allocator>
    constexpr NoPendingSlots(const NoPendingSlots&, std::size_t, const Allocator&) noexcept {}
    static constexpr void swap(NoPendingSlots&) noexcept {}
    template <class Allocator>
    static constexpr NoPendingSlots resized(std::size_t, const Allocator&) noexcept {
        return {};
    }
    static constexpr std::size_t room() noexcept { return 0; }
    static constexpr std::size_t memory_usage() noexcept { return 0; }
    static constexpr std::size_t size() noexcept { return 0; }
    static constexpr bool empty() noexcept { return true; }
    static constexpr bool contains(slot_t) noexcept { return false; }
    static constexpr bool superseded(slot_t) noexcept { return false; }
    static constexpr bits::word_t word(std::size_t) noexcept { return 0; }
    template <class F>
    static constexpr void for_each(F&&) noexcept {}
    template <class IsMember>
    static constexpr bool is_sound(IsMember&&) noexcept {
        return true;
    }
    static constexpr void supersede(slot_t) noexcept {}
    static constexpr slot_t pop() noexcept { return no_slot; }
};

/// Stored slots as bits, which are live or pending; a copy if they differ from the live ones.
template <class Directory, class Pending>
class StoredSlots {
    static constexpr bool deferred = !std::is_same_v<Pending, NoPendingSlots>;

public:
    /// @param also a further slot that counts as stored, or no_slot
    constexpr explicit StoredSlots(const Directory& directory, const Pending& pending, slot_t also = no_slot)
        : live_(directory.occupancy()) {
        if (!deferred && also == no_slot) return;
        auto words = words_.resized(live_.words().size(), 0);
        words_.swap(words);
        for (std::size_t w = 0; w != words_.size(); ++w) words_[w] = live_.word(w) | (deferred ? pending.word(w) : 0);
        if (also != no_slot) words_[bits::word_of(also)] |= bits::bit_of(also);
        live_ = {words_.data(), live_.size()};
    }
    constexpr Occupancy view() const noexcept { return live_; }

private:
    FlatArray<bits::word_t, std::allocator<std::byte>> words_{};
    Occupancy live_;
};

} // namespace detail
SLOTWISE_END

#endif
