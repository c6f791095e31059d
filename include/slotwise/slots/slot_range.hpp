// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotRange: the live slots of a directory, in ascending order.
#ifndef SLOTWISE_SLOTS_SLOT_RANGE_HPP
#define SLOTWISE_SLOTS_SLOT_RANGE_HPP

#include "../core/detail/iterators.hpp"
#include "../memory/occupancy.hpp"

SLOTWISE_BEGIN

namespace detail {

/// A word of liveness bits that is not 0, and its number. Without bits it is the end.
struct LiveWord {
    std::size_t number = 0;
    bits::word_t word = 0;
    /// The first from word `w` on.
    static constexpr LiveWord from(Occupancy live, std::size_t w) noexcept {
        const std::size_t end = bits::word_count(live.size());
        if (w >= end) return {};
        bits::word_t word = live.word(w);
        if (word == 0) {
            w = live.next_word(w + 1);
            if (w == end) return {};
            word = live.word(w);
        }
        return {w, word};
    }
    /// The first of all, where a walk begins; out of line.
    template <class Directory>
    SLOTWISE_NEVER_INLINE static constexpr LiveWord first(const Directory& directory) noexcept {
        return from(directory.occupancy(), 0);
    }
};

/// A position in a walk over live slots. The rest of the current word is remembered and checked against the word itself. An
/// element erased meanwhile is skipped. An element inserted meanwhile may be visited if it lies ahead.
class LiveCursor {
public:
    constexpr LiveCursor() noexcept = default;
    /// At `slot`, which may be no_slot.
    constexpr explicit LiveCursor(slot_t slot) noexcept
        : word_(slot / bits::word_bits), rest_(~bits::low_mask(slot % bits::word_bits + 1)), bit_(slot % bits::word_bits) {}
    SLOTWISE_ALWAYS_INLINE constexpr slot_t slot() const noexcept { return word_ * bits::word_bits + bit_; }
    constexpr slot_t word() const noexcept { return word_; }
    constexpr unsigned bit() const noexcept { return bit_; }
    constexpr void advance(Occupancy live) noexcept {
        if (!step(live)) *this = at_word(live, std::size_t{word_} + 1);
    }
    /// To the next slot of occupancy(). The summary is read only at the end of a word: choosing it in each step made clang's
    /// walks over keyed containers 20 % slower.
    template <class F>
    SLOTWISE_ALWAYS_INLINE constexpr void advance_in(F&& occupancy) noexcept {
        if (!step(occupancy())) *this = at_word(occupancy(), std::size_t{word_} + 1);
    }
    /// To the live slot before, also from the end.
    constexpr void step_back(Occupancy live) noexcept { *this = LiveCursor(live.find_previous(slot())); }
    SLOTWISE_ALWAYS_INLINE friend constexpr bool operator==(const LiveCursor& a, const LiveCursor& b) noexcept {
        return a.word_ == b.word_ && a.bit_ == b.bit_;
    }

private:
    /// To the next slot of the same word, if there is one.
    SLOTWISE_ALWAYS_INLINE constexpr bool step(Occupancy live) noexcept {
        // There may be no words beyond the end, if the container was shrunk.
        const bits::word_t rest = std::size_t{word_} * bits::word_bits < live.size() ? rest_ & live.word(word_) : 0;
        if (rest == 0) [[unlikely]]
            return false;
        bit_ = bits::lowest(rest);
        rest_ = rest & (rest - 1);
        return true;
    }
    /// At the first live slot from word `w` on.
    static constexpr LiveCursor at_word(Occupancy live, std::size_t w) noexcept {
        const LiveWord at = LiveWord::from(live, w);
        return at.word == 0 ? LiveCursor() : LiveCursor(at);
    }
    constexpr explicit LiveCursor(LiveWord at) noexcept
        : word_(static_cast<slot_t>(at.number)), rest_(at.word & (at.word - 1)), bit_(bits::lowest(at.word)) {}

    // Word and bit are separate, so that the next word's address does not wait for the bit (1 ns a step; 3.3 ns with a slot
    // number). They are not adjacent: g++ 12 compares two neighbours by one 64-bit load, which waits for both stores (5 ns).
    slot_t word_ = no_slot / bits::word_bits;
    bits::word_t rest_ = 0;
    unsigned bit_ = no_slot % bits::word_bits;
};

} // namespace detail

/// Live slot numbers. Reads the words during the walk: a slot erased ahead is skipped, a slot inserted behind is missed.
/// @invalidates itself when the container grows, shrinks or moves
class SlotRange {
public:
    class iterator : public detail::IteratorFacade<iterator, slot_t, slot_t, std::bidirectional_iterator_tag> {
    public:
        constexpr iterator() noexcept = default;
        friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }

    private:
        friend SlotRange;
        friend detail::IteratorFacade<iterator, slot_t, slot_t, std::bidirectional_iterator_tag>;
        constexpr iterator(Occupancy occupancy, slot_t slot) noexcept : occupancy_(occupancy), at_(slot) {}
        constexpr slot_t dereference() const noexcept { return at_.slot(); }
        constexpr void increment() noexcept { at_.advance(occupancy_); }
        constexpr void decrement() noexcept { at_.step_back(occupancy_); }

        Occupancy occupancy_;
        detail::LiveCursor at_;
    };

    constexpr SlotRange() noexcept = default;
    /// The live slots of these bits.
    constexpr explicit SlotRange(Occupancy occupancy) noexcept : occupancy_(occupancy) {}
    constexpr iterator begin() const noexcept { return {occupancy_, occupancy_.find_next(0)}; }
    constexpr iterator end() const noexcept { return {occupancy_, no_slot}; }
    constexpr bool empty() const noexcept { return occupancy_.none(); }

private:
    Occupancy occupancy_;
};

SLOTWISE_END

/// It owns nothing. Iterators outlive it.
template <>
inline constexpr bool std::ranges::enable_view<slotwise::SlotRange> = true;
template <>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::SlotRange> = true;

#endif
