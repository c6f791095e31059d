// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetDelta, DictDelta: what a window has changed, as values of their own that outlive it. compose() joins two.
#ifndef SLOTWISE_SERIES_DELTA_HPP
#define SLOTWISE_SERIES_DELTA_HPP

#include "../keyed/map_storage.hpp"
#include "time_array.hpp"

#include <string>
#include <utility>
#include <vector>

SLOTWISE_BEGIN
namespace detail {

/// Base of TSSStorage and TSDStorage: how a value is known to be a series.
struct SeriesTag {};

template <class T>
inline constexpr bool is_series = std::is_base_of_v<SeriesTag, T>;

/// What a delta keeps of a value: the value, or the delta of a nested series.
template <class T, bool = is_series<T>>
struct DeltaValue {
    using type = T;
};
template <class T>
struct DeltaValue<T, true> {
    using type = typename T::delta_type;
};
template <class T, class Time>
inline constexpr bool shares_clock = [] {
    if constexpr (is_series<T>)
        return std::is_same_v<typename T::time_type, Time>;
    else
        return true;
}();

/// Keys that stand somewhere else, by address: nothing is copied to look for one.
template <class Hash>
struct PointeeHash {
    template <class Key>
    std::size_t operator()(const Key* key) const {
        return static_cast<std::size_t>(Hash()(*key));
    }
};
template <class Equal>
struct PointeeEqual {
    template <class Key>
    bool operator()(const Key* a, const Key* b) const {
        return Equal()(*a, *b);
    }
};
template <class Key, class Hash, class Equal>
using KeyPointers = KeySet<const Key*, PointeeHash<Hash>, PointeeEqual<Equal>>;

template <class Hash, class Equal, class Key>
KeyPointers<Key, Hash, Equal> pointers_to(const std::vector<Key>& keys) {
    KeyPointers<Key, Hash, Equal> result;
    result.reserve(keys.size());
    for (const Key& key : keys) result.insert(&key);
    return result;
}
template <class Hash, class Equal, class Key, class V>
MapStorage<const Key*, const V*, PointeeHash<Hash>, PointeeEqual<Equal>> values_of(
    const std::vector<std::pair<Key, V>>& items) {
    MapStorage<const Key*, const V*, PointeeHash<Hash>, PointeeEqual<Equal>> result;
    result.reserve(items.size());
    for (const auto& [key, value] : items) result.insert(&key, &value);
    return result;
}
template <class Hash, class Equal, class Key>
bool same_keys(const std::vector<Key>& a, const std::vector<Key>& b) {
    return a.size() == b.size() && pointers_to<Hash, Equal>(a) == pointers_to<Hash, Equal>(b);
}

/// @throws std::invalid_argument "apply(delta): <list>[<index>] <what>"
[[noreturn]] inline void throw_bad_delta(const char* list, std::size_t index, const char* what) {
    throw_invalid_argument((std::string("apply(delta): ") + list + "[" + std::to_string(index) + "] " + what).c_str());
}

/// The keys of a list, by address, each once. @throws std::invalid_argument if one is there twice
template <class Key, class Hash, class Equal, class List, class PointerTo>
KeyPointers<Key, Hash, Equal> checked_list(const List& list, const char* name, PointerTo&& pointer_to) {
    KeyPointers<Key, Hash, Equal> seen;
    seen.reserve(list.size());
    for (std::size_t i = 0; i != list.size(); ++i)
        if (!seen.insert(pointer_to(list[i])).inserted) throw_bad_delta(name, i, "is there twice; a key is in a list once");
    return seen;
}

template <class Key, class Hash, class Equal>
struct DeltaKeys {
    KeyPointers<Key, Hash, Equal> added, removed, reset;
};

/// The keys that a delta names, checked for what no delta may say, whoever applies it: a key twice in one list, or both added and
/// removed. @throws std::invalid_argument that names the place, as throw_bad_delta
template <class Hash, class Equal, class Delta>
auto checked_keys(const Delta& delta) {
    using Key = typename decltype(delta.added)::value_type;
    const auto itself = [](const Key& key) { return &key; };
    DeltaKeys<Key, Hash, Equal> keys;
    keys.added = checked_list<Key, Hash, Equal>(delta.added, "added", itself);
    keys.removed = checked_list<Key, Hash, Equal>(delta.removed, "removed", itself);
    for (std::size_t i = 0; i != delta.removed.size(); ++i)
        if (keys.added.contains(&delta.removed[i]))
            throw_bad_delta("removed", i,
                            "is in `added` too; a key is either added or removed, and a new value is in `modified`");
    if constexpr (requires { delta.modified; }) {
        keys.reset = checked_list<Key, Hash, Equal>(delta.reset, "reset", itself);
        if (delta.modified.size() > 1)
            checked_list<Key, Hash, Equal>(delta.modified, "modified", [](const auto& item) { return &item.first; });
    }
    return keys;
}

/// The same times, flags and keys in every list, whatever their order, and equal values.
template <class Hash, class Equal, class Delta>
bool equal_deltas(const Delta& a, const Delta& b) {
    if (a.time != b.time || a.ticked != b.ticked || !same_keys<Hash, Equal>(a.added, b.added) ||
        !same_keys<Hash, Equal>(a.removed, b.removed))
        return false;
    if constexpr (requires { a.modified; }) {
        if (a.keys_ticked != b.keys_ticked || !same_keys<Hash, Equal>(a.reset, b.reset) ||
            a.modified.size() != b.modified.size())
            return false;
        const auto in_a = values_of<Hash, Equal>(a.modified), in_b = values_of<Hash, Equal>(b.modified);
        if (in_a.size() != in_b.size()) return false;
        for (const auto [key, value] : in_a) {
            const auto* const other = in_b.get(key);
            if (other == nullptr || !(*value == **other)) return false;
        }
    }
    return true;
}

} // namespace detail

