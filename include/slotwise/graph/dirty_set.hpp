// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DirtySet: a set of positions that is walked in ascending order while it changes. An empty one costs a look at n / 4096 words.
#ifndef SLOTWISE_GRAPH_DIRTY_SET_HPP
#define SLOTWISE_GRAPH_DIRTY_SET_HPP

#include "../core/bits.hpp"
#include "../memory/plain_vector.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A bit a position, and above it a bit for each word that is not zero, or in which a walk is.
/// @tparam Allocator of bytes
template <class Allocator = std::allocator<std::byte>>
class DirtySet {
public:
    explicit DirtySet(const Allocator& alloc = Allocator()) noexcept : words_(alloc), summary_(alloc) {}
    DirtySet(const DirtySet& other, const Allocator& alloc) : words_(other.words_, alloc), summary_(other.summary_, alloc) {}

    /// The result of next() when there is none.
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    /// Room for positions below `count`. Throws what the allocator throws; the set is as before
    void reserve(std::size_t count) {
        const std::size_t words = bits::word_count(count);
        if (words <= words_.size()) return;
        const std::size_t summary = bits::word_count(words);
        if (summary > summary_.size()) summary_.resize(summary, 0);
        words_.resize(words, 0);
    }
    /// @pre position is below what was reserved
    bool test(std::size_t position) const noexcept { return (words_[bits::word_of(position)] & bits::bit_of(position)) != 0; }
    SLOTWISE_ALWAYS_INLINE void set(std::size_t position) noexcept {
        const std::size_t word = bits::word_of(position);
        words_[word] |= bits::bit_of(position);
        summary_[bits::word_of(word)] |= bits::bit_of(word);
    }
    SLOTWISE_ALWAYS_INLINE void reset(std::size_t position) noexcept {
        const std::size_t word = bits::word_of(position);
        words_[word] &= ~bits::bit_of(position);
        if (words_[word] == 0) summary_[bits::word_of(word)] &= ~bits::bit_of(word);
    }
    void clear() noexcept {
        for (bits::word_t& word : words_) word = 0;
        for (bits::word_t& word : summary_) word = 0;
    }
    /// The first position from `from` on, or none. The set may change between two calls.
    SLOTWISE_ALWAYS_INLINE std::size_t next(std::size_t from) const noexcept {
        const std::size_t word = bits::word_of(from);
        if (word < words_.size())
            if (const bits::word_t rest = words_[word] >> from % bits::word_bits; rest != 0) return from + bits::lowest(rest);
        return next_word(word + 1);
    }
    /// Takes the positions out in ascending order, and calls f(position) for each. The set may change meanwhile: what f adds
    /// behind its position is taken too, what it adds before stays.
    template <class F>
    SLOTWISE_ALWAYS_INLINE void pop_each(F&& f) {
        for (std::size_t at = pop_word(0); at != none; at = pop_after(at)) {
            const std::size_t word = bits::word_of(at);
            // Whether the next position follows is a branch, which is predicted: found by pop_after() it would wait for what f
            // has just stored. Nodes of a chain took 1.6 times as long.
            for (bits::word_t bit = bits::bit_of(at);; words_[word] ^= bit, ++at) {
                f(at);
                bit <<= 1;
                if ((words_[word] & bit) == 0) break;
            }
        }
    }
    bool empty() const noexcept { return next(0) == none; }
    /// Bytes of memory.
    std::size_t memory_usage() const noexcept { return memory_of(words_, summary_); }
    void swap(DirtySet& other) noexcept {
        words_.swap(other.words_);
        summary_.swap(other.summary_);
    }
    /// Whether both levels agree; for tests.
    bool check_invariants() const noexcept {
        if (summary_.size() < bits::word_count(words_.size())) return false;
        for (std::size_t i = 0; i != summary_.size() * bits::word_bits; ++i) {
            const bool above = (summary_[bits::word_of(i)] & bits::bit_of(i)) != 0;
            if (!above && i < words_.size() && words_[i] != 0) return false;
            if (above && i >= words_.size()) return false;
        }
        return true;
    }

private:
    /// Calls f(word) for each word from `word` on that may not be zero, until it answers true. Whether it did.
    template <class F>
    bool find_word(std::size_t word, F&& f) const noexcept {
        std::size_t above = bits::word_of(word);
        if (above >= summary_.size()) return false;
        for (bits::word_t rest = summary_[above] & (bits::full_word << word % bits::word_bits);;) {
            for (; rest != 0; rest &= rest - 1)
                if (f(above * bits::word_bits + bits::lowest(rest))) return true;
            if (++above == summary_.size()) return false;
            rest = summary_[above];
        }
    }
    std::size_t next_word(std::size_t word) const noexcept {
        std::size_t found = none;
        find_word(word, [&](std::size_t at) {
            if (words_[at] != 0) found = at * bits::word_bits + bits::lowest(words_[at]);
            return found != none;
        });
        return found;
    }
    /// Takes the first position behind `at`, which was taken out before; none if there is none.
    SLOTWISE_ALWAYS_INLINE std::size_t pop_after(std::size_t at) noexcept {
        const std::size_t word = bits::word_of(at);
        const bits::word_t here = words_[word], rest = here & (bits::full_word << at % bits::word_bits << 1);
        if (rest == 0) return leave(word);
        words_[word] = here ^ (rest & (bits::word_t{0} - rest)); // the bit above is left for leave()
        return word * bits::word_bits + bits::lowest(rest);
    }
    SLOTWISE_NEVER_INLINE std::size_t leave(std::size_t word) noexcept {
        if (words_[word] == 0) summary_[bits::word_of(word)] &= ~bits::bit_of(word);
        return pop_word(word + 1);
    }
    std::size_t pop_word(std::size_t word) noexcept {
        std::size_t found = none;
        find_word(word, [&](std::size_t at) {
            if (words_[at] == 0) { // a walk ended in it, by an exception
                summary_[bits::word_of(at)] &= ~bits::bit_of(at);
                return false;
            }
            found = at * bits::word_bits + bits::lowest(words_[at]);
            words_[at] &= words_[at] - 1;
            return true;
        });
        return found;
    }

    PlainVector<bits::word_t, Allocator> words_;
    PlainVector<bits::word_t, Allocator> summary_;
};

} // namespace detail
SLOTWISE_END

#endif
