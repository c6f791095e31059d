// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// PublicId: a 128-bit, UUID-like name that survives save and load and never collides across machines.
#ifndef SLOTWISE_CORE_PUBLIC_ID_HPP
#define SLOTWISE_CORE_PUBLIC_ID_HPP

#include "hash.hpp"

#include <compare>
#include <optional>
#include <string_view>

SLOTWISE_BEGIN

/// 128 bits, ordered as its text is. The nil id is all zero. Layout and text form of RFC 9562 (UUID).
struct PublicId {
    /// The first half of the text.
    std::uint64_t high = 0;
    /// The second half.
    std::uint64_t low = 0;

    friend constexpr bool operator==(const PublicId&, const PublicId&) = default;
    friend constexpr auto operator<=>(const PublicId&, const PublicId&) = default;
    /// Whether all bits are zero.
    constexpr bool is_nil() const noexcept { return (high | low) == 0; }

    /// A random id (UUID version 4). @param generator a uniform random bit generator of at least 32 bits, seeded by the caller
    template <class Generator>
    static constexpr PublicId random(Generator& generator) {
        const auto next = [&] {
            const auto upper = static_cast<std::uint64_t>(generator()) & 0xFFFF'FFFFu;
            return upper << 32 | (static_cast<std::uint64_t>(generator()) & 0xFFFF'FFFFu);
        };
        PublicId id{next(), next()};
        id.high = (id.high & ~std::uint64_t{0xF000}) | 0x4000;
        id.low = (id.low & (~std::uint64_t{0} >> 2)) | std::uint64_t{1} << 63;
        return id;
    }

    /// Reads "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", either case; empty when the text is anything else.
    static constexpr std::optional<PublicId> parse(std::string_view text) noexcept {
        if (text.size() != 36) return std::nullopt;
        PublicId id;
        for (unsigned i = 0, digits = 0; i != 36; ++i) {
            const char c = text[i];
            if (i == 8 || i == 13 || i == 18 || i == 23) {
                if (c != '-') return std::nullopt;
                continue;
            }
            const unsigned value = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                                   : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                                   : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A') + 10
                                                          : 16;
            if (value == 16) return std::nullopt;
            auto& half = digits++ < 16 ? id.high : id.low;
            half = half << 4 | value;
        }
        return id;
    }

    /// The text form without allocation.
    struct Text {
        /// Not terminated by a zero.
        char chars[36];
        /// The 36 characters; the view is of this object.
        constexpr operator std::string_view() const noexcept { return {chars, 36}; }
    };
    /// Writes "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" in lower case.
    constexpr Text to_text() const noexcept {
        Text text{};
        for (unsigned i = 0, digits = 0; i != 36; ++i) {
            if (i == 8 || i == 13 || i == 18 || i == 23) {
                text.chars[i] = '-';
                continue;
            }
            const std::uint64_t half = digits < 16 ? high : low;
            text.chars[i] = "0123456789abcdef"[half >> (60 - 4 * (digits++ % 16)) & 15u];
        }
        return text;
    }

    /// Writes to_text().
    template <class Char, class Traits>
    friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, const PublicId& id) {
        const Text text = id.to_text();
        for (const char c : text.chars) out << c;
        return out;
    }
};

SLOTWISE_END

template <>
struct std::hash<slotwise::PublicId> {
    constexpr std::size_t operator()(const slotwise::PublicId& id) const noexcept {
        return slotwise::bits::to_size(slotwise::mix_bits(id.high ^ slotwise::mix_bits(id.low)));
    }
};

#endif