/// What happened to a set in one window, or several: owned, to be kept, sent and applied elsewhere.
/// Two are equal when they say the same; the order of keys does not count.
template <class Key, class Time>
struct SetDelta {
    Time time = TimeTraits<Time>::never(); ///< the (last) window
    bool ticked = false;                   ///< the set was written, perhaps to no effect
    std::vector<Key> added;                ///< members now, and not before
    std::vector<Key> removed;              ///< members before, and not now

    /// Whether applying it would change no member.
    bool empty() const noexcept { return added.empty() && removed.empty(); }
    friend bool operator==(const SetDelta& a, const SetDelta& b) {
        return detail::equal_deltas<DefaultHash<Key>, EqualTo>(a, b);
    }
};

/// What happened to a dictionary in one window, or several.
/// Two are equal when they say the same; the order of keys does not count.
/// @tparam T of the dictionary; where it is a series, `modified` holds its deltas
template <class Key, class T, class Time>
struct DictDelta {
    using value_type = typename detail::DeltaValue<T>::type;

    Time time = TimeTraits<Time>::never(); ///< the (last) window
    bool ticked = false;                   ///< the dictionary was written, perhaps to no effect
    bool keys_ticked = false;              ///< keys came or went, perhaps to no effect
    std::vector<Key> added;                ///< members now, and not before; those without a value too
    std::vector<Key> removed;              ///< members before, and not now
    std::vector<Key> reset;                ///< members before and now, whose element was replaced by an empty one first
    std::vector<std::pair<Key, value_type>> modified; ///< written: the last value. New keys are here and in `added`

    /// Whether applying it would change no member and no value.
    bool empty() const noexcept { return added.empty() && removed.empty() && reset.empty() && modified.empty(); }
    friend bool operator==(const DictDelta& a, const DictDelta& b) {
        return detail::equal_deltas<DefaultHash<Key>, EqualTo>(a, b);
    }
};

namespace detail {

/// Appends the keys of `from` that none of `sets` has.
template <class Key, class... Sets>
void append_without(std::vector<Key>& to, const std::vector<Key>& from, const Sets&... sets) {
    for (const Key& key : from)
        if ((!sets.contains(&key) && ... && true)) to.push_back(key);
}
/// A nested delta becomes a part of one that reaches to `time`.
template <class V, class Time>
void set_time(V& value, const Time& time) {
    if constexpr (requires {
                      value.ticked;
                      value.removed;
                  }) {
        value.time = time;
        if constexpr (requires { value.modified; })
            for (auto& item : value.modified) set_time(item.second, time);
    }
}

} // namespace detail

