// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/hash.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

using namespace slotwise;

static_assert(EqualTo{}(1, 1L) && !EqualTo{}(1, 2));
static_assert(requires { typename EqualTo::is_transparent; });
static_assert(noexcept(EqualTo{}(1, 2)));
static_assert(mix_bits(0) == 0 && mix_bits(1) != mix_bits(2));

namespace {
constexpr std::size_t as_size(std::uint64_t hash) { return bits::to_size(hash); }
} // namespace

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

TEST_CASE("DefaultHash agrees for equal keys, and follows std::hash where it has no hash of its own") {
    CHECK(DefaultHash<std::string>{}("abc") == DefaultHash<std::string>{}(std::string("ab") + 'c'));
    CHECK(DefaultHash<std::string>{}("abc") != DefaultHash<std::string>{}("abd"));
    STATIC_REQUIRE(noexcept(DefaultHash<int>{}(1)));
    CHECK(DefaultHash<double>{}(1.5) == as_size(mix_bits(std::hash<double>{}(1.5))));
    int number = 0;
    CHECK(DefaultHash<int*>{}(&number) == as_size(mix_bits(std::hash<int*>{}(&number))));
}

TEST_CASE("a product by halves is the product") {
    std::uint64_t x = 1, y = 2;
    for (int i = 0; i != 1000; ++i) {
        const detail::WideProduct wide = detail::wide_product(x, y), halves = detail::product_by_halves(x, y);
        REQUIRE(wide.low == halves.low);
        REQUIRE(wide.high == halves.high);
        x = mix_bits(x + 1) >> i % 60;
        y = mix_bits(x ^ y) << i % 50;
    }
    constexpr std::uint64_t all = ~std::uint64_t{0};
    STATIC_REQUIRE(detail::product_by_halves(all, all).high == all - 1);
    STATIC_REQUIRE(detail::product_by_halves(all, all).low == 1);
    STATIC_REQUIRE(detail::wide_product(all, all).high == all - 1);
}

