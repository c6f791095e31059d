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

/// The number of a word of liveness bits, and its slots from some slot on. Without slots it is the end.
struct LiveWord {
    std::size_t number = 0;
    bits::word_t word = 0;
    /// Those of word `w` that are in `mask`; if none is, those of the first word after it that has some.
    static constexpr LiveWord from(Occupancy live, std::size_t w, bits::word_t mask) noexcept {
        const std::size_t end = bits::word_count(live.size());
        if (w >= end) return {};
        bits::word_t word = live.word(w) & mask;
        if (word == 0) {
            w = live.next_word(w + 1);
            if (w == end) return {};
            word = live.word(w);
        }
        return {w, word};
    }
    /// The same out of line, for a directory, or a view of one: a loop that calls it keeps its registers, and what it has read.
    template <class Directory>
    SLOTWISE_NEVER_INLINE SLOTWISE_PURE static constexpr LiveWord in(const Directory& directory, std::size_t w,
                                                                     bits::word_t mask) noexcept {
        return from(directory.occupancy(), w, mask);
    }
    SLOTWISE_NEVER_INLINE SLOTWISE_PURE static constexpr LiveWord in(Occupancy live, std::size_t w,
                                                                     bits::word_t mask) noexcept {
        return from(live, w, mask);
    }
};

/// A position in a walk over live slots. The slots that are still to come in the current word are remembered. They hold as long
/// as the word is what it was, which each step asks: an element erased meanwhile is skipped. An element inserted meanwhile may
/// be visited if it lies ahead.
///
/// A step takes two cycles: rest_ & (rest_ - 1). Three, 50 % more, when the word itself was a part of it. Also measured: full
/// words as runs, in which a step is an addition. That took 0.7 of the time in full words and 1.1 to 1.4 in others, where one
/// branch more decides.
struct LiveCursor {
    std::size_t word = end_word;
    bits::word_t seen = 0; ///< the word as it was, or 0, when the slots that come next are not known
    bits::word_t rest = 0; ///< the slot here, and those of the word that come next
    unsigned bit = no_slot % bits::word_bits;

    constexpr LiveCursor() noexcept = default;
    /// At `slot`, which may be no_slot.
    constexpr explicit LiveCursor(slot_t at) noexcept : word(at / bits::word_bits), bit(at % bits::word_bits) {}
    /// At the first of these slots.
    SLOTWISE_ALWAYS_INLINE constexpr LiveCursor(LiveWord at, bits::word_t whole) noexcept
        : word(at.number), seen(whole), rest(at.word), bit(bits::lowest(at.word)) {
        SLOTWISE_ASSUME(word != end_word);
    }
    /// At the first slot of a directory, or of a view of one.
    template <class Directory>
    static constexpr LiveCursor first(const Directory& directory) noexcept {
        const LiveWord at = LiveWord::in(directory, 0, bits::full_word);
        return at.word == 0 ? LiveCursor() : LiveCursor(at, word_of(directory, at.number));
    }

    SLOTWISE_ALWAYS_INLINE constexpr slot_t slot() const noexcept { return static_cast<slot_t>(word * bits::word_bits + bit); }
    /// The first slot of the word. @pre not at the end
    SLOTWISE_ALWAYS_INLINE constexpr slot_t first_slot() const noexcept { return static_cast<slot_t>(word * bits::word_bits); }
    SLOTWISE_ALWAYS_INLINE constexpr bool at_end() const noexcept { return word == end_word; }
    /// To the next slot of this word, which is now `live`. False, and no effect, where next_word() is to be called.
    SLOTWISE_ALWAYS_INLINE constexpr bool step(bits::word_t live) noexcept {
        if (live == seen) [[likely]] {
            const bits::word_t next = rest & (rest - 1);
            if (next != 0) [[likely]] {
                SLOTWISE_ASSUME(word != end_word); // g++: no comparison with the end
                rest = next;
                bit = bits::lowest(next);
                return true;
            }
        }
        return false;
    }
    /// To the next slot of a directory, or of a view of one, in most cases in another word. False at the end.
    template <class Directory>
    SLOTWISE_ALWAYS_INLINE constexpr bool next_word(const Directory& directory) noexcept {
        LiveWord at{word + 1};
        if (word_of(directory, word) == seen) [[likely]] {
            // In place: clang 16 does not make a function template for a constant in a precompiled header.
            std::size_t words = 0;
            if constexpr (std::is_same_v<Directory, Occupancy>)
                words = directory.words().size();
            else
                words = directory.live_words();
            if (at.number >= words) {
                *this = LiveCursor();
                return false;
            }
            at.word = word_of(directory, at.number);
        }
        if (at.word == 0) at = LiveWord::in(directory, word, ~bits::word_t{1} << bit);
        if (at.word == 0) {
            *this = LiveCursor();
            return false;
        }
        *this = LiveCursor(at, word_of(directory, at.number));
        return true;
    }
    constexpr void advance(Occupancy live) noexcept {
        if (!step(live.word(word))) next_word(live);
    }
    /// To the live slot before, also from the end.
    constexpr void step_back(Occupancy live) noexcept { *this = LiveCursor(live.find_previous(slot())); }
    SLOTWISE_ALWAYS_INLINE friend constexpr bool operator==(const LiveCursor& a, const LiveCursor& b) noexcept {
        return a.word == b.word && a.bit == b.bit;
    }

private:
    static constexpr std::size_t end_word = no_slot / bits::word_bits;
    template <class Directory>
    SLOTWISE_ALWAYS_INLINE static constexpr bits::word_t word_of(const Directory& directory, std::size_t w) noexcept {
        if constexpr (std::is_same_v<Directory, Occupancy>)
            return directory.word(w);
        else
            return directory.live_word(w);
    }
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
        constexpr iterator(Occupancy occupancy, detail::LiveCursor at) noexcept : occupancy_(occupancy), at_(at) {}
        constexpr slot_t dereference() const noexcept { return at_.slot(); }
        constexpr void increment() noexcept { at_.advance(occupancy_); }
        constexpr void decrement() noexcept { at_.step_back(occupancy_); }

        Occupancy occupancy_;
        detail::LiveCursor at_;
    };

    constexpr SlotRange() noexcept = default;
    /// The live slots of these bits.
    constexpr explicit SlotRange(Occupancy occupancy) noexcept : occupancy_(occupancy) {}
    constexpr iterator begin() const noexcept { return {occupancy_, detail::LiveCursor::first(occupancy_)}; }
    constexpr iterator end() const noexcept { return {occupancy_, detail::LiveCursor()}; }
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
