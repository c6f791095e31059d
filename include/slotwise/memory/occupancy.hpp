// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Occupancy: who is live, one bit a slot, as a read-only view; and summary levels that find a word with a property in O(1).
#ifndef SLOTWISE_MEMORY_OCCUPANCY_HPP
#define SLOTWISE_MEMORY_OCCUPANCY_HPP

#include "../core/bits.hpp"
#include "../core/scope_guard.hpp"
#include "../fwd.hpp"
#include "allocator.hpp"

#include <span>

SLOTWISE_BEGIN

/// A read-only view of liveness bits: 64-bit words, least significant bit first, 1 = live. Bits from size() on are 0.
/// @invalidates itself when the container it came from grows, shrinks, moves or dies; erases and inserts below size() show through
class Occupancy {
public:
    constexpr Occupancy() noexcept = default;
    /// A view of `slots` bits at `words`. Slot 0 is the lowest bit of words[0].
    constexpr Occupancy(const bits::word_t* words, std::size_t slots) noexcept : words_(words), slots_(slots) {}

    /// Slots covered, live or not.
    constexpr std::size_t size() const noexcept { return slots_; }
    constexpr bool empty() const noexcept { return slots_ == 0; }
    /// The bits, 64 slots a word.
    constexpr std::span<const bits::word_t> words() const noexcept { return {words_, bits::word_count(slots_)}; }
    /// Word `i`. @pre i < words().size()
    constexpr bits::word_t word(std::size_t i) const noexcept { return words_[i]; }

    /// Whether `slot` is live; false from size() on.
    constexpr bool test(std::size_t slot) const noexcept {
        return slot < slots_ && (words_[bits::word_of(slot)] & bits::bit_of(slot)) != 0;
    }

    /// Number of live slots. @complexity linear in words
    constexpr std::size_t count() const noexcept {
        std::size_t total = 0;
        for (const auto word : words()) total += bits::count(word);
        return total;
    }
    /// Whether every slot is live.
    constexpr bool all() const noexcept { return count() == slots_; }
    /// Whether no slot is live.
    constexpr bool none() const noexcept { return find_next(0) == no_slot; }

    /// The first live slot not below `slot`, or no_slot. @complexity linear in the words skipped
    constexpr slot_t find_next(std::size_t slot) const noexcept {
        if (slot >= slots_) return no_slot;
        std::size_t w = bits::word_of(slot);
        bits::word_t word = words_[w] & (bits::full_word << (slot % bits::word_bits));
        for (const std::size_t end = bits::word_count(slots_); word == 0;) {
            if (++w == end) return no_slot;
            word = words_[w];
        }
        return static_cast<slot_t>(w * bits::word_bits + bits::lowest(word));
    }

    /// Calls f(slot) for every live slot in ascending order. A word is read once: f may change it without effect on the walk. Slots
    /// from size() on are not met, even if f makes them live.
    template <class F>
    constexpr void for_each(F&& f) const {
        const auto visit = [&](std::size_t w, bits::word_t word) {
            bits::for_each(word, [&](unsigned bit) { f(static_cast<slot_t>(w * bits::word_bits + bit)); });
        };
        SLOTWISE_ASSUME(slots_ == 0 || words_ != nullptr); // clang-tidy's analyser thinks of slots without words
        const std::size_t whole = bits::word_of(slots_);
        for (std::size_t w = 0; w != whole; ++w) visit(w, words_[w]);
        if (slots_ % bits::word_bits != 0) visit(whole, words_[whole] & bits::low_mask(slots_ % bits::word_bits));
    }

    /// The part from `first` on, `slots` long, with `first` as its slot 0. @pre first is a multiple of 64 and within size()
    constexpr Occupancy part(std::size_t first, std::size_t slots) const noexcept {
        return {words_ + bits::word_of(first), slots < slots_ - first ? slots : slots_ - first};
    }

private:
    const bits::word_t* words_ = nullptr;
    std::size_t slots_ = 0;
};

