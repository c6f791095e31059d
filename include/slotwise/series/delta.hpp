// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetDelta, DictDelta: the changes of a window as owned values that outlive it. compose() joins two.
#ifndef SLOTWISE_SERIES_DELTA_HPP
#define SLOTWISE_SERIES_DELTA_HPP

#include "../keyed/map_storage.hpp"
#include "time_array.hpp"

#include <string>
#include <utility>
#include <vector>

SLOTWISE_BEGIN
namespace detail {

/// Base of TSSStorage and TSDStorage, which marks a type as a series.
struct SeriesTag {};

template <class T>
inline constexpr bool is_series = std::is_base_of_v<SeriesTag, T>;

/// The type of time of a series with these arguments.
template <class Key, class... With>
using time_of = pick<with_time, std::int64_t, With...>;

/// What a delta stores for a value: the value, or the delta of a nested series.
template <class T, bool = is_series<T>>
struct DeltaValue {
    using type = T;
};
template <class T>
struct DeltaValue<T, true> {
    using type = typename T::delta_type;
};
/// Whether a value may be in a series with this type of time: a nested series shares its clock.
template <class T, class Time>
inline constexpr bool shares_clock = [] {
    if constexpr (is_series<T>)
        return std::is_same_v<typename T::time_type, Time>;
    else
        return true;
}();

} // namespace detail

/// The changes of a set in one window, or several: owned, to be kept, sent and applied elsewhere. Two are equal when they have
/// the same changes in any order.
template <class Key, class Time>
struct SetDelta {
    Time time = TimeTraits<Time>::never(); ///< the (last) window
    bool ticked = false;                   ///< the set was written, perhaps without effect
    std::vector<Key> added;                ///< members now, and not before
    std::vector<Key> removed;              ///< members before, and not now
    bool invalidated = false;              ///< the set was invalidated first: all else is relative to an empty set

    /// Whether applying it would change no member.
    bool empty() const noexcept { return added.empty() && removed.empty() && !invalidated; }
    /// Keys are compared by ==. equal_deltas() compares them by the equality of a series.
    friend bool operator==(const SetDelta& a, const SetDelta& b) { return equal_deltas(a, b, DefaultHash<Key>(), EqualTo()); }
};

/// The changes of a dictionary in one window, or several. Two are equal when they have the same changes in any order.
/// @tparam T of the dictionary; where it is a series, `modified` holds its deltas
template <class Key, class T, class Time>
struct DictDelta {
    using value_type = typename detail::DeltaValue<T>::type;

    Time time = TimeTraits<Time>::never(); ///< the (last) window
    bool ticked = false;                   ///< the dictionary was written, perhaps without effect
    bool keys_ticked = false;              ///< keys were added or removed, perhaps without effect
    std::vector<Key> added;                ///< members now, and not before, including those without a value
    std::vector<Key> removed;              ///< members before, and not now
    std::vector<Key> reset;                ///< members before and now, whose element was replaced by an empty one first
    std::vector<std::pair<Key, value_type>> modified; ///< written: the last value. New keys are here and in `added`
    bool invalidated = false; ///< the dictionary was invalidated first: all else is relative to an empty dictionary

    /// Whether applying it would change no member and no value.
    bool empty() const noexcept {
        return added.empty() && removed.empty() && reset.empty() && modified.empty() && !invalidated;
    }
    /// Keys are compared by ==. equal_deltas() compares them by the equality of a series.
    friend bool operator==(const DictDelta& a, const DictDelta& b) { return equal_deltas(a, b, DefaultHash<Key>(), EqualTo()); }
};

