// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TSDView: any time-series dictionary from Key to T, read-only.
#ifndef SLOTWISE_SERIES_TSD_VIEW_HPP
#define SLOTWISE_SERIES_TSD_VIEW_HPP

#include "../keyed/map_view.hpp"
#include "delta_range.hpp"
#include "tss_view.hpp"

SLOTWISE_BEGIN
namespace detail {

template <class Key, class T, class Time>
struct TSDCalls {
    MapView<Key, T> (*as_map)(const void*);
    TSSView<Key, Time> (*keys)(const void*);
    const DeltaWords<Time>& (*words)(const void*);
    PageView<const Time> (*stamps)(const void*);
    Time (*last_modified)(const void*);
    std::size_t (*count_valid)(const void*);
    Subscription<Time> (*subscribe)(const void*, SeriesSubscriber<Time>&);
};

} // namespace detail

/// A view of a time-series dictionary, for functions that read one and are no templates. Two words, passed by value.
///     double turnover(TSDView<std::string, double> trades, std::int64_t now);
/// @pre the series outlives the view and does not move
template <class Key, class T, class Time>
class TSDView {
    using Part = detail::DeltaPart;

public:
    using key_type = Key;
    using mapped_type = T;
    using value_type = MapItem<Key, const T>;
    using time_type = Time;
    using iterator = typename MapView<Key, T>::iterator;

    /// A view of this dictionary.
    template <class... With>
        requires std::is_same_v<detail::time_of<Key, With...>, Time>
    constexpr TSDView(const TSDStorage<Key, T, With...>& dict) noexcept
        : series_(&dict), calls_(&calls_of<TSDStorage<Key, T, With...>>) {}

    //=== members ===//

    /// The dictionary now as a MapView, and its keys as a SetView.
    constexpr MapView<Key, T> as_map() const { return calls_->as_map(series_); }
    constexpr SetView<Key> as_set() const { return as_map().as_set(); }
    /// Its keys as a set over time, which ticks when a key is added or removed.
    constexpr TSSView<Key, Time> keys() const { return calls_->keys(series_); }
    constexpr std::size_t size() const { return as_map().size(); }
    constexpr bool empty() const { return size() == 0; }
    constexpr bool contains(const Key& key) const { return as_map().contains(key); }
    constexpr slot_t slot_of(const Key& key) const { return as_map().slot_of(key); }
    /// 1 if the key is a member, otherwise 0.
    constexpr std::size_t count(const Key& key) const { return contains(key) ? 1 : 0; }
    /// The value, or null when the key is no member. A member that was never written has T().
    constexpr const T* get(const Key& key) const { return as_map().get(key); }
    constexpr const T& at(const Key& key) const { return as_map().at(key); }
    /// A copy of the value, or T(otherwise) when the key is no member. @throws what that copy or conversion throws
    template <class U = T>
        requires std::is_constructible_v<T, U>
    constexpr T value_or(const Key& key, U&& otherwise) const {
        return as_map().value_or(key, std::forward<U>(otherwise));
    }
    /// Key and value in `slot`. @pre live, or removed in the open window
    constexpr const Key& key(slot_t slot) const { return as_map().key(slot); }
    constexpr const T& value(slot_t slot) const { return as_map().value(slot); }
    /// live, pending (removed in the open window, still readable) or free.
    constexpr SlotState state(slot_t slot) const { return as_map().state(slot); }
    /// The element with this key, or end().
    constexpr iterator find(const Key& key) const { return as_map().find(key); }
    /// Values by slot, those never written too.
    constexpr ColumnView<const T> values() const { return as_map().values(); }
    /// Keys with their values, in slot order: for (auto [key, value] : view.items()).
    constexpr detail::IteratorRange<iterator> items() const { return {begin(), end(), size()}; }
    /// Calls f(key, value) for every element in slot order.
    template <class F>
    constexpr void for_each(F&& f) const {
        as_map().for_each(std::forward<F>(f));
    }
    constexpr iterator begin() const { return as_map().begin(); }
    constexpr iterator end() const { return as_map().end(); }

