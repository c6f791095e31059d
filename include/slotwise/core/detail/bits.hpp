// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Words of 64 bits as sets of slots: one bit a slot, least significant first.
#ifndef SLOTWISE_CORE_DETAIL_BITS_HPP
#define SLOTWISE_CORE_DETAIL_BITS_HPP

#include "../../config/abi.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

SLOTWISE_BEGIN
/// Words of 64 bits as sets of slots: one bit a slot, least significant first.
namespace bits {

/// 64 slots.
using word_t = std::uint64_t;

/// As std::size_t, the upper half dropped where that has 32 bits. It does not cast when nothing is to be done, because g++
/// warns about such casts.
template <class Number>
constexpr std::size_t to_size(Number number) noexcept {
    if constexpr (sizeof(Number) > sizeof(std::size_t))
        return static_cast<std::size_t>(number);
    else
        return number;
}
/// Slots in a word.
inline constexpr unsigned word_bits = 64;
/// A word in which every slot is set.
inline constexpr word_t full_word = ~word_t{0};

/// Words needed for `slots` bits.
SLOTWISE_ALWAYS_INLINE constexpr std::size_t word_count(std::size_t slot_count) noexcept {
    return slot_count / word_bits + (slot_count % word_bits != 0);
}

/// The word that holds `slot`.
SLOTWISE_ALWAYS_INLINE constexpr std::size_t word_of(std::size_t slot) noexcept { return slot / word_bits; }

/// The bit of `slot` in its word.
SLOTWISE_ALWAYS_INLINE constexpr word_t bit_of(std::size_t slot) noexcept { return word_t{1} << (slot % word_bits); }

/// The lowest `count` bits set. @pre count <= 64
SLOTWISE_ALWAYS_INLINE constexpr word_t low_mask(unsigned count) noexcept {
    return count >= word_bits ? full_word : (word_t{1} << count) - 1;
}

/// Position of the lowest set bit. @pre word != 0
SLOTWISE_ALWAYS_INLINE constexpr unsigned lowest(word_t word) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    return static_cast<unsigned>(__builtin_ctzll(word)); // std::countr_zero tests for zero where the baseline has no tzcnt
#else
    return static_cast<unsigned>(std::countr_zero(word));
#endif
}

/// Position of the highest set bit. @pre word != 0
constexpr unsigned highest(word_t word) noexcept { return word_bits - 1 - static_cast<unsigned>(std::countl_zero(word)); }

/// Number of set bits.
constexpr unsigned count(word_t word) noexcept { return static_cast<unsigned>(std::popcount(word)); }

/// Calls f(position) for every set bit, in ascending order.
template <class F>
constexpr void for_each(word_t word, F&& f) {
    for (; word != 0; word &= word - 1) f(lowest(word));
}

/// The same; a full word is a plain loop, which a compiler vectorises: for walks over the elements of 64 slots.
template <class F>
SLOTWISE_ALWAYS_INLINE constexpr void walk(word_t word, F&& f) {
    if (word == full_word)
        for (unsigned i = 0; i != word_bits; ++i) f(i);
    else
        for_each(word, f);
}

/// `value` rounded up to a multiple of `step`. @pre step is a power of two and the result fits
constexpr std::size_t round_up(std::size_t value, std::size_t step) noexcept { return (value + step - 1) & ~(step - 1); }

} // namespace bits

SLOTWISE_END

#endif
