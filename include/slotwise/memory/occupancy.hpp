// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Occupancy: which slots are live, one bit a slot, as a read-only view; and summary levels that find a word with a property in
// O(1).
#ifndef SLOTWISE_MEMORY_OCCUPANCY_HPP
#define SLOTWISE_MEMORY_OCCUPANCY_HPP

#include "../core/detail/bits.hpp"
#include "../core/scope_guard.hpp"
#include "../fwd.hpp"
#include "allocator.hpp"

#include <span>
#include <type_traits>

SLOTWISE_BEGIN
namespace detail {

/// At level debug: counts how often the viewed data was exchanged, so that the use of a stale view is detected. Empty at the
/// other levels. (The level is part of the ABI namespace.) A view of a dead container is detected until the memory is reused.
class ViewEpoch {
#if SLOTWISE_CHECK_LEVEL >= 2
public:
    constexpr ViewEpoch() noexcept = default;
    ViewEpoch(const ViewEpoch&) = delete;
    ViewEpoch& operator=(const ViewEpoch&) = delete;
    constexpr ~ViewEpoch() {
        // volatile: an optimiser drops what a destructor stores
        if (!SLOTWISE_IN_CONSTANT) *static_cast<volatile std::size_t*>(&count_) = static_cast<std::size_t>(-1);
    }
    constexpr void advance() noexcept { ++count_; }
    constexpr std::size_t count() const noexcept { return count_; }

private:
    std::size_t count_ = 0;
#else
public:
    constexpr void advance() noexcept {}
    static constexpr std::size_t count() noexcept { return 0; }
#endif
};

/// An epoch as it was when a view was made.
class EpochMark {
public:
    constexpr EpochMark() noexcept = default;
#if SLOTWISE_CHECK_LEVEL >= 2
    constexpr explicit EpochMark(const ViewEpoch& epoch) noexcept : epoch_(&epoch), count_(epoch.count()) {}
    constexpr bool is_current() const noexcept { return epoch_ == nullptr || epoch_->count() == count_; }

private:
    const ViewEpoch* epoch_ = nullptr;
    std::size_t count_ = 0;
#else
    constexpr explicit EpochMark(const ViewEpoch&) noexcept {}
    static constexpr bool is_current() noexcept { return true; }
#endif
};

/// Summary bits where they lie: a set of numbers as one bit each, with levels above. Level k has one bit for each 64 bits of
/// level k - 1, the top is one word; six levels cover 2^32 numbers. The first words of the block say where each level begins
/// and ends, and how many there are, so that a view of it is one pointer, which stays valid when the owner moves.
class SummaryView {
public:
    static constexpr unsigned max_levels = 6;
    static constexpr std::size_t header = max_levels / 2 + 1; ///< words of two numbers each: see number_in

    constexpr SummaryView() noexcept = default;
    constexpr explicit SummaryView(const bits::word_t* block) noexcept : block_(block) {}
    constexpr bool empty() const noexcept { return block_ == nullptr; }

    /// The lowest number in the set not below `number`, or one past all that fit: a step a level. @pre not empty()
    constexpr std::size_t find_next(std::size_t number) const noexcept {
        for (unsigned level = 0, end = levels(block_); level != end; ++level) { // up, until there is something above here
            const std::size_t w = bits::word_of(number);
            if (begin(block_, level) + w >= begin(block_, level + 1)) break;
            const bits::word_t word = block_[begin(block_, level) + w] & (bits::full_word << (number % bits::word_bits));
            number = w + 1;
            if (word == 0) continue;
            for (number = w * bits::word_bits + bits::lowest(word); level-- != 0;) // and down to the lowest of it
                number = number * bits::word_bits + bits::lowest(block_[begin(block_, level) + number]);
            return number;
        }
        return ~std::size_t{0};
    }