    //=== time ===//

    /// The open window.
    constexpr Time window() const { return calls_->words(series_).window; }
    /// Whether it was ever written.
    constexpr bool valid() const { return last_modified() != never; }
    constexpr Time last_modified() const { return calls_->last_modified(series_); }
    constexpr bool modified(Time time) const { return time != never && last_modified() == time; }
    /// Whether the key is a member that was ever written.
    constexpr bool valid(const Key& key) const { return last_modified(key) != never; }
    constexpr Time last_modified(const Key& key) const {
        const slot_t slot = slot_of(key);
        return slot == no_slot ? never : *calls_->stamps(series_).ptr(slot);
    }
    constexpr bool modified(const Key& key, Time time) const { return time != never && last_modified(key) == time; }
    /// Members that were ever written. @complexity O(1)
    constexpr std::size_t count_valid() const { return calls_->count_valid(series_); }

    /// The same of the element in `slot`: when it was last written; `never` before, and when the slot is free.
    constexpr Time last_modified_at(slot_t slot) const {
        return state(slot) == SlotState::live || state(slot) == SlotState::pending ? *calls_->stamps(series_).ptr(slot) : never;
    }
    /// Whether the element in `slot` was ever written.
    constexpr bool valid_at(slot_t slot) const { return last_modified_at(slot) != never; }
    /// Whether the element in `slot` was last written at exactly `time`.
    constexpr bool modified_at(slot_t slot, Time time) const { return time != never && last_modified_at(slot) == time; }
    /// Whether it was invalidated in window `time`, which is open: its deltas are then relative to an empty dictionary.
    constexpr bool invalidated(Time time) const { return keys().invalidated(time); }
    /// Members that were ever written, in slot order.
    constexpr auto valid_keys() const { return detail::ValidRange<Time, Key>(slots_of_members(), stamps(), {pages_of_keys()}); }
    /// The same with their values: for (auto [key, value] : prices.valid_items()).
    constexpr auto valid_items() const {
        return detail::ValidRange<Time, Key, T>(slots_of_members(), stamps(), {pages_of_keys(), as_map().values().pages()});
    }

    //=== deltas: empty unless `time` is the open window ===//

    /// Members now, and not when the window opened, including those without a value.
    constexpr DeltaRange<Time, Key> added_keys(Time time) const { return keys_of(time, Part::added); }
    /// Those of them that have a value, with it.
    constexpr DeltaRange<Time, Key, T> added_items(Time time) const { return written_items(time, Part::added); }
    /// Members when the window opened, and not now; readable until it rolls.
    constexpr DeltaRange<Time, Key> removed_keys(Time time) const { return keys_of(time, Part::removed); }
    /// The removed keys that had a value when the window opened, with the value of the last element under the key. (A key that
    /// was removed and created again without a value is not valid(key), and in reset_keys().)
    constexpr DeltaRange<Time, Key, T> removed_items(Time time) const { return items_of(time, Part::dropped); }
    /// Members written in the window, new ones included.
    constexpr DeltaRange<Time, Key> modified_keys(Time time) const { return written_keys(time, Part::modified); }
    constexpr DeltaRange<Time, Key, T> modified_items(Time time) const { return written_items(time, Part::modified); }
    /// Members then and now that were written in the window: the modified ones without the added ones.
    constexpr DeltaRange<Time, Key> updated_keys(Time time) const { return written_keys(time, Part::updated); }
    /// The same with their values.
    constexpr DeltaRange<Time, Key, T> updated_items(Time time) const { return written_items(time, Part::updated); }
    /// Members then and now whose element was removed and created again without a value; of nested series also those that were
    /// written since.
    constexpr DeltaRange<Time, Key> reset_keys(Time time) const {
        if constexpr (detail::is_series<T>)
            return keys_of(time, Part::reset);
        else
            return {calls_->words(series_), time, Part::reset, {as_set().keys().pages()}, calls_->stamps(series_), never};
    }
    /// The same of the open window.
    constexpr DeltaRange<Time, Key> added_keys() const { return added_keys(window()); }
    constexpr DeltaRange<Time, Key, T> added_items() const { return added_items(window()); }
    constexpr DeltaRange<Time, Key> removed_keys() const { return removed_keys(window()); }
    constexpr DeltaRange<Time, Key, T> removed_items() const { return removed_items(window()); }
    constexpr DeltaRange<Time, Key> modified_keys() const { return modified_keys(window()); }
    constexpr DeltaRange<Time, Key, T> modified_items() const { return modified_items(window()); }
    constexpr DeltaRange<Time, Key> updated_keys() const { return updated_keys(window()); }
    constexpr DeltaRange<Time, Key, T> updated_items() const { return updated_items(window()); }
    constexpr DeltaRange<Time, Key> reset_keys() const { return reset_keys(window()); }
    constexpr bool was_added(const Key& key, Time time) const { return keys().was_added(key, time); }
    constexpr bool was_removed(const Key& key, Time time) const { return keys().was_removed(key, time); }
    /// An upper bound of the changes in the open window. @complexity linear in touched slots
    constexpr std::size_t touched() const {
        return DeltaRange<Time>(calls_->words(series_), window(), Part::touched, {}).size();
    }

