// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Default hash and equality. Integer hashes are always mixed, so std::hash<int> (the identity in libstdc++) is safe.
#ifndef SLOTWISE_CORE_HASH_HPP
#define SLOTWISE_CORE_HASH_HPP

#include "../fwd.hpp"

#include <typeindex> // declares std::hash cheaply
#include <utility>

SLOTWISE_BEGIN

/// Transparent equality by `==`; std::equal_to<> without <functional>.
struct EqualTo {
    using is_transparent = void;
    template <class A, class B>
    constexpr bool operator()(const A& a, const B& b) const noexcept(noexcept(static_cast<bool>(a == b))) {
        return static_cast<bool>(a == b);
    }
};

/// Spreads every input bit over the whole word (finaliser of MurmurHash3, A. Appleby).
constexpr std::uint64_t mix_bits(std::uint64_t x) noexcept {
    x = (x ^ (x >> 33)) * 0xFF51'AFD7'ED55'8CCDu;
    x = (x ^ (x >> 33)) * 0xC4CE'B9FE'1A85'EC53u;
    return x ^ (x >> 33);
}

/// std::hash<K>, mixed. Include the header that defines std::hash<K> (for std::string: <string>).
template <class K>
struct DefaultHash {
    constexpr std::size_t operator()(const K& key) const noexcept(noexcept(std::hash<K>{}(key))) {
        return static_cast<std::size_t>(mix_bits(std::hash<K>{}(key)));
    }
};

SLOTWISE_END

#endif