    /// The highest number in the set below `number`, or the highest std::size_t: a step a level. @pre not empty()
    constexpr std::size_t find_previous(std::size_t number) const noexcept {
        for (unsigned level = 0, end = levels(block_); level != end; ++level) { // up, until there is something below here
            const std::size_t words = begin(block_, level + 1) - begin(block_, level);
            if (number > words * bits::word_bits) number = words * bits::word_bits;
            if (number == 0) break;
            const std::size_t w = bits::word_of(--number); // the top has no level above it: its last word may be a full one
            const auto bits_below = static_cast<unsigned>(number % bits::word_bits) + 1;
            const bits::word_t word = block_[begin(block_, level) + w] & bits::low_mask(bits_below);
            number = w;
            if (word == 0) continue;
            for (number = w * bits::word_bits + bits::highest(word); level-- != 0;) // and down to the highest of it
                number = number * bits::word_bits + bits::highest(block_[begin(block_, level) + number]);
            return number;
        }
        return ~std::size_t{0};
    }

    /// Where a level begins, and where the last one ends.
    static constexpr std::size_t begin(const bits::word_t* block, unsigned level) noexcept { return number_in(block, level); }
    static constexpr unsigned levels(const bits::word_t* block) noexcept { return number_in(block, max_levels + 1); }

private:
    static constexpr std::uint32_t number_in(const bits::word_t* block, unsigned i) noexcept {
        return static_cast<std::uint32_t>(block[i / 2] >> (i % 2 * 32));
    }

    const bits::word_t* block_ = nullptr;
};

/// Counts consecutive empty words of a walk. Only a run of several is worth a look into the summary. At 1 % live a branch on
/// each empty word is unpredictable: it made a walk 1.5 times as slow.
class EmptyWords {
public:
    SLOTWISE_ALWAYS_INLINE constexpr bool many(bits::word_t word) noexcept {
        count_ = word != 0 ? 0 : count_ + 1;
        if (count_ != few) [[likely]]
            return false;
        count_ = 0;
        return true;
    }
    static constexpr unsigned few = 4;

private:
    unsigned count_ = 0;
};

} // namespace detail

/// A read-only view of liveness bits: 64-bit words, least significant bit first, 1 = live. Bits from size() on are 0.
/// @invalidates itself when the container it came from grows, shrinks, moves or dies (level debug detects its use); erases and
/// inserts below size() show through
class Occupancy {
public:
    constexpr Occupancy() noexcept = default;
    /// A view of `slots` bits at `words`. Slot 0 is the lowest bit of words[0].
    constexpr Occupancy(const bits::word_t* words, std::size_t slot_count) noexcept : words_(words), slots_(slot_count) {}
    /// For directories: the view ends with this epoch. The summary has the number of every word that is not 0, and few others.
    SLOTWISE_ALWAYS_INLINE constexpr Occupancy(const bits::word_t* words, std::size_t slot_count,
                                               const detail::ViewEpoch& epoch, detail::SummaryView summary = {}) noexcept
        : words_(words), slots_(slot_count), summary_(summary), mark_(epoch) {}

    /// Slots covered, live or not.
    SLOTWISE_ALWAYS_INLINE constexpr std::size_t size() const noexcept { return slots_; }
    constexpr bool empty() const noexcept { return slots_ == 0; }
    /// The bits, 64 slots a word.
    constexpr std::span<const bits::word_t> words() const noexcept { return {data(), bits::word_count(slots_)}; }
    /// Word `i`. @pre i < words().size()
    SLOTWISE_ALWAYS_INLINE constexpr bits::word_t word(std::size_t i) const noexcept { return data()[i]; }

    /// Whether `slot` is live; false from size() on.
    constexpr bool test(std::size_t slot) const noexcept {
        return slot < slots_ && (data()[bits::word_of(slot)] & bits::bit_of(slot)) != 0;
    }

    /// Number of live slots. @complexity linear in words
    constexpr std::size_t count() const noexcept {
        std::size_t total = 0;
        const std::size_t whole = bits::word_of(slots_);
        for (std::size_t w = 0; w != whole; ++w) total += bits::count(word(w));
        if (slots_ % bits::word_bits != 0) total += bits::count(word(whole) & bits::low_mask(slots_ % bits::word_bits));
        return total;
    }
    /// Whether every slot is live.
    constexpr bool all() const noexcept { return count() == slots_; }
    /// Whether no slot is live.
    constexpr bool none() const noexcept { return find_next(0) == no_slot; }

