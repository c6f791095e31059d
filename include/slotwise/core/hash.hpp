// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Default hash and equality. Integer hashes are always mixed, so std::hash<int> (the identity in libstdc++) is safe.
#ifndef SLOTWISE_CORE_HASH_HPP
#define SLOTWISE_CORE_HASH_HPP

#include "../fwd.hpp"
#include "detail/bits.hpp"

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
};

namespace detail {

/// A product of two 64-bit numbers in 128 bits.
struct WideProduct {
    std::uint64_t low, high;
};
SLOTWISE_ALWAYS_INLINE constexpr WideProduct wide_product(std::uint64_t x, std::uint64_t y) noexcept {
#if defined(__SIZEOF_INT128__)
    __extension__ using wide = unsigned __int128;
    const wide product = wide{x} * y;
    return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
#else
    constexpr std::uint64_t half = 0xFFFF'FFFFu;
    const std::uint64_t low = (x & half) * (y & half), cross = (x >> 32) * (y & half);
    const std::uint64_t middle = (x & half) * (y >> 32) + (low >> 32) + (cross & half);
    return {x * y, (x >> 32) * (y >> 32) + (cross >> 32) + (middle >> 32)};
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

/// Whether a hash says, by a member type is_avalanching (as Boost and ankerl read it), that every input bit reaches every
/// output bit. What it returns is then used as it is; any other hash is mixed once more.
template <class Hash>
concept Avalanching = requires { typename Hash::is_avalanching; };

/// Integers and enumerations are mixed; for any other K it is std::hash<K>, mixed. Include the header that defines that one
/// (for std::string: `<string>`).
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

/// Strings: transparent, so that whatever converts to a string view is looked up without making a string.
template <class Char, class Traits, class Allocator>
struct DefaultHash<std::basic_string<Char, Traits, Allocator>> : DefaultHash<std::basic_string_view<Char, Traits>> {
    using is_transparent = void;
};

SLOTWISE_END

#endif
