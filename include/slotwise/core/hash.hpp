// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Default hash and equality. Integer hashes are always mixed, so std::hash<int> (the identity in libstdc++) is safe.
#ifndef SLOTWISE_CORE_HASH_HPP
#define SLOTWISE_CORE_HASH_HPP

#include "../fwd.hpp"
#include "detail/bits.hpp"

#include <cstring>
#include <string_view>
#include <typeindex> // declares std::hash cheaply
#include <utility>

SLOTWISE_BEGIN

namespace detail {

/// Whether a floating-point number is a NaN. By its bits: under -ffast-math comparisons with a NaN are unspecified.
template <class T>
constexpr bool is_nan(const T& number) noexcept {
    if constexpr (std::is_same_v<T, double>)
        return (std::bit_cast<std::uint64_t>(number) & ~std::uint64_t{0} >> 1) > 0x7FF0'0000'0000'0000u;
    else if constexpr (std::is_same_v<T, float>)
        return (std::bit_cast<std::uint32_t>(number) & ~std::uint32_t{0} >> 1) > 0x7F80'0000u;
    else
        return !(number <= T() || number >= T());
}

/// The view of a string type; void for others.
template <class T>
struct ViewOf {
    using type = void;
};
template <class Char, class Traits, class Allocator>
struct ViewOf<std::basic_string<Char, Traits, Allocator>> {
    using type = std::basic_string_view<Char, Traits>;
};
/// Whether A is a string, and B has no `==` with it but converts to its view: strings with another allocator, for instance.
template <class A, class B>
concept TextBeside = !std::is_void_v<typename ViewOf<A>::type> && !requires(const A& a, const B& b) { a == b; } &&
                     std::is_convertible_v<const B&, typename ViewOf<A>::type>;

} // namespace detail

/// Transparent equality by `==`; `std::equal_to<>` without `<functional>`. But NaN equals NaN: as a key it is one key, or each
/// insert would add another one that no lookup finds, and search all before it.
struct EqualTo {
    using is_transparent = void;
    /// Whether a == b, or both are NaN.
    template <class A, class B>
    constexpr bool operator()(const A& a, const B& b) const noexcept(noexcept(static_cast<bool>(a == b))) {
        if constexpr (std::is_floating_point_v<A> && std::is_floating_point_v<B>)
            return a == b || (detail::is_nan(a) && detail::is_nan(b));
        else
            return static_cast<bool>(a == b);
    }
    /// A string and what converts to its view.
    template <class A, class B>
        requires(detail::TextBeside<A, B> || detail::TextBeside<B, A>)
    bool operator()(const A& a, const B& b) const {
        if constexpr (detail::TextBeside<A, B>) {
            using View = typename detail::ViewOf<A>::type;
            return View(a) == static_cast<View>(b);
        } else
            return (*this)(b, a);
    }
};

namespace detail {

/// A product of two 64-bit numbers in 128 bits.
struct WideProduct {
    std::uint64_t low, high;
};
/// Of 32-bit halves, for machines without a wider product.
constexpr WideProduct product_by_halves(std::uint64_t x, std::uint64_t y) noexcept {
    constexpr std::uint64_t half = 0xFFFF'FFFFu;
    const std::uint64_t low = (x & half) * (y & half), cross = (x >> 32) * (y & half);
    const std::uint64_t middle = (x & half) * (y >> 32) + (low >> 32) + (cross & half);
    return {x * y, (x >> 32) * (y >> 32) + (cross >> 32) + (middle >> 32)};
}
SLOTWISE_ALWAYS_INLINE constexpr WideProduct wide_product(std::uint64_t x, std::uint64_t y) noexcept {
#if defined(__SIZEOF_INT128__)
    __extension__ using wide = unsigned __int128;
    const wide product = wide{x} * y;
    return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
#else
    return product_by_halves(x, y);
#endif
}

} // namespace detail