    /// The first live slot not below `slot`, or no_slot. @complexity O(1) in a container; of bare words linear in those skipped
    constexpr slot_t find_next(std::size_t slot) const noexcept {
        if (slot >= slots_) return no_slot;
        const bits::word_t* const words = data();
        std::size_t w = bits::word_of(slot);
        bits::word_t word = words[w] & (bits::full_word << (slot % bits::word_bits));
        if (word == 0) {
            w = next_word(w + 1);
            if (w == bits::word_count(slots_)) return no_slot;
            word = words[w];
        }
        return static_cast<slot_t>(w * bits::word_bits + bits::lowest(word));
    }
    /// The last live slot below `slot`, or no_slot. @complexity O(1) in a container; of bare words linear in those skipped
    constexpr slot_t find_previous(std::size_t slot) const noexcept {
        if (slot > slots_) slot = slots_;
        const bits::word_t* const words = data();
        std::size_t w = bits::word_of(slot);
        const auto bit = static_cast<unsigned>(slot % bits::word_bits);
        bits::word_t word = bit == 0 ? 0 : words[w] & bits::low_mask(bit);
        for (unsigned looked_at = 0; word == 0; word = words[w]) {
            if (w == 0) return no_slot;
            w = summary_.empty() || looked_at++ < detail::EmptyWords::few ? w - 1 : summary_.find_previous(w);
            if (w == ~std::size_t{0}) return no_slot;
        }
        return static_cast<slot_t>(w * bits::word_bits + bits::highest(word));
    }
    /// The first word not below `w` that is not 0, or words().size(). @pre w <= words().size()
    constexpr std::size_t next_word(std::size_t w) const noexcept {
        // A few words are read before the summary: at 1 % live every other word is empty.
        const bits::word_t* const words = data();
        const std::size_t end = bits::word_count(slots_);
        const std::size_t scan_end = summary_.empty() || end - w < detail::EmptyWords::few ? end : w + detail::EmptyWords::few;
        for (; w != scan_end; ++w)
            if (words[w] != 0) return w;
        while (w < end && words[w] == 0)
            w = summary_.find_next(w + 1); // once or twice: the summary has the words of fresh slots too
        return w < end ? w : end;
    }
    /// The same out of line, for walks that must keep their registers.
    SLOTWISE_NEVER_INLINE static constexpr std::size_t next_word(Occupancy live, std::size_t w) noexcept {
        return live.next_word(w);
    }

    /// Calls f(slot) for every live slot in ascending order. A word is read once: f may change it without effect on the walk.
    /// Slots from size() on are not met, even if f makes them live.
    template <class F>
    constexpr void for_each(F&& f) const {
        SLOTWISE_ASSUME(slots_ == 0 || words_ != nullptr); // clang-tidy's analyser thinks of slots without words
        const std::size_t end = bits::word_count(slots_);
        detail::EmptyWords empty;
        for (std::size_t w = 0; w != end;) {
            const bits::word_t here = word(w);
            const std::size_t first = w++ * bits::word_bits;
            bits::for_each(w != end ? here : here & bits::low_mask(static_cast<unsigned>(slots_ - first)),
                           [&](unsigned bit) { f(static_cast<slot_t>(first + bit)); });
            if (empty.many(here)) w = next_word(*this, w);
        }
    }

    /// The part from `first` on, `slots` long, with `first` as its slot 0. @pre first is a multiple of 64 and within size()
    constexpr Occupancy part(std::size_t first, std::size_t slot_count) const noexcept {
        Occupancy result(data() + bits::word_of(first), slot_count < slots_ - first ? slot_count : slots_ - first);
        result.mark_ = mark_;
        return result;
    }

private:
    SLOTWISE_ALWAYS_INLINE constexpr const bits::word_t* data() const noexcept {
        SLOTWISE_EXPECT_DEBUG(mark_.is_current(),
                              "Occupancy: the container has grown, shrunk, moved or died since; ask it for a new one");
        return words_;
    }