namespace detail {

/// Hash and equality of sets of keys by address, in which no key is copied. They refer to those of the series, which may have
/// state, or throw when they are copied.
template <class Hash>
struct PointeeHash {
    const Hash* hash = nullptr;
    template <class Key>
    std::size_t operator()(const Key* key) const {
        return static_cast<std::size_t>((*hash)(*key));
    }
};
template <class Equal>
struct PointeeEqual {
    const Equal* equal = nullptr;
    template <class Key>
    bool operator()(const Key* a, const Key* b) const {
        return (*equal)(*a, *b);
    }
};
template <class Key, class Hash, class Equal>
using KeyPointers = SetStorage<const Key*, HashBy<PointeeHash<Hash>>, EqualBy<PointeeEqual<Equal>>>;
template <class Key, class V, class Hash, class Equal>
using ValuePointers = MapStorage<const Key*, const V*, HashBy<PointeeHash<Hash>>, EqualBy<PointeeEqual<Equal>>>;

template <class Pointers, class List, class Hash, class Equal>
Pointers room_for(const List& list, const Hash& hash, const Equal& equal) {
    Pointers result(PointeeHash<Hash>{std::addressof(hash)}, PointeeEqual<Equal>{std::addressof(equal)});
    result.reserve(list.size());
    return result;
}
template <class Key, class Hash, class Equal>
KeyPointers<Key, Hash, Equal> pointers_to(const std::vector<Key>& keys, const Hash& hash, const Equal& equal) {
    auto result = room_for<KeyPointers<Key, Hash, Equal>>(keys, hash, equal);
    for (const Key& key : keys) result.insert(std::addressof(key));
    return result;
}
template <class Key, class V, class Hash, class Equal>
ValuePointers<Key, V, Hash, Equal> values_of(const std::vector<std::pair<Key, V>>& items, const Hash& hash,
                                             const Equal& equal) {
    auto result = room_for<ValuePointers<Key, V, Hash, Equal>>(items, hash, equal);
    for (const auto& [key, value] : items) result.insert(std::addressof(key), std::addressof(value));
    return result;
}
template <class Key, class Hash, class Equal>
bool same_keys(const std::vector<Key>& a, const std::vector<Key>& b, const Hash& hash, const Equal& equal) {
    return a.size() == b.size() && pointers_to(a, hash, equal) == pointers_to(b, hash, equal);
}

/// Appends the keys of `from` that none of `sets` has.
template <class Key, class... Sets>
void append_without(std::vector<Key>& to, const std::vector<Key>& from, const Sets&... sets) {
    for (const Key& key : from)
        if ((!sets.contains(std::addressof(key)) && ... && true)) to.push_back(key);
}
/// Makes a nested delta part of a delta up to `time`.
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

/// Whether two deltas have the same changes, in any order, where keys are compared by `hash` and `equal` of their series.
/// Values are compared by ==. Nested deltas are compared in the same way with hash and equality of the nested series.
/// @throws std::bad_alloc, what Hash, Equal and == throw @complexity linear in the keys of both, expected
template <class Key, class Time, class Hash, class Equal>
bool equal_deltas(const SetDelta<Key, Time>& a, const SetDelta<Key, Time>& b, const Hash& hash, const Equal& equal) {
    return a.time == b.time && a.ticked == b.ticked && a.invalidated == b.invalidated &&
           detail::same_keys(a.added, b.added, hash, equal) && detail::same_keys(a.removed, b.removed, hash, equal);
}
template <class Key, class T, class Time, class Hash, class Equal>
bool equal_deltas(const DictDelta<Key, T, Time>& a, const DictDelta<Key, T, Time>& b, const Hash& hash, const Equal& equal) {
    if (a.time != b.time || a.ticked != b.ticked || a.invalidated != b.invalidated || a.keys_ticked != b.keys_ticked ||
        !detail::same_keys(a.added, b.added, hash, equal) || !detail::same_keys(a.removed, b.removed, hash, equal) ||
        !detail::same_keys(a.reset, b.reset, hash, equal) || a.modified.size() != b.modified.size())
        return false;
    const auto in_a = detail::values_of(a.modified, hash, equal), in_b = detail::values_of(b.modified, hash, equal);
    if (in_a.size() != in_b.size()) return false;
    for (const auto [key, value] : in_a) {
        const auto* const other = in_b.get(key);
        if (other == nullptr) return false;
        if constexpr (detail::is_series<T>) {
            if (!equal_deltas(*value, **other, typename T::hasher(), typename T::key_equal())) return false;
        } else if (!(*value == **other))
            return false;
    }
    return true;
}

/// The delta of both windows, `first` and then `second`, as if capture() had seen one window. A change that the second undid is
/// not in it. @param hash and equal: hash_function() and key_eq() of the series; nested series use default-constructed ones
/// @throws std::bad_alloc, what copies, Hash and Equal throw
/// @complexity linear in the keys of both, expected
template <class Key, class Time, class Hash = DefaultHash<Key>, class Equal = EqualTo>
SetDelta<Key, Time> compose(const SetDelta<Key, Time>& first, const SetDelta<Key, Time>& second, const Hash& hash = Hash(),
                            const Equal& equal = Equal()) {
    if (second.invalidated) return second;
    const auto pointers = [&](const std::vector<Key>& keys) { return detail::pointers_to(keys, hash, equal); };
    const auto added1 = pointers(first.added), removed1 = pointers(first.removed);
    const auto added2 = pointers(second.added), removed2 = pointers(second.removed);
    SetDelta<Key, Time> both{second.time, first.ticked || second.ticked, {}, {}, first.invalidated};
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
    if (second.invalidated) return second;
    const auto membership = [](const auto& delta) {
        return SetDelta<Key, Time>{delta.time, delta.ticked, delta.added, delta.removed};
    };
    auto keys = compose(membership(first), membership(second), hash, equal);
    DictDelta<Key, T, Time> both{keys.time,
                                 keys.ticked,
                                 first.keys_ticked || second.keys_ticked,
                                 std::move(keys.added),
                                 std::move(keys.removed),
                                 {},
                                 {},
                                 first.invalidated};
    const auto pointers = [&](const std::vector<Key>& list) { return detail::pointers_to(list, hash, equal); };
    const auto added1 = pointers(first.added), added2 = pointers(second.added);
    const auto removed2 = pointers(second.removed), reset2 = pointers(second.reset);
    const auto values1 = detail::values_of(first.modified, hash, equal),
               values2 = detail::values_of(second.modified, hash, equal);
    for (const auto& [key, value] : first.modified) {
        const Key* const at = std::addressof(key);
        if (removed2.contains(at) || reset2.contains(at) || added2.contains(at) || values2.contains(at)) continue;
        both.modified.emplace_back(key, value);
        detail::set_time(both.modified.back().second, both.time);
    }
    for (const auto& [key, value] : second.modified) {
        if constexpr (nested) {
            const Key* const at = std::addressof(key);
            const auto* const before = values1.get(at);
            if (before != nullptr && !reset2.contains(at) && !added2.contains(at)) {
                both.modified.emplace_back(key, compose(**before, value, typename T::hasher(), typename T::key_equal()));
                continue;
            }
        }
        both.modified.emplace_back(key, value);
    }
    // A new value replaces a plain element completely. A nested delta continues from the previous state.
    const auto reset = [&](const Key& key) {
        const Key* const at = std::addressof(key);
        if (nested || !(values2.contains(at) || (values1.contains(at) && !reset2.contains(at) && !added2.contains(at))))
            both.reset.push_back(key);
    };
    for (const Key& key : first.reset)
        if (!removed2.contains(std::addressof(key)) && !reset2.contains(std::addressof(key))) reset(key);
    for (const Key& key : second.reset)
        if (!added1.contains(std::addressof(key))) reset(key);
    for (const Key& key : first.removed)
        if (added2.contains(std::addressof(key))) reset(key);
    return both;
}

namespace detail {

//=== checks of a delta, before anything of it is applied ===//

/// @throws std::invalid_argument "apply(delta): <list>[<index>] <what>"
[[noreturn]] inline void throw_bad_delta(const char* list, std::size_t index, const char* what) {
    throw_invalid_argument((std::string("apply(delta): ") + list + "[" + std::to_string(index) + "] " + what).c_str());
}

/// The keys of a list, by address. @throws std::invalid_argument if one occurs twice
template <class Key, class Hash, class Equal, class List, class PointerTo>
KeyPointers<Key, Hash, Equal> checked_list(const List& list, const char* name, const Hash& hash, const Equal& equal,
                                           PointerTo&& pointer_to) {
    auto seen = room_for<KeyPointers<Key, Hash, Equal>>(list, hash, equal);
    for (std::size_t i = 0; i != list.size(); ++i)
        if (!seen.insert(pointer_to(list[i])).inserted) throw_bad_delta(name, i, "occurs twice; a list has a key once");
    return seen;
}

template <class Key, class Hash, class Equal>
struct DeltaKeys {
    KeyPointers<Key, Hash, Equal> added, removed, reset;
};

/// The keys of a delta, checked: no key occurs twice in one list, or is both added and removed. @param hash and equal: those of
/// the series, which outlive the result
/// @throws std::invalid_argument that names the place, as throw_bad_delta
template <class Delta, class Hash, class Equal>
auto checked_keys(const Delta& delta, const Hash& hash, const Equal& equal) {
    using Key = typename decltype(delta.added)::value_type;
    const auto checked = [&](const std::vector<Key>& list, const char* name) {
        return checked_list<Key>(list, name, hash, equal, [](const Key& key) { return std::addressof(key); });
    };
    DeltaKeys<Key, Hash, Equal> keys{checked(delta.added, "added"), checked(delta.removed, "removed"), {}};
    for (std::size_t i = 0; i != delta.removed.size(); ++i)
        if (keys.added.contains(std::addressof(delta.removed[i])))
            throw_bad_delta("removed", i,
                            "is in `added` too; a key is either added or removed, and a new value is in `modified`");
    if constexpr (requires { delta.modified; }) {
        keys.reset = checked(delta.reset, "reset");
        if (delta.modified.size() > 1)
            checked_list<Key>(delta.modified, "modified", hash, equal,
                              [](const auto& item) { return std::addressof(item.first); });
    }
    return keys;
}

/// Whether the key must fit. @param mode one for all keys, or a function of the key
template <class Mode, class Key>
bool is_strict(const Mode& mode, const Key& key) {
    if constexpr (std::is_same_v<Mode, Strictness>)
        return mode == Strictness::strict;
    else
        return mode(key) == Strictness::strict;
}

/// @tparam IsMember bool(key) @throws std::invalid_argument that names the place of a key that does not fit, as apply() in mode
/// strict
template <class Delta, class Mode, class IsMember>
void check_membership(const Delta& delta, const Mode& mode, IsMember&& is_member) {
    for (std::size_t i = 0; i != delta.added.size(); ++i)
        if (is_strict(mode, delta.added[i]) && is_member(delta.added[i]))
            throw_bad_delta("added", i, "is a member already; apply it lenient to leave it");
    for (std::size_t i = 0; i != delta.removed.size(); ++i)
        if (is_strict(mode, delta.removed[i]) && !is_member(delta.removed[i]))
            throw_bad_delta("removed", i, "is not a member; apply it lenient to go on");
}

/// Refuses a delta that does not fit the set `s`. @param s null: an empty set, for a nested one that the delta creates @throws
/// std::invalid_argument that names the place
template <class Series, class Key, class Time, class Mode>
void check_delta(const Series* s, const typename Series::hasher& hash, const typename Series::key_equal& equal,
                 const SetDelta<Key, Time>& delta, const Mode& mode) {
    static_cast<void>(checked_keys(delta, hash, equal));
    if (delta.invalidated) s = nullptr;
    check_membership(delta, mode, [&](const Key& key) { return s != nullptr && s->contains(key); });
}

/// The same for a dictionary and its nested series.
template <class Series, class Key, class T, class Time, class Mode>
void check_delta(const Series* s, const typename Series::hasher& hash, const typename Series::key_equal& equal,
                 const DictDelta<Key, T, Time>& delta, const Mode& mode) {
    constexpr bool nested = is_series<T>;
    const auto keys = checked_keys(delta, hash, equal);
    if constexpr (!std::is_default_constructible_v<T>) {
        if (!delta.reset.empty()) throw_bad_delta("reset", 0, "needs a default-constructible T");
        const auto written = values_of(delta.modified, hash, equal);
        for (std::size_t i = 0; i != delta.added.size(); ++i)
            if (!written.contains(std::addressof(delta.added[i])))
                throw_bad_delta("added", i, "has no value in `modified`, and T is not default-constructible");
    }
    if constexpr (std::is_same_v<Mode, Strictness> && !nested)
        if (mode == Strictness::lenient) return;
    if (delta.invalidated) s = nullptr;
    const auto is_member = [&](const Key& key) { return s != nullptr && s->contains(key); };
    check_membership(delta, mode, is_member);
    for (std::size_t i = 0; i != delta.reset.size(); ++i)
        if (is_strict(mode, delta.reset[i]) &&
            (!is_member(delta.reset[i]) || keys.removed.contains(std::addressof(delta.reset[i]))))
            throw_bad_delta("reset", i, "is not a member; apply it lenient to go on");
    for (std::size_t i = 0; i != delta.modified.size(); ++i) {
        const auto& [key, value] = delta.modified[i];
        const bool strict = is_strict(mode, key);
        const bool gone = keys.removed.contains(std::addressof(key));
        if (strict && (gone || (!is_member(key) && !keys.added.contains(std::addressof(key)))))
            throw_bad_delta("modified", i, "is neither a member nor in `added`; apply it lenient to create it");
        if constexpr (nested) {
            const T* const there = gone || s == nullptr || keys.reset.contains(std::addressof(key)) ? nullptr : s->get(key);
            if (there != nullptr)
                check_delta(there, there->hash_function(), there->key_eq(), value,
                            strict ? Strictness::strict : Strictness::lenient);
            else
                check_delta<T>(nullptr, typename T::hasher(), typename T::key_equal(), value,
                               strict ? Strictness::strict : Strictness::lenient);
        }
    }
}

} // namespace detail
SLOTWISE_END

#endif
