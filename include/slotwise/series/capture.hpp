// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// capture(): the delta of the open window as an owned value.
#ifndef SLOTWISE_SERIES_CAPTURE_HPP
#define SLOTWISE_SERIES_CAPTURE_HPP

#include "tsd_view.hpp"
#include "tss_view.hpp"

SLOTWISE_BEGIN

/// The changes of window `time` in the set, owned: they outlive the window. Empty (except for the time) unless that is the open
/// window.
/// @throws std::bad_alloc, what copies of keys throw @complexity linear in touched slots
template <class Key, class Time>
SetDelta<Key, Time> capture(TSSView<Key, Time> set, std::type_identity_t<Time> time) {
    SetDelta<Key, Time> delta;
    delta.time = time;
    delta.ticked = set.window() == time && set.modified(time);
    for (const Key& key : set.added(time)) delta.added.push_back(key);
    for (const Key& key : set.removed(time)) delta.removed.push_back(key);
    return delta;
}
/// The changes of window `time` in the dictionary, owned. Nested series are captured in the same way.
/// @throws std::bad_alloc, what copies of keys and values throw @complexity linear in touched slots
template <class Key, class T, class Time>
DictDelta<Key, T, Time> capture(TSDView<Key, T, Time> dict, std::type_identity_t<Time> time) {
    DictDelta<Key, T, Time> delta;
    delta.time = time;
    if (dict.window() != time) return delta;
    delta.ticked = dict.modified(time);
    delta.keys_ticked = dict.keys().modified(time);
    for (const Key& key : dict.added_keys(time)) delta.added.push_back(key);
    for (const Key& key : dict.removed_keys(time)) delta.removed.push_back(key);
    for (const Key& key : dict.reset_keys(time)) delta.reset.push_back(key);
    delta.modified.reserve(dict.touched());
    for (const auto [key, value] : dict.modified_items(time)) {
        if constexpr (detail::is_series<T>)
            delta.modified.emplace_back(key, capture(value.view(), time));
        else
            delta.modified.emplace_back(key, value);
    }
    return delta;
}
/// The same for the storage itself.
template <class Storage>
    requires detail::is_series<Storage>
typename Storage::delta_type capture(const Storage& storage, typename Storage::time_type time) {
    return capture(storage.view(), time);
}

SLOTWISE_END

#endif