/// Spreads every input bit over the whole word: the halves of a 128-bit product, folded (the "mum" of wyhash by Wang Yi, as
/// ankerl::unordered_dense uses it for integers). One multiplication; the two of a MurmurHash3 finaliser cost a lookup 1 ns
/// more.
constexpr std::uint64_t mix_bits(std::uint64_t x) noexcept {
    const detail::WideProduct product = detail::wide_product(x, 0x9E37'79B9'7F4A'7C15u); // 2^64 / golden ratio
    return product.low ^ product.high;
}

namespace detail {

/// `bytes` bytes, at most eight, from byte `at` on, the first in the lowest place, whatever the byte order.
/// @tparam Known their number, so that an unoptimised build calls no memcpy either; 0 if the compiler cannot know it
template <std::size_t Known = 0, class Unit>
SLOTWISE_ALWAYS_INLINE constexpr std::uint64_t read_units(const Unit* units, std::size_t at,
                                                          std::size_t bytes = Known) noexcept {
    std::uint64_t word = 0;
    if (std::endian::native == std::endian::little && !SLOTWISE_IN_CONSTANT) {
        if (bytes != 0) std::memcpy(&word, reinterpret_cast<const char*>(units) + at, Known != 0 ? Known : bytes);
    } else
        for (std::size_t i = 0; i != bytes; ++i) {
            std::uint64_t unit = 0;
            if constexpr (sizeof(Unit) == 1)
                unit = static_cast<unsigned char>(units[at + i]);
            else
                unit = static_cast<std::uint64_t>(units[(at + i) / sizeof(Unit)]);
            word |= (unit >> 8 * ((at + i) % sizeof(Unit)) & 0xFFu) << 8 * i;
        }
    return word;
}

/// A hash of text by folded products of 128 bits, as wyhash by Wang Yi (public domain) has them. Words at the end overlap those
/// before, so that no byte beyond the text is read. From 9 to 32 bytes there is no branch on the length: lengths of keys vary,
/// and a branch that is mispredicted costs as much as the hash. The result is the same on every machine. It has no secret.
class TextHash {
    using u64 = std::uint64_t;
    // Digits of pi, each word with a byte that UTF-8 never has: a word of the text that equals one makes a product zero.
    static constexpr u64 pi_7 = 0x082E'FA98'EC4E'6C89, pi_13 = 0xC0AC'29B7'C97C'50DD, pi_17 = 0x9216'D5D9'8979'FB1B,
                         pi_21 = 0x2FFD'72DB'D01A'DFB7, pi_33 = 0xA458'FEA3'F493'3D7E;

public:
    template <class Unit>
    SLOTWISE_ALWAYS_INLINE static constexpr u64 of(const Unit* units, std::size_t count) noexcept {
        const std::size_t bytes = count * sizeof(Unit);
        if (bytes > 32) return of_long(units, bytes);
        TextHash hash;
        if (bytes <= 8) {
            hash.x_ = fold(short_word(units, bytes) ^ pi_7, hash.x_);
            return hash.finish(bytes);
        }
        const std::size_t second = bytes < 16 ? bytes - 8 : 8;
        hash.take(read_units<8>(units, 0), read_units<8>(units, second), read_units<8>(units, bytes - 8 - second),
                  read_units<8>(units, bytes - 8));
        return hash.finish(bytes);
    }

private:
    static constexpr u64 fold(u64 a, u64 b) noexcept {
        const WideProduct product = wide_product(a, b);
        return product.low ^ product.high;
    }
    template <class Unit>
    SLOTWISE_ALWAYS_INLINE static constexpr u64 short_word(const Unit* units, std::size_t bytes) noexcept {
        if (bytes >= 4) return read_units<4>(units, 0) << 32 | read_units<4>(units, bytes - 4);
        if (bytes == 0) return 0;
        return read_units<1>(units, 0) << 16 | read_units<1>(units, bytes / 2) << 8 | read_units<1>(units, bytes - 1);
    }
    template <class Unit>
    SLOTWISE_NEVER_INLINE static constexpr u64 of_long(const Unit* units, std::size_t bytes) noexcept {
        TextHash hash;
        for (std::size_t at = 0; at + 32 < bytes; at += 32) hash.take32(units, at);
        hash.take32(units, bytes - 32);
        return hash.finish(bytes);
    }
    template <class Unit>
    SLOTWISE_ALWAYS_INLINE constexpr void take32(const Unit* units, std::size_t at) noexcept {
        take(read_units<8>(units, at), read_units<8>(units, at + 8), read_units<8>(units, at + 16),
             read_units<8>(units, at + 24));
    }
    SLOTWISE_ALWAYS_INLINE constexpr void take(u64 a, u64 b, u64 c, u64 d) noexcept {
        x_ = fold(a ^ pi_7, b ^ x_);
        y_ = fold(c ^ pi_17, d ^ y_);
    }
    SLOTWISE_ALWAYS_INLINE constexpr u64 finish(std::size_t bytes) const noexcept { return fold(x_ ^ pi_33, y_ ^ bytes); }

    u64 x_ = pi_13, y_ = pi_21;
};

/// Whether characters of this type are equal exactly when their bytes are.
template <class Char>
inline constexpr bool is_character =
    std::is_same_v<Char, char> || std::is_same_v<Char, wchar_t> || std::is_same_v<Char, char8_t> ||
    std::is_same_v<Char, char16_t> || std::is_same_v<Char, char32_t>;

} // namespace detail

/// Whether a hash says, by a member type is_avalanching (as Boost and ankerl read it), that every input bit reaches every
/// output bit. What it returns is then used as it is; any other hash is mixed once more.
template <class Hash>
concept Avalanching = requires { typename Hash::is_avalanching; };

/// Integers and enumerations are mixed, texts hashed by their characters. For any other K it is std::hash<K>, mixed; include
/// the header that defines that one. Whoever chooses the keys can choose keys with equal hashes; see SeededHash.
template <class K>
struct DefaultHash {
    using is_avalanching = void;
    /// The hash, with every bit mixed.
    constexpr std::size_t operator()(const K& key) const noexcept
        requires(std::is_integral_v<K> || std::is_enum_v<K>)
    {
        if constexpr (std::is_enum_v<K>)
            return DefaultHash<std::underlying_type_t<K>>{}(static_cast<std::underlying_type_t<K>>(key));
        else if constexpr (sizeof(K) > sizeof(std::uint64_t)) // __int128, an integer to the library where extensions are on
            return bits::to_size(mix_bits(mix_bits(static_cast<std::uint64_t>(key)) ^ static_cast<std::uint64_t>(key >> 64)));
        else
            return bits::to_size(mix_bits(static_cast<std::uint64_t>(key)));
    }
    constexpr std::size_t operator()(const K& key) const noexcept(noexcept(std::hash<K>{}(key)))
        requires(!std::is_integral_v<K> && !std::is_enum_v<K> && requires { static_cast<std::size_t>(std::hash<K>{}(key)); })
    {
        if constexpr (std::is_floating_point_v<K>) // a NaN of any bits is one key, see EqualTo
            if (detail::is_nan(key)) return bits::to_size(mix_bits(0x7FF8'0000'0000'0000u));
        return bits::to_size(mix_bits(std::hash<K>{}(key)));
    }
};

/// Views of characters with std::char_traits: other traits may find different characters equal.
template <class Char>
    requires(detail::is_character<Char>)
struct DefaultHash<std::basic_string_view<Char>> {
    using is_avalanching = void;
    /// The hash, with every bit mixed. @complexity linear in the length
    constexpr std::size_t operator()(std::basic_string_view<Char> key) const noexcept {
        return bits::to_size(detail::TextHash::of(key.data(), key.size()));
    }
};
/// Strings: transparent, so that whatever converts to a string view is looked up without making a string.
template <class Char, class Traits, class Allocator>
struct DefaultHash<std::basic_string<Char, Traits, Allocator>> : DefaultHash<std::basic_string_view<Char, Traits>> {
    using is_transparent = void;
};

SLOTWISE_END

#endif
