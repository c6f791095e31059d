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
    delta.invalidated = set.invalidated(time);
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
    delta.invalidated = dict.invalidated(time);
    for (const Key& key : dict.added_keys(time)) delta.added.push_back(key);
    for (const Key& key : dict.removed_keys(time)) delta.removed.push_back(key);
    for (const Key& key : dict.reset_keys(time)) delta.reset.push_back(key);
    delta.modified.reserve(dict.touched());
    for (const auto [key, value] : dict.modified_items(time)) {
        if constexpr (detail::is_series<T>) {
            delta.modified.emplace_back(key, capture(value.view(), time));
            delta.modified.back().second.invalidated = false; // the key is in `reset` or `added`
        } else
            delta.modified.emplace_back(key, value);
    }
    return delta;
}
/// All members, as the delta that leads from an empty set to this one. TSSWriter::reconcile() leads there from any other.
/// @throws std::bad_alloc, what copies of keys throw @complexity linear in slots
template <class Key, class Time>
SetDelta<Key, Time> capture_state(TSSView<Key, Time> set) {
    SetDelta<Key, Time> state;
    state.time = set.window();
    state.ticked = set.valid();
    state.added.reserve(set.size());
    for (const Key& key : set) state.added.push_back(key);
    return state;
}
/// All members and their values, as the delta that leads from an empty dictionary to this one, with nested series captured in
/// the same way. TSDWriter::reconcile() leads there from any other.
/// @throws std::bad_alloc, what copies of keys and values throw @complexity linear in slots
template <class Key, class T, class Time>
DictDelta<Key, T, Time> capture_state(TSDView<Key, T, Time> dict) {
    DictDelta<Key, T, Time> state;
    state.time = dict.window();
    state.ticked = dict.valid();
    state.keys_ticked = dict.keys().valid();
    state.added.reserve(dict.size());
    for (const auto [key, value] : dict) state.added.push_back(key);
    state.modified.reserve(dict.count_valid());
    for (const auto [key, value] : dict.valid_items()) {
        if constexpr (detail::is_series<T>)
            state.modified.emplace_back(key, capture_state(value.view()));
        else
            state.modified.emplace_back(key, value);
    }
    return state;
}
/// As capture_state() of its view.
template <class Storage>
    requires(detail::is_series<Storage> && requires(const Storage& storage) { storage.view(); })
typename Storage::delta_type capture_state(const Storage& storage) {
    return capture_state(storage.view());
}
/// As capture() of its view.
template <class Storage>
    requires(detail::is_series<Storage> && requires(const Storage& storage) { storage.view(); })
typename Storage::delta_type capture(const Storage& storage, typename Storage::time_type time) {
    return capture(storage.view(), time);
}
/// The changes of the window that was opened last, owned: capture(series, series.window()).
/// @throws as capture(series, time) @complexity linear in touched slots
template <class Series>
    requires requires(const Series& series) { capture(series, series.window()); }
auto capture(const Series& series) {
    return capture(series, series.window());
}

SLOTWISE_END

#endif