    /// Notifies `subscriber` of every window in which this is written. keys().subscribe() does so for windows in which keys are
    /// added or removed.
    /// @throws std::bad_alloc
    [[nodiscard]] Subscription<Time> subscribe(SeriesSubscriber<Time>& subscriber) const {
        return calls_->subscribe(series_, subscriber);
    }
    void write(Time) const = delete; // a view is read-only

private:
    static constexpr Time never = TimeTraits<Time>::never();

    template <class Storage>
    static constexpr detail::TSDCalls<Key, T, Time> calls_of = {
        [](const void* s) { return MapView<Key, T>(static_cast<const Storage*>(s)->as_map()); },
        [](const void* s) { return static_cast<const Storage*>(s)->keys(); },
        [](const void* s) -> const detail::DeltaWords<Time>& { return static_cast<const Storage*>(s)->tracker().words(); },
        [](const void* s) {
            const auto pages = static_cast<const Storage*>(s)->times().pages();
            return detail::PageView<const Time>{pages.pages, pages.shift};
        },
        [](const void* s) { return static_cast<const Storage*>(s)->last_modified(); },
        [](const void* s) { return static_cast<const Storage*>(s)->count_valid(); },
        [](const void* s, SeriesSubscriber<Time>& subscriber) {
            return static_cast<const Storage*>(s)->subscribe(subscriber);
        }};

    constexpr DeltaRange<Time, Key> keys_of(Time time, Part part) const {
        return {calls_->words(series_), time, part, {as_set().keys().pages()}};
    }
    constexpr DeltaRange<Time, Key, T> items_of(Time time, Part part) const {
        return {calls_->words(series_), time, part, {as_set().keys().pages(), as_map().values().pages()}};
    }

    /// Those of a part whose stamp is `time`.
    constexpr DeltaRange<Time, Key> written_keys(Time time, Part part) const {
        return {calls_->words(series_), time, part, {as_set().keys().pages()}, calls_->stamps(series_), time};
    }
    constexpr SlotRange slots_of_members() const { return as_map().live_slots(); }
    constexpr detail::PageView<const Time> stamps() const { return calls_->stamps(series_); }
    constexpr detail::PageView<const Key> pages_of_keys() const { return as_set().keys().pages(); }
    constexpr DeltaRange<Time, Key, T> written_items(Time time, Part part) const {
        return {calls_->words(series_),  time, part, {as_set().keys().pages(), as_map().values().pages()},
                calls_->stamps(series_), time};
    }

    const void* series_;
    const detail::TSDCalls<Key, T, Time>* calls_;
};

SLOTWISE_END

/// It owns nothing. Iterators outlive it.
template <class Key, class T, class Time>
inline constexpr bool std::ranges::enable_view<slotwise::TSDView<Key, T, Time>> = true;
template <class Key, class T, class Time>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::TSDView<Key, T, Time>> = true;

#endif