    const bits::word_t* words_ = nullptr;
    std::size_t slots_ = 0;
    detail::SummaryView summary_{};
    SLOTWISE_NO_UNIQUE_ADDRESS detail::EpochMark mark_{};
};

namespace detail {

/// build(slot) for every slot of `live` in ascending order; if one throws, undo_build(slot) for those before it, in descending
/// order.
template <class Build, class Unbuild>
constexpr void build_each(Occupancy live, Build&& build, Unbuild&& undo_build) {
    slot_t built = 0;
    ScopeGuard undo([&]() noexcept {
        while (built-- != 0)
            if (live.test(built)) undo_build(built);
    });
    live.for_each([&](slot_t slot) {
        built = slot; // not yet this one
        build(slot);
    });
    undo.dismiss();
}

/// The owner of a SummaryView's block. set, reset and lowest touch at most one word a level. It is what finds the lowest free
/// slot: a flat scan of the words cost 149 ns an insert at 1e5 slots, this costs 2 to 3.
/// @tparam Words an array of words. Its memory is of a *source*: an allocator, or an ArrayPlace where it is a PlacedArray
template <class Allocator, class Words = FlatArray<bits::word_t, Allocator>>
class SummaryBits {
    static constexpr std::size_t header = SummaryView::header;

public:
    constexpr SummaryBits() = default;
    template <class Source>
        requires(!std::is_same_v<Source, SummaryBits>)
    constexpr explicit SummaryBits(const Source& source) noexcept : words_(source) {}
    constexpr SummaryBits(SummaryBits&& other) noexcept = default;

    /// The words for `count` numbers.
    static constexpr std::size_t words_for(std::size_t count) noexcept {
        std::size_t total = count == 0 ? 0 : header;
        for (std::size_t level = 0; count != 0 && (level == 0 || count != 1); ++level) total += count = bits::word_count(count);
        return total;
    }
    /// A copy that covers `count` numbers, in memory of `source`; numbers from `count` on are dropped.
    /// @throws what the allocator throws; this set is unchanged
    template <class Source = const Allocator&>
    constexpr SummaryBits resized(std::size_t count, Source&& source) const {
        SummaryBits result = covering(count, source);
        const std::size_t own = words_.empty() ? 0 : begin(1) - header;
        for (std::size_t w = 0; w < own && w * bits::word_bits < count; ++w)
            bits::for_each(words_[header + w], [&](unsigned bit) {
                if (w * bits::word_bits + bit < count) result.set(w * bits::word_bits + bit);
            });
        return result;
    }
    /// An empty set that covers `count` numbers. @throws what the allocator throws
    template <class Source = const Allocator&>
    static constexpr SummaryBits covering(std::size_t count, Source&& source) {
        SummaryBits result(source);
        if (count == 0) return result;
        bits::word_t numbers[header] = {};
        const auto put = [&](unsigned i, std::size_t number) { numbers[i / 2] |= bits::word_t{number} << (i % 2 * 32); };
        std::size_t total = header;
        unsigned level = 0;
        for (put(0, total); level == 0 || count != 1; put(++level, total)) total += count = bits::word_count(count);
        put(SummaryView::max_levels + 1, level);
        Words(source).resized(total, 0, source).swap(result.words_);
        for (std::size_t i = 0; i != header; ++i) result.words_[i] = numbers[i];
        return result;
    }

    constexpr void swap(SummaryBits& other) noexcept { words_.swap(other.words_); }
    SLOTWISE_ALWAYS_INLINE constexpr SummaryView view() const noexcept { return SummaryView(words_.data()); }
    constexpr std::size_t memory_usage() const noexcept { return words_.memory_usage(); }
    /// Whether no number is covered.
    constexpr bool empty() const noexcept { return words_.empty(); }

    /// Adds `number`. @pre it is covered
    constexpr void set(std::size_t number) noexcept {
        auto& word = words_[header + bits::word_of(number)];
        const auto before = word;
        word = before | bits::bit_of(number);
        if (before == 0) set_above(bits::word_of(number));
    }

