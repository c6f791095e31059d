// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// is_utf8 and is_ascii beside a decoder that goes back: bytes are UTF-8 if each character, encoded again, gives the same bytes.
#include "support/catch.hpp"

#include <slotwise/core/utf8.hpp>

#include <array>
#include <random>
#include <string>

using namespace slotwise;

namespace {

std::string encoded(std::uint32_t point) {
    const auto part = [&](unsigned shift) { return static_cast<char>(0x80 | (point >> shift & 0x3f)); };
    if (point < 0x80) return {static_cast<char>(point)};
    if (point < 0x800) return {static_cast<char>(0xc0 | point >> 6), part(0)};
    if (point < 0x10000) return {static_cast<char>(0xe0 | point >> 12), part(6), part(0)};
    return {static_cast<char>(0xf0 | point >> 18), part(12), part(6), part(0)};
}
bool is_scalar(std::uint32_t point) { return point < 0xd800 || (point > 0xdfff && point < 0x110000); }

/// Takes any 1 to 4 bytes as a character, whatever they say, and looks whether they are its encoding.
bool plain_utf8(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto first = static_cast<unsigned char>(bytes[0]);
        const std::size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        if (size > bytes.size()) return false;
        std::uint32_t point = size == 1 ? first : first & (0xffu >> (size + 1));
        for (std::size_t i = 1; i != size; ++i) point = point << 6 | (static_cast<unsigned char>(bytes[i]) & 0x3fu);
        if (!is_scalar(point) || encoded(point) != bytes.substr(0, size)) return false;
        bytes.remove_prefix(size);
    }
    return true;
}

} // namespace

TEST_CASE("every character is UTF-8, alone and within others, and no part of one is", "[utf8]") {
    std::size_t characters = 0, wrong = 0;
    for (std::uint32_t point = 0; point != 0x110000; ++point) {
        const std::string bytes = encoded(point);
        const std::string_view view = bytes;
        if (is_scalar(point)) {
            ++characters;
            wrong += !detail::is_utf8(bytes) || (detail::is_ascii(bytes) != (point < 0x80));
            for (std::size_t i = 1; i != bytes.size(); ++i)
                wrong += detail::is_utf8(view.substr(0, i)) || detail::is_utf8(view.substr(i));
        } else
            wrong += detail::is_utf8(bytes);
    }
    REQUIRE((characters == 1'112'064 && wrong == 0));
}

TEST_CASE("all strings of four bytes from around each bound of UTF-8 are judged as by a plain decoder", "[utf8]") {
    constexpr std::array<unsigned char, 27> bounds = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                                      0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee,
                                                      0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf8, 0xfe, 0xff};
    std::size_t good = 0, bad = 0, wrong = 0;
    std::string bytes(4, '\0');
    for (std::size_t number = 0; number != std::size_t{27} * 27 * 27 * 27; ++number) {
        std::size_t rest = number;
        for (char& c : bytes) {
            c = static_cast<char>(bounds[rest % 27]);
            rest /= 27;
        }
        const bool expected = plain_utf8(bytes);
        ++(expected ? good : bad);
        wrong += detail::is_utf8(bytes) != expected;
    }
    REQUIRE((good > 1000 && bad > 100'000 && wrong == 0));
}

TEST_CASE("a byte that is wrong is found at every place of a text of any length", "[utf8]") {
    std::mt19937 random(1);
    for (std::size_t size = 0; size != 140; ++size) {
        std::string text(size, 'k');
        REQUIRE((detail::is_ascii(text) && detail::is_utf8(text)));
        for (std::size_t at = 0; at != size; ++at) {
            std::string other = text;
            other[at] = static_cast<char>(0x80 + random() % 0x80);
            REQUIRE_FALSE((detail::is_ascii(other) || detail::is_utf8(other)));
            if (at + 1 == size) continue;
            other[at] = '\xc3';
            other[at + 1] = '\xbc';
            REQUIRE((!detail::is_ascii(other) && detail::is_utf8(other)));
        }
    }
}