/// The delta of both windows, `first` and then `second`: what capture() would have given if they had been one window. What the first
/// did and the second undid is not in it. @tparam Hash, Equal those of the series @throws std::bad_alloc, what copies, Hash and Equal throw
/// @complexity linear in the keys of both, expected
template <class Key, class Time, class Hash = DefaultHash<Key>, class Equal = EqualTo>
SetDelta<Key, Time> compose(const SetDelta<Key, Time>& first, const SetDelta<Key, Time>& second, const Hash& = Hash(),
                            const Equal& = Equal()) {
    const auto added1 = detail::pointers_to<Hash, Equal>(first.added),
               removed1 = detail::pointers_to<Hash, Equal>(first.removed);
    const auto added2 = detail::pointers_to<Hash, Equal>(second.added),
               removed2 = detail::pointers_to<Hash, Equal>(second.removed);
    SetDelta<Key, Time> both{second.time, first.ticked || second.ticked, {}, {}};
    detail::append_without(both.added, first.added, removed2);
    detail::append_without(both.added, second.added, removed1, added1);
    detail::append_without(both.removed, first.removed, added2);
    detail::append_without(both.removed, second.removed, added1, removed1);
    return both;
}
template <class Key, class T, class Time, class Hash = DefaultHash<Key>, class Equal = EqualTo>
DictDelta<Key, T, Time> compose(const DictDelta<Key, T, Time>& first, const DictDelta<Key, T, Time>& second,
                                const Hash& hash = Hash(), const Equal& equal = Equal()) {
    constexpr bool nested = detail::is_series<T>;
    const auto membership = [](const auto& delta) {
        return SetDelta<Key, Time>{delta.time, delta.ticked, delta.added, delta.removed};
    };
    auto keys = compose(membership(first), membership(second), hash, equal);
    DictDelta<Key, T, Time> both{
        keys.time, keys.ticked, first.keys_ticked || second.keys_ticked, std::move(keys.added), std::move(keys.removed),
        {},        {}};
    const auto added1 = detail::pointers_to<Hash, Equal>(first.added), added2 = detail::pointers_to<Hash, Equal>(second.added);
    const auto removed1 = detail::pointers_to<Hash, Equal>(first.removed),
               removed2 = detail::pointers_to<Hash, Equal>(second.removed);
    const auto reset1 = detail::pointers_to<Hash, Equal>(first.reset), reset2 = detail::pointers_to<Hash, Equal>(second.reset);
    const auto values1 = detail::values_of<Hash, Equal>(first.modified),
               values2 = detail::values_of<Hash, Equal>(second.modified);
    for (const auto& [key, value] : first.modified) {
        if (removed2.contains(&key) || reset2.contains(&key) || added2.contains(&key) || values2.contains(&key)) continue;
        both.modified.emplace_back(key, value);
        detail::set_time(both.modified.back().second, both.time);
    }
    for (const auto& [key, value] : second.modified) {
        if constexpr (nested) {
            const auto* const before = values1.get(&key);
            if (before != nullptr && !reset2.contains(&key) && !added2.contains(&key)) {
                both.modified.emplace_back(key, compose(**before, value, typename T::hasher(), typename T::key_equal()));
                continue;
            }
        }
        both.modified.emplace_back(key, value);
    }
    // A new value says everything of a plain element; a nested one goes on from what was there.
    const auto reset = [&](const Key& key) {
        if (nested || !(values2.contains(&key) || (values1.contains(&key) && !reset2.contains(&key) && !added2.contains(&key))))
            both.reset.push_back(key);
    };
    for (const Key& key : first.reset)
        if (!removed2.contains(&key) && !reset2.contains(&key)) reset(key);
    for (const Key& key : second.reset)
        if (!added1.contains(&key)) reset(key);
    for (const Key& key : first.removed)
        if (added2.contains(&key)) reset(key);
    return both;
}

SLOTWISE_END

#endif