    /// Removes `number`. @pre it is covered
    constexpr void reset(std::size_t number) noexcept {
        auto& word = words_[header + bits::word_of(number)];
        word &= ~bits::bit_of(number);
        if (word == 0) reset_above(bits::word_of(number));
    }

    /// As set() and reset(), for few numbers that come and go in any order. Whether a word has other bits is then a matter
    /// of chance: a branch on it took 5 to 10 ns a pair.
    void set_scattered(std::size_t number) noexcept {
        words_[header + bits::word_of(number)] |= bits::bit_of(number);
        if (levels() == 1) return;
        const std::size_t w = bits::word_of(number);
        auto& above = words_[begin(1) + bits::word_of(w)];
        if (above == 0) set_above(w);
        above |= bits::bit_of(w);
    }
    void reset_scattered(std::size_t number) noexcept {
        const std::size_t w = bits::word_of(number);
        auto& word = words_[header + w];
        word &= ~bits::bit_of(number);
        if (levels() == 1) return;
        auto& above = words_[begin(1) + bits::word_of(w)];
        above &= ~(bits::word_t{word == 0} << (w % bits::word_bits));
        if (above == 0) reset_above(w);
    }

    /// Adds every number from `number` on that the words have bits for.
    constexpr void set_from(std::size_t number) noexcept {
        std::size_t end = words_.empty() ? 0 : (begin(1) - header) * bits::word_bits;
        for (unsigned level = 0; number < end; ++level, number /= bits::word_bits) {
            for (std::size_t i = number; i < end; i = (i | (bits::word_bits - 1)) + 1)
                words_[begin(level) + bits::word_of(i)] |=
                    (bits::full_word << (i % bits::word_bits)) & up_to(end, bits::word_of(i));
            end = level + 1 == levels() ? 0 : begin(level + 1) - begin(level);
        }
    }

    /// The lowest number in the set. @pre the set is not empty
    constexpr std::size_t lowest() const noexcept {
        std::size_t number = bits::lowest(words_[words_.size() - 1]);
        unsigned level = levels() - 1;
        if (level == 0) return number;
        while (--level != 0) number = number * bits::word_bits + bits::lowest(words_[begin(level) + number]);
        return number * bits::word_bits + bits::lowest(words_[header + number]); // where the first and the last begin is known
    }

    constexpr bool none() const noexcept { return words_.empty() || words_[words_.size() - 1] == 0; }
    constexpr bool test(std::size_t number) const noexcept {
        return !words_.empty() && (words_[header + bits::word_of(number)] & bits::bit_of(number)) != 0;
    }
    constexpr void clear() noexcept {
        for (std::size_t i = header; i < words_.size(); ++i) words_[i] = 0;
    }

private:
    /// The bits of word `w` that belong to numbers below `end`.
    static constexpr bits::word_t up_to(std::size_t end, std::size_t w) noexcept {
        return w < bits::word_of(end) ? bits::full_word : bits::low_mask(end % bits::word_bits);
    }
    constexpr unsigned levels() const noexcept { return SummaryView::levels(words_.data()); }
    constexpr std::size_t begin(unsigned level) const noexcept { return SummaryView::begin(words_.data(), level); }

    // Out of line: reached once in 64 calls, and inlined they fill the callers' registers.
    SLOTWISE_NEVER_INLINE constexpr void set_above(std::size_t number) noexcept {
        for (unsigned level = 1, end = levels(); level < end; ++level, number /= bits::word_bits) {
            auto& word = words_[begin(level) + bits::word_of(number)];
            const auto before = word;
            word = before | bits::bit_of(number);
            if (before != 0) return;
        }
    }
    SLOTWISE_NEVER_INLINE constexpr void reset_above(std::size_t number) noexcept {
        for (unsigned level = 1, end = levels(); level < end; ++level, number /= bits::word_bits) {
            auto& word = words_[begin(level) + bits::word_of(number)];
            word &= ~bits::bit_of(number);
            if (word != 0) return;
        }
    }

    Words words_{};
};

} // namespace detail
SLOTWISE_END

#endif
