// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// stable_hash by published vectors and by values that no release may change, and the arithmetic of shards.
#include "support/catch.hpp"

#include <slotwise/arrow/shard.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

using namespace slotwise;

namespace {

// XXHSUM's self-test buffer: the upper byte of successive products.
constexpr std::array<char, 222> sanity = [] {
    std::array<char, 222> bytes{};
    std::uint64_t generator = 2'654'435'761u;
    for (char& byte : bytes) {
        byte = static_cast<char>(generator >> 56);
        generator *= 11'400'714'785'074'694'797u;
    }
    return bytes;
}();

struct Vector {
    std::size_t size;
    std::uint64_t hash;
};
// Sizes 0, 1, 14 and 222 are in xxHash's cli/xsum_sanity_check.c; the others, at the edges of its steps, from its own library.
constexpr Vector vectors[] = {{0, 0xEF46'DB37'51D8'E999},  {1, 0xE934'A84A'DB05'2768},  {4, 0x9136'A0DC'A574'57EE},
                              {8, 0xCDBC'F538'E71D'1348},  {14, 0x8282'DCC4'994E'35C8}, {31, 0x299B'39A2'90E6'D783},
                              {32, 0x18B2'1649'2BB4'4B70}, {33, 0x55C8'DC3E'578F'5B59}, {63, 0xA9EF'BE0F'A0F3'F4E7},
                              {64, 0xEF55'8F8A'CAC2'B5CD}, {222, 0xB641'AE8C'B691'C174}};

constexpr bool all_vectors() {
    for (const auto [size, hash] : vectors)
        if (stable_hash(std::string_view(sanity.data(), size)) != hash) return false;
    return true;
}

enum class Side : std::int8_t { sell = -1, buy = 1 };

} // namespace

TEST_CASE("stable_hash of text is XXH64 by its published vectors, at run time and in constant expressions", "[shard]") {
    REQUIRE(all_vectors());
    STATIC_REQUIRE(all_vectors());
    STATIC_REQUIRE(stable_hash("") == 0xEF46'DB37'51D8'E999);
    STATIC_REQUIRE(stable_hash("a") == 0xD24E'C4F1'A98C'6E5B);
    STATIC_REQUIRE(stable_hash(u8"abc") == 0x44BC'2CF5'AD77'0999);
    REQUIRE(stable_hash(std::string("asdf")) == 0x4158'72F5'99CE'A71E);
    REQUIRE(stable_hash(std::string_view("Call me Ishmael. Some years ago--never mind how long precisely-")) ==
            0x02A2'E854'70D6'FD96);
}

TEST_CASE("stable_hash of a number is SplitMix64 by its published vectors", "[shard]") {
    // The first outputs after the seed 1234567, as test suites of several languages have them.
    constexpr std::uint64_t published[] = {6'457'827'717'110'365'317u, 3'203'168'211'198'807'973u, 9'817'491'932'198'370'423u,
                                           4'593'380'528'125'082'431u, 16'408'922'859'458'223'821u};
    std::uint64_t state = 1'234'567;
    for (const std::uint64_t output : published) {
        REQUIRE(stable_hash(state) == output);
        state += 0x9E37'79B9'7F4A'7C15u;
    }
}

TEST_CASE("version 1 of stable_hash has these values, which no release, width of a type or byte order changes", "[shard]") {
    STATIC_REQUIRE(stable_hash_version == 1);
    STATIC_REQUIRE(stable_hash(0) == 0xE220'A839'7B1D'CDAF);
    STATIC_REQUIRE(stable_hash(true) == 0x910A'2DEC'8902'5CC1);
    STATIC_REQUIRE(stable_hash(std::int8_t{-1}) == 0xE4D9'7177'1B65'2C20);
    STATIC_REQUIRE(stable_hash(std::int64_t{-1}) == 0xE4D9'7177'1B65'2C20);
    STATIC_REQUIRE(stable_hash(Side::sell) == 0xE4D9'7177'1B65'2C20);
    STATIC_REQUIRE(stable_hash('\xFF') == stable_hash(255));
    STATIC_REQUIRE(stable_hash(std::uint16_t{42}) == 0xBDD7'3226'2FEB'6E95);
    STATIC_REQUIRE(stable_hash(std::uint64_t{1} << 63) == 0x481E'C0A2'12A9'F3DB);
    STATIC_REQUIRE(stable_hash(*PublicId::parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")) == 0xC0F2'AF71'B323'E9DE);
    STATIC_REQUIRE(stable_hash(std::pair<int, const char*>(7, "ada")) == 0x4432'2B61'D41C'EF91);
    STATIC_REQUIRE(stable_hash(std::tuple(std::uint8_t{1})) == 0x2621'4623'73C2'9F9B);
    const std::string name = "ada";
    const int number = 7;
    REQUIRE(stable_hash(std::tie(number, name)) == 0x4432'2B61'D41C'EF91);
}

TEST_CASE("doubling the number of shards splits each shard in two and moves no key elsewhere", "[shard]") {
    STATIC_REQUIRE(shard_of(0, 5) == 0);
    STATIC_REQUIRE(shard_of(~std::uint64_t{0}, 5) == 4);
    STATIC_REQUIRE(shard_of(~std::uint64_t{0}, ~std::uint32_t{0}) == ~std::uint32_t{0} - 1);
    std::uint64_t hash = 1;
    for (std::uint64_t i = 0; i != 20'000; ++i) {
        hash = stable_hash(hash + i);
        for (const std::uint32_t n : {1u, 2u, 3u, 7u, 12u, 1000u, 0x7FFF'FFFFu}) {
            const std::uint32_t before = shard_of(hash, n), after = shard_of(hash, 2 * n);
            if (before >= n || after / 2 != before) FAIL("hash " << hash << " of " << n);
        }
    }
    // At the edges of each share as well.
    for (std::uint64_t share = 0; share != 12; ++share)
        for (const std::uint64_t step : {0u, 1u, 2u}) {
            const std::uint64_t edge = ((share << 32) / 12 + step) << 32;
            REQUIRE(shard_of(edge, 24) / 2 == shard_of(edge, 12));
        }
    SUCCEED("each stayed with its shard's halves");
}

TEST_CASE("successive numbers, strided numbers and similar names are spread evenly over shards", "[shard]") {
    constexpr std::size_t keys = 100'000;
    for (const std::uint32_t n : {2u, 3u, 8u, 64u}) {
        const auto even = [&](auto&& key_of) {
            std::vector<double> count(n);
            for (std::size_t i = 0; i != keys; ++i) ++count[shard_of(stable_hash(key_of(i)), n)];
            double chi_square = 0;
            const double expected = static_cast<double>(keys) / n;
            for (const double c : count) chi_square += (c - expected) * (c - expected) / expected;
            return chi_square < 2.0 * n + 20; // of n - 1 degrees of freedom: far out for any n here
        };
        CAPTURE(n);
        REQUIRE(even([](std::size_t i) { return static_cast<std::uint32_t>(i); }));
        REQUIRE(even([](std::size_t i) { return std::uint64_t{i} << 32; }));
        REQUIRE(even([](std::size_t i) { return std::uint64_t{i} * 4096; }));
        REQUIRE(even([](std::size_t i) { return "user-" + std::to_string(i); }));
        REQUIRE(even([](std::size_t i) { return std::pair(i % 100, i / 100); }));
        REQUIRE(even([](std::size_t i) { return PublicId{1, i}; }));
    }
}
