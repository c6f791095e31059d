// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What keyed containers take where a key is asked for: keys, what is transparently compared with them, what converts to one.
#ifndef SLOTWISE_KEYED_KEY_CONVERSION_HPP
#define SLOTWISE_KEYED_KEY_CONVERSION_HPP

#include "../config/abi.hpp"

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

SLOTWISE_BEGIN
namespace detail {

/// What may be asked instead of a Key: anything, if hash and equality are transparent and take it; else what converts to Key.
template <class K, class Key, class Hash, class Equal>
inline constexpr bool is_lookup_key =
    std::is_same_v<K, Key> || requires(const K& k, const Key& key, const Hash& h, const Equal& e) {
        typename Hash::is_transparent;
        typename Equal::is_transparent;
        static_cast<std::size_t>(h(k));
        static_cast<bool>(e(key, k));
    };

/// Whether numbers of type K become numbers of type Key where they can, and are found to be none where they cannot.
template <class K, class Key>
inline constexpr bool number_of_other_type =
    !std::is_same_v<K, Key> && std::conjunction_v<std::is_integral<K>, std::is_integral<Key>>;

/// Whether a Key is made of a K by itself: by an implicit conversion that keeps the value. Integers of another type are
/// allowed, and their values checked: every literal is an int.
template <class K, class Key, class Plain = std::remove_cvref_t<K>>
consteval bool becomes_key() noexcept {
    if constexpr (!std::is_convertible_v<K, Key>)
        return false;
    else if constexpr (std::is_integral_v<Plain> && std::is_floating_point_v<Key>)
        return std::numeric_limits<Plain>::digits <= std::numeric_limits<Key>::digits;
    else if constexpr (std::is_scalar_v<Key> || std::is_floating_point_v<Plain>)
        return number_of_other_type<Plain, Key> || requires(K&& key) { Key{std::forward<K>(key)}; }; // braces refuse to narrow
    else
        return true;
}
/// Whether there is a Key that equals this number; true for what is no number of another type.
template <class Key, class K>
constexpr bool has_key(const K& key) noexcept {
    if constexpr (number_of_other_type<K, Key>)
        return static_cast<K>(static_cast<Key>(key)) == key && (static_cast<Key>(key) < Key()) == (key < K());
    else
        return true;
}

} // namespace detail
SLOTWISE_END

#endif
