// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The key arguments of keyed containers: keys, types that transparent functors compare with them, types that convert to one.
#ifndef SLOTWISE_KEYED_KEY_CONVERSION_HPP
#define SLOTWISE_KEYED_KEY_CONVERSION_HPP

#include "../config/abi.hpp"

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

SLOTWISE_BEGIN
namespace detail {

template <class Container, class Reference>
class KeyedIterator;
template <class K>
inline constexpr bool is_keyed_iterator = false;
template <class Container, class Reference>
inline constexpr bool is_keyed_iterator<KeyedIterator<Container, Reference>> = true;

/// Whether an argument of type K is a key, or is compared with keys. Beside a function that takes one stand templates that take
/// exactly a handle or an iterator. No list in braces is deduced as their argument: what stands in braces is a key.
template <class K, class Key, class Handle>
concept KeyArgument = !std::same_as<K, Handle> && (!is_keyed_iterator<K> || std::same_as<K, Key>);

/// Whether a K is looked up directly: it is a Key, or hash and equality are transparent and take it. Other types must convert
/// to Key.
template <class K, class Key, class Hash, class Equal>
inline constexpr bool is_lookup_key =
    std::is_same_v<K, Key> || requires(const K& k, const Key& key, const Hash& h, const Equal& e) {
        typename Hash::is_transparent;
        typename Equal::is_transparent;
        static_cast<std::size_t>(h(k));
        static_cast<bool>(e(key, k));
    };

/// Whether numbers of type K are converted to Key where the value fits, and are absent otherwise.
template <class K, class Key>
inline constexpr bool number_of_other_type =
    !std::is_same_v<K, Key> && std::conjunction_v<std::is_integral<K>, std::is_integral<Key>>;

/// Whether a K converts to Key implicitly and keeps its value. Integers of another type are allowed and their values checked,
/// because every literal is an int.
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
/// Whether a Key equals this number. True for types that are no number of another type.
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
