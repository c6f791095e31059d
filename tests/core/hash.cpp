// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/hash.hpp>

#include "support/catch.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

using namespace slotwise;

static_assert(EqualTo{}(1, 1L) && !EqualTo{}(1, 2));
static_assert(requires { typename EqualTo::is_transparent; });
static_assert(noexcept(EqualTo{}(1, 2)));
static_assert(mix_bits(0) == 0 && mix_bits(1) != mix_bits(2));

TEST_CASE("mix_bits gives different words different hashes") {
    std::unordered_set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 100'000; ++i) seen.insert(mix_bits(i));
    for (unsigned shift = 17; shift < 64; ++shift) seen.insert(mix_bits(std::uint64_t{1} << shift));
    CHECK(seen.size() == 100'000 + (64 - 17));
}

TEST_CASE("mix_bits lets every input bit reach about half of the output bits") {
    for (unsigned bit = 0; bit < 64; ++bit) {
        int flipped = 0;
        for (std::uint64_t i = 0; i < 64; ++i) {
            const std::uint64_t x = i * 0x9E37'79B9'7F4A'7C15u;
            flipped += std::popcount(mix_bits(x) ^ mix_bits(x ^ (std::uint64_t{1} << bit)));
        }
        CHECK(flipped > 64 * 24);
        CHECK(flipped < 64 * 40);
    }
}

TEST_CASE("integers that differ in high bits only get different low bits") {
    std::unordered_set<std::size_t> buckets;
    for (std::uint64_t i = 0; i < 256; ++i) buckets.insert(DefaultHash<std::uint64_t>{}(i << 32) % 1024);
    CHECK(buckets.size() > 180); // std::hash, the identity in libstdc++, would give one bucket
}

TEST_CASE("DefaultHash agrees for equal keys and follows std::hash") {
    CHECK(DefaultHash<std::string>{}("abc") == DefaultHash<std::string>{}(std::string("ab") + 'c'));
    CHECK(DefaultHash<std::string>{}("abc") == static_cast<std::size_t>(mix_bits(std::hash<std::string>{}("abc"))));
    CHECK(DefaultHash<std::string>{}("abc") != DefaultHash<std::string>{}("abd"));
    STATIC_REQUIRE(noexcept(DefaultHash<int>{}(1)));
}

TEST_CASE("an enumeration is hashed as the integer it is kept in") {
    enum class Small : std::uint8_t { first, last = 255 };
    enum class Wide : std::uint64_t { low = 1, high = std::uint64_t{1} << 63 };
    for (unsigned value = 0; value != 256; ++value)
        REQUIRE(DefaultHash<Small>{}(static_cast<Small>(value)) ==
                DefaultHash<std::uint8_t>{}(static_cast<std::uint8_t>(value)));
    for (const Wide wide : {Wide::low, Wide::high})
        CHECK(DefaultHash<Wide>{}(wide) == DefaultHash<std::uint64_t>{}(static_cast<std::uint64_t>(wide)));
    CHECK(DefaultHash<Wide>{}(Wide::low) != DefaultHash<Wide>{}(Wide::high));
}

TEST_CASE("EqualTo compares different types by ==") {
    CHECK(EqualTo{}(std::string("abc"), std::string_view("abc")));
    CHECK_FALSE(EqualTo{}(std::string("abc"), "abd"));
}