namespace detail {

/// build(slot) for every slot of `live` in ascending order; if one throws, unbuild(slot) for those before it, in descending order.
template <class Build, class Unbuild>
constexpr void build_each(Occupancy live, Build&& build, Unbuild&& unbuild) {
    slot_t built = 0;
    ScopeGuard undo([&]() noexcept {
        while (built-- != 0)
            if (live.test(built)) unbuild(built);
    });
    live.for_each([&](slot_t slot) {
        built = slot; // not yet this one
        build(slot);
    });
    undo.dismiss();
}

/// A set of numbers with summary levels above: level k has one bit for each 64 bits of level k - 1, the top is one word.
/// set, reset and lowest touch at most one word a level; six levels cover 2^32 numbers. It is what finds the lowest free slot:
/// a flat scan of the words cost 149 ns an insert at 1e5 slots, this costs 2 to 3 (DESIGN section 11).
template <class Allocator>
class SummaryBits {
    static constexpr unsigned max_levels = 6;

public:
    constexpr SummaryBits() = default;
    constexpr explicit SummaryBits(const Allocator& alloc) noexcept : words_(alloc) {}
    constexpr SummaryBits(SummaryBits&& other) noexcept
        : words_(std::move(other.words_)), levels_(std::exchange(other.levels_, 0)) {
        for (unsigned i = 0; i < max_levels; ++i) offset_[i] = other.offset_[i];
    }

    /// A copy that covers `count` numbers, in memory of `alloc`; numbers from `count` on are dropped.
    /// @throws what the allocator throws; this set is unchanged
    constexpr SummaryBits resized(std::size_t count, const Allocator& alloc) const {
        SummaryBits result(alloc);
        std::size_t total = 0;
        for (std::size_t n = count; n != 0;) {
            n = bits::word_count(n);
            result.offset_[result.levels_++] = total;
            total += n;
            if (n == 1) break;
        }
        FlatArray<bits::word_t, Allocator>(alloc).resized(total, 0, alloc).swap(result.words_);
        const std::size_t own = levels_ == 0 ? 0 : levels_ == 1 ? words_.size() : offset_[1];
        for (std::size_t w = 0; w < own && w * bits::word_bits < count; ++w)
            bits::for_each(words_[w], [&](unsigned bit) {
                if (w * bits::word_bits + bit < count) result.set(w * bits::word_bits + bit);
            });
        return result;
    }

    constexpr void swap(SummaryBits& other) noexcept {
        words_.swap(other.words_);
        std::swap(offset_, other.offset_);
        std::swap(levels_, other.levels_);
    }

    /// Adds `number`. @pre it is covered
    constexpr void set(std::size_t number) noexcept {
        auto& word = words_[bits::word_of(number)];
        const auto before = word;
        word = before | bits::bit_of(number);
        if (before == 0) set_above(bits::word_of(number));
    }

    /// Removes `number`. @pre it is covered
    constexpr void reset(std::size_t number) noexcept {
        auto& word = words_[bits::word_of(number)];
        word &= ~bits::bit_of(number);
        if (word == 0) reset_above(bits::word_of(number));
    }

    /// The lowest number in the set. @pre the set is not empty
    constexpr std::size_t lowest() const noexcept {
        std::size_t number = 0;
        for (unsigned level = levels_; level-- != 0;)
            number = number * bits::word_bits + bits::lowest(words_[offset_[level] + number]);
        return number;
    }

    constexpr bool none() const noexcept { return levels_ == 0 || words_[offset_[levels_ - 1]] == 0; }
    constexpr bool test(std::size_t number) const noexcept {
        return levels_ != 0 && (words_[bits::word_of(number)] & bits::bit_of(number)) != 0;
    }
    constexpr void clear() noexcept {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = 0;
    }

private:
    // Out of line: reached once in 64 calls, and inlined they fill the callers' registers.
    SLOTWISE_NEVER_INLINE constexpr void set_above(std::size_t number) noexcept {
        for (unsigned level = 1; level < levels_; ++level, number /= bits::word_bits) {
            auto& word = words_[offset_[level] + bits::word_of(number)];
            const auto before = word;
            word = before | bits::bit_of(number);
            if (before != 0) return;
        }
    }
    SLOTWISE_NEVER_INLINE constexpr void reset_above(std::size_t number) noexcept {
        for (unsigned level = 1; level < levels_; ++level, number /= bits::word_bits) {
            auto& word = words_[offset_[level] + bits::word_of(number)];
            word &= ~bits::bit_of(number);
            if (word != 0) return;
        }
    }

    FlatArray<bits::word_t, Allocator> words_{};
    std::size_t offset_[max_levels] = {};
    unsigned levels_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