namespace {

// Of the bytes 11, 48, 85, ... (each 37 more than the one before, modulo 256), so many of them. Computed with big integers.
struct TextAnswer {
    std::size_t size;
    std::uint64_t hash;
};
constexpr TextAnswer text_answers[] = {
    {0, 0x7BD0'1547'1D3D'2775},   {1, 0xAF33'30FC'37F7'A077},  {2, 0x8CD8'8411'90AF'20E0},  {3, 0x6A32'9806'8846'0312},
    {4, 0xFE4D'EC76'10C2'14C0},   {7, 0xB0FC'983F'F54C'4D9E},  {8, 0xA2B3'EC12'BFDA'A309},  {9, 0xB83E'5B6D'0EC3'C74A},
    {15, 0x036F'44E9'EE3E'0F2A},  {16, 0x36BE'B203'84A9'2D31}, {17, 0x71EB'A788'1CD1'4622}, {24, 0x87CD'3193'5673'2A3F},
    {31, 0xC220'C4FD'1162'127A},  {32, 0x9F11'9315'C66A'B936}, {33, 0x2425'1E70'4EEF'5695}, {63, 0x038B'EE69'F747'9E75},
    {64, 0x1BCC'A829'7F62'D1E1},  {65, 0xC741'CDF0'19A9'276E}, {96, 0x1CBE'90CD'22E7'91B5}, {97, 0x7D34'C10C'AC39'135F},
    {100, 0x82EE'7F9A'65E3'6E29},
};
constexpr std::array<char, 100> text_bytes = [] {
    std::array<char, 100> bytes{};
    for (std::size_t i = 0; i != bytes.size(); ++i) bytes[i] = static_cast<char>(static_cast<unsigned char>(i * 37 + 11));
    return bytes;
}();
static_assert([] {
    bool all = true;
    for (const TextAnswer& answer : text_answers) {
        const std::string_view text(text_bytes.data(), answer.size);
        all = all && DefaultHash<std::string_view>{}(text) == as_size(answer.hash);
    }
    return all;
}());
// Characters of more than a byte are read from their lowest byte on, whatever the byte order.
static_assert(DefaultHash<std::string>{}("ada") == as_size(0xDFF4'8F58'8494'713C));
static_assert(DefaultHash<std::u8string>{}(u8"ada") == as_size(0xDFF4'8F58'8494'713C));
static_assert(DefaultHash<std::u16string>{}(u"ada") == as_size(0xE15D'F79B'364A'F97D));
static_assert(DefaultHash<std::u32string>{}(U"ada") == as_size(0x6423'B56D'00E3'0BB9));
static_assert(DefaultHash<std::u16string>{}(u"grace hopper") == as_size(0xF2A8'ADDF'C86D'028D));
static_assert(DefaultHash<std::u32string>{}(U"grace hopper") == as_size(0x9ADE'AFF6'27D0'88EF));
static_assert(DefaultHash<std::wstring>{}(L"ada") ==
              as_size(sizeof(wchar_t) == 2 ? 0xE15D'F79B'364A'F97D : 0x6423'B56D'00E3'0BB9));

// Traits for which different characters are equal.
struct CaseTraits : std::char_traits<char> {};
static_assert(
    !std::is_invocable_v<DefaultHash<std::basic_string_view<char, CaseTraits>>, std::basic_string_view<char, CaseTraits>>);

std::uint64_t text_hash(std::string_view text) { return detail::TextHash::of(text.data(), text.size()); }

// How often two of the hashes agree in `bits` bits from bit `shift` on, over how often random ones would.
double agreement(const std::vector<std::uint64_t>& hashes, unsigned shift, unsigned bits) {
    std::vector<std::uint32_t> counts(std::size_t{1} << bits);
    for (const std::uint64_t hash : hashes) ++counts[hash >> shift & (counts.size() - 1)];
    double pairs = 0;
    for (const double count : counts) pairs += count * (count - 1) / 2;
    const auto n = static_cast<double>(hashes.size());
    return pairs / (n * (n - 1) / 2 / static_cast<double>(counts.size()));
}

} // namespace

TEST_CASE("texts hash alike on every machine, at run time as in constant expressions") {
    for (const TextAnswer& answer : text_answers) {
        CAPTURE(answer.size);
        for (std::size_t offset = 0; offset != 8; ++offset) { // memory that ends with the text, for AddressSanitizer
            std::vector<char> memory(offset + answer.size);
            std::copy_n(text_bytes.begin(), answer.size, memory.begin() + static_cast<std::ptrdiff_t>(offset));
            REQUIRE(detail::TextHash::of(memory.data() + offset, answer.size) == answer.hash);
        }
        const std::string text(text_bytes.data(), answer.size);
        REQUIRE(DefaultHash<std::string>{}(text) == as_size(answer.hash));
        REQUIRE(DefaultHash<std::string>{}(std::string_view(text)) == as_size(answer.hash));
    }
    CHECK(DefaultHash<std::string_view>{}({}) == DefaultHash<std::string>{}(""));
    const std::u16string wide = u"grace hopper";
    CHECK(DefaultHash<std::u16string>{}(wide) == as_size(0xF2A8'ADDF'C86D'028D));
    const std::u32string wider = U"grace hopper";
    CHECK(DefaultHash<std::u32string>{}(wider) == as_size(0x9ADE'AFF6'27D0'88EF));
}

TEST_CASE("a text lets every bit of every byte reach about half of the hash's bits") {
    for (const std::size_t size : {3u, 4u, 5u, 8u, 9u, 12u, 16u, 17u, 24u, 32u, 33u, 64u, 70u}) {
        constexpr int rounds = 300;
        std::vector<std::array<int, 64>> flips(size * 8);
        std::string text(size, ' ');
        std::uint64_t random = size;
        for (int round = 0; round != rounds; ++round) {
            for (char& letter : text) letter = static_cast<char>('a' + (random = mix_bits(random + 1)) % 26);
            const std::uint64_t before = text_hash(text);
            for (std::size_t bit = 0; bit != size * 8; ++bit) {
                const char letter = text[bit / 8];
                text[bit / 8] = static_cast<char>(letter ^ 1 << bit % 8);
                for (std::uint64_t changed = before ^ text_hash(text); changed != 0; changed &= changed - 1)
                    ++flips[bit][static_cast<std::size_t>(std::countr_zero(changed))];
                text[bit / 8] = letter;
            }
        }
        CAPTURE(size);
        for (const auto& of_bit : flips) { // six standard deviations are 52
            REQUIRE(*std::min_element(of_bit.begin(), of_bit.end()) > rounds / 2 - 60);
            REQUIRE(*std::max_element(of_bit.begin(), of_bit.end()) < rounds / 2 + 60);
        }
    }
}

TEST_CASE("texts that resemble each other are spread like random numbers, in each part that an index uses") {
    std::vector<std::vector<std::uint64_t>> lists(6);
    for (int i = 0; i != 100'000; ++i) {
        const std::string number = std::to_string(i);
        lists[0].push_back(text_hash(number));
        lists[1].push_back(text_hash("key" + number));
        lists[2].push_back(text_hash("instrument number " + number));
        lists[3].push_back(text_hash(number + " of the instruments"));
        lists[4].push_back(text_hash("/a/path/of/more/than/thirty/two/bytes/" + number + "/and/an/ending"));
        std::string letters;
        for (int rest = i; rest != 0; rest /= 2) letters += rest % 2 != 0 ? 'b' : 'a';
        lists[5].push_back(text_hash(letters));
    }
    for (const auto& hashes : lists) {
        auto distinct = hashes;
        std::sort(distinct.begin(), distinct.end());
        REQUIRE(std::adjacent_find(distinct.begin(), distinct.end()) == distinct.end());
        for (const auto& [shift, bits] : {std::pair{0u, 8u}, {32u, 8u}, {32u, 3u}, {10u, 14u}, {42u, 14u}, {50u, 14u}}) {
            CAPTURE(shift, bits);
            CHECK(agreement(hashes, shift, bits) > 0.98);
            CHECK(agreement(hashes, shift, bits) < 1.02);
        }
    }
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
