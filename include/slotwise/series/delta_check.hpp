// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Checks that a delta fits a series, before anything is applied.
#ifndef SLOTWISE_SERIES_DELTA_CHECK_HPP
#define SLOTWISE_SERIES_DELTA_CHECK_HPP

#include "delta.hpp"

SLOTWISE_BEGIN
namespace detail {

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
