// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Keys of every kind under one pair of verbs, the hashes they need, and sets of them:
//     SetOf<Key> set; set.insert(make_key<Key>(7)); numbers(set) == std::vector{7}
#ifndef SLOTWISE_TESTS_KEYED_KEYS_HPP
#define SLOTWISE_TESTS_KEYED_KEYS_HPP

#include "support/tracked.hpp"

#include <slotwise/keyed/set_storage.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace test {

using namespace slotwise;

/// Strings are too long for the small string buffer, so that a leak or a use after free is seen.
template <class Key>
Key make_key(int number) {
    if constexpr (std::is_same_v<Key, std::string>)
        return "a key that lives on the heap, number " + std::to_string(number);
    else
        return Key(number);
}
template <class Key>
int number_of_key(const Key& key) {
    if constexpr (std::is_same_v<Key, std::string>)
        return std::stoi(key.substr(key.rfind(' ')));
    else if constexpr (requires { key.value(); })
        return key.value();
    else
        return static_cast<int>(key);
}

/// Of the element types of support/tracked.hpp. Transparent: an int is asked without making a key.
struct ValueHash {
    using is_transparent = void;
    std::size_t operator()(int number) const noexcept { return static_cast<std::size_t>(number); }
    template <class T>
        requires requires(const T& key) { key.value(); }
    std::size_t operator()(const T& key) const noexcept {
        return static_cast<std::size_t>(key.value());
    }
};
struct ValueEqual {
    using is_transparent = void;
    template <class T>
    bool operator()(const T& a, const T& b) const noexcept {
        return a.value() == b.value();
    }
    template <class T>
    bool operator()(const T& a, int b) const noexcept {
        return a.value() == b;
    }
};

template <class Key>
using HashOf = std::conditional_t<requires(const Key& key) { key.value(); }, ValueHash, DefaultHash<Key>>;
template <class Key>
using EqualOf = std::conditional_t<requires(const Key& key) { key.value(); }, ValueEqual, EqualTo>;

template <class Key, KeySetOptions O = KeySetOptions{}, class... Columns>
using SetOf = SetStorage<Key, HashBy<HashOf<Key>>, EqualBy<EqualOf<Key>>, Options<O>, Columns...>;

inline constexpr KeySetOptions small_pages{.page_slots = 64};

/// The numbers of the keys in slot order.
template <class Set>
std::vector<int> numbers(const Set& set) {
    std::vector<int> result;
    for (const auto& key : set) result.push_back(number_of_key(key));
    return result;
}
template <class Set>
std::vector<int> sorted_numbers(const Set& set) {
    auto result = numbers(set);
    std::sort(result.begin(), result.end());
    return result;
}
inline std::vector<int> up_to(int count, int first = 0) {
    std::vector<int> result;
    for (int i = 0; i != count; ++i) result.push_back(first + i);
    return result;
}

} // namespace test

#endif
