// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/detail/bits.hpp>

#include "support/catch.hpp"

#include <limits>
#include <random>
#include <vector>

using namespace slotwise;

static_assert(bits::word_count(0) == 0 && bits::word_count(1) == 1 && bits::word_count(64) == 1 && bits::word_count(65) == 2);
static_assert(bits::word_count(std::numeric_limits<std::size_t>::max()) == std::numeric_limits<std::size_t>::max() / 64 + 1);
static_assert(bits::word_of(0) == 0 && bits::word_of(63) == 0 && bits::word_of(64) == 1);
static_assert(bits::bit_of(0) == 1 && bits::bit_of(63) == bits::word_t{1} << 63 && bits::bit_of(64) == 1);
static_assert(bits::low_mask(0) == 0 && bits::low_mask(1) == 1 && bits::low_mask(63) == bits::full_word >> 1);
static_assert(bits::low_mask(64) == bits::full_word, "a shift by 64 is no shift");
static_assert(bits::lowest(1) == 0 && bits::lowest(bits::word_t{1} << 63) == 63 && bits::lowest(0b1010'0000) == 5);
static_assert(bits::count(0) == 0 && bits::count(bits::full_word) == 64 && bits::count(0b1011) == 3);
static_assert(bits::round_up(0, 64) == 0 && bits::round_up(1, 64) == 64 && bits::round_up(64, 64) == 64 &&
              bits::round_up(65, 64) == 128);

TEST_CASE("word_of and bit_of give each slot a bit of its own") {
    std::vector<bits::word_t> words(4);
    for (std::size_t slot = 0; slot < 256; ++slot) {
        auto& word = words[bits::word_of(slot)];
        CHECK((word & bits::bit_of(slot)) == 0);
        word |= bits::bit_of(slot);
    }
    CHECK(words == std::vector<bits::word_t>(4, bits::full_word));
}

TEST_CASE("for_each and walk visit every set bit once, in ascending order") {
    std::mt19937_64 random(1);
    for (const bits::word_t word :
         {bits::word_t{0}, bits::word_t{1}, bits::full_word, bits::word_t{1} << 63, random(), random()}) {
        std::vector<unsigned> expected, visited;
        for (unsigned i = 0; i < 64; ++i)
            if (word >> i & 1u) expected.push_back(i);
        bits::for_each(word, [&](unsigned position) { visited.push_back(position); });
        CHECK(visited == expected);
        visited.clear();
        bits::walk(word, [&](unsigned position) { visited.push_back(position); });
        CHECK(visited == expected);
        CHECK(bits::count(word) == expected.size());
        if (word != 0) CHECK(bits::lowest(word) == expected.front());
    }
}

TEST_CASE("low_mask sets exactly the lowest bits") {
    for (unsigned count = 0; count <= 64; ++count)
        for (unsigned i = 0; i < 64; ++i) CHECK((bits::low_mask(count) >> i & 1u) == (i < count));
}

TEST_CASE("to_size keeps the lower bits, whatever the number's width") {
    CHECK(bits::to_size(std::uint8_t{200}) == 200);
    CHECK(bits::to_size(std::numeric_limits<std::size_t>::max()) == std::numeric_limits<std::size_t>::max());
#if defined(__SIZEOF_INT128__)
    __extension__ using wide = unsigned __int128;
    CHECK(bits::to_size(wide{3} << 64 | 5u) == 5);
#else
    CHECK(bits::to_size(std::uint64_t{3} << 32 | 5u) == 5);
#endif
}
