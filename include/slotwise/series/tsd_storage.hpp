// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TSDStorage: a dictionary over time. It records exactly which keys each window has added and removed, and which values it has
// written.
#ifndef SLOTWISE_SERIES_TSD_STORAGE_HPP
#define SLOTWISE_SERIES_TSD_STORAGE_HPP

#include "capture.hpp"
#include "tsd_writer.hpp"
#include "tss_storage.hpp"

SLOTWISE_BEGIN

/// A time-series dictionary: MapStorage + TimeArray (when each value was written) + ObserverArray + DeltaTracker.
///     TSDStorage<std::string, double> price;
///     price.write(1).set("bund", 131.2);
///     for (auto [key, value] : price.modified_items(1)) ...
/// Windows and deltas are as in TSSStorage. Removed keys and values stay readable until the window rolls. A key may be created
/// without a value: a member that is not valid. Keys have ticks of their own: keys() is a set over time that does not tick when
/// a value is written. T may be a series itself: a dictionary of sets, or of dictionaries. They share the clock: modify(key)
/// returns a writer of the nested series in the same window, and a tick of a nested series ticks its element.
/// @tparam T a series, or an object type that is nothrow move constructible, or immovable and nothrow constructible, because a
/// removed element may be inserted again in its slot. Put others into a std::unique_ptr.
/// @tparam With as TSSStorage's
template <class Key, class T, class... With>
class TSDStorage : public detail::SeriesCore<detail::SeriesMap<Key, T, With...>, detail::time_of<Key, With...>,
                                             TSDStorage<Key, T, With...>, TSDWriter> {
    using Args = detail::SeriesArguments<Key, With...>;
    using Time = typename Args::time;
    static_assert(detail::inserts_nothrow<typename Args::observers>,
                  "TSDStorage: a further column's on_insert may throw, so a removed key could be lost before the window rolls; "
                  "make it noexcept");
    static_assert(detail::shares_clock<T, Time>, "TSDStorage: a nested series must have the same Time");
    static_assert(
        std::is_nothrow_move_constructible_v<T> ||
            (!std::is_move_constructible_v<T> && std::is_nothrow_default_constructible_v<T>),
        "TSDStorage: T's move constructor may throw; then a removed key could be lost before the window rolls. Put T into a "
        "std::unique_ptr, or make its move constructor noexcept");

public:
    /// The result of as_map().
    using map_type = detail::SeriesMap<Key, T, With...>;
    /// The result of as_set().
    using set_type = typename map_type::set_type;

private:
    using Core = detail::SeriesCore<map_type, Time, TSDStorage, TSDWriter>;

public:
    using mapped_type = T;
    using value_type = MapItem<Key, const T>;
    using delta_type = DictDelta<Key, T, Time>;
    using typename Core::handle_type;
    static constexpr SeriesOptions options = Args::options;
    using Core::Core;

    //=== reading ===//

    /// The value, or null when the key is no member. A member that was never written has T().
    template <detail::KeyArgument<Key, handle_type> K = Key>
    constexpr const T* get(const K& key) const {
        return this->store().get(key);
    }
    template <std::same_as<handle_type> H>
    constexpr const T* get(H handle) const noexcept {
        return this->store().get(handle);
    }
    /// The value. @throws std::out_of_range when there is none
    template <detail::KeyArgument<Key, handle_type> K = Key>
    constexpr const T& at(const K& key) const {
        return this->store().at(key);
    }
    template <std::same_as<handle_type> H>
    constexpr const T& at(H handle) const {
        return this->store().at(handle);
    }
    /// The value. @pre contains(handle) (checked at level fast)
    template <std::same_as<handle_type> H>
    constexpr const T& operator[](H handle) const noexcept {
        return this->store()[handle];
    }
    /// A copy of the value, or T(otherwise) when the key is no member. @throws what that copy or conversion throws
    template <class K = Key, class U = T>
        requires std::is_constructible_v<T, U>
    constexpr T value_or(const K& key, U&& otherwise) const {
        return this->store().value_or(key, std::forward<U>(otherwise));
    }
    /// The value in `slot`. @pre live, or removed in the open window
    constexpr const T& value(slot_t slot) const noexcept { return this->store().value(slot); }
    /// Values by slot, including those never written.
    constexpr ColumnView<const T> values() const noexcept { return as_map().values(); }

    /// Keys with their values, in slot order: for (auto [key, value] : series.items()); and the handles.
    constexpr auto items() const noexcept { return as_map().items(); }
    constexpr auto handles() const noexcept { return as_map().handles(); }

    /// Members that were ever written, in slot order.
    constexpr auto valid_keys() const { return view().valid_keys(); }
    /// The same with their values: for (auto [key, value] : prices.valid_items()).
    constexpr auto valid_items() const { return view().valid_items(); }

    //=== deltas: empty unless `time` is the open window ===//

    /// Members now, and not when the window opened, including those without a value.
    constexpr DeltaRange<Time, Key> added_keys(Time time) const { return view().added_keys(time); }
    /// Those of them that have a value, with it.
    constexpr DeltaRange<Time, Key, T> added_items(Time time) const { return view().added_items(time); }
    /// Members when the window opened, and not now; readable until it rolls.
    constexpr DeltaRange<Time, Key> removed_keys(Time time) const { return view().removed_keys(time); }
    /// The removed members that had a value when the window opened, with the value of the last element under the key (T(), if
    /// that was created in the window).
    constexpr DeltaRange<Time, Key, T> removed_items(Time time) const { return view().removed_items(time); }
    /// Members written in the window, new ones included.
    constexpr DeltaRange<Time, Key> modified_keys(Time time) const { return view().modified_keys(time); }
    constexpr DeltaRange<Time, Key, T> modified_items(Time time) const { return view().modified_items(time); }
    /// Members then and now that were written in the window: the modified ones without the added ones.
    constexpr DeltaRange<Time, Key> updated_keys(Time time) const { return view().updated_keys(time); }
    /// The same with their values.
    constexpr DeltaRange<Time, Key, T> updated_items(Time time) const { return view().updated_items(time); }
    /// Members then and now whose element was removed and created again without a value; of nested series also those that were
    /// written since.
    constexpr DeltaRange<Time, Key> reset_keys(Time time) const { return view().reset_keys(time); }
    /// The same of the open window.
    constexpr DeltaRange<Time, Key> added_keys() const { return added_keys(this->window()); }
    constexpr DeltaRange<Time, Key, T> added_items() const { return added_items(this->window()); }
    constexpr DeltaRange<Time, Key> removed_keys() const { return removed_keys(this->window()); }
    constexpr DeltaRange<Time, Key, T> removed_items() const { return removed_items(this->window()); }
    constexpr DeltaRange<Time, Key> modified_keys() const { return modified_keys(this->window()); }
    constexpr DeltaRange<Time, Key, T> modified_items() const { return modified_items(this->window()); }
    constexpr DeltaRange<Time, Key> updated_keys() const { return updated_keys(this->window()); }
    constexpr DeltaRange<Time, Key, T> updated_items() const { return updated_items(this->window()); }
    constexpr DeltaRange<Time, Key> reset_keys() const { return reset_keys(this->window()); }

    //=== casts ===//

    /// The dictionary now, and its keys: the same object, not a copy.
    constexpr const map_type& as_map() const noexcept { return this->store(); }
    constexpr const set_type& as_set() const noexcept { return as_map().as_set(); }
    /// The keys as a set over time, read-only: two words.
    constexpr TSSView<Key, Time> keys() const noexcept { return TSSView<Key, Time>(this, key_calls); }
    /// A read-only view of two words, for functions that are no templates.
    constexpr TSDView<Key, T, Time> view() const noexcept { return TSDView<Key, T, Time>(*this); }
    /// Notifies `subscriber` of every window in which a key is added or removed. @throws std::bad_alloc; strong
    [[nodiscard]] Subscription<Time> subscribe_keys(SeriesSubscriber<Time>& subscriber) const {
        return this->state_.notification().subscribe(this->state_.notification().keys, subscriber);
    }

    /// Equal when they have the same members now, the same of them have a value, and the values are equal. Times and deltas are
    /// ignored.
    friend constexpr bool operator==(const TSDStorage& a, const TSDStorage& b) {
        if (!(a.as_map() == b.as_map())) return false;
        for (const auto [key, value] : a)
            if (a.valid(key) != b.valid(key)) return false;
        return true;
    }

private:
    static constexpr const TSDStorage& self(const void* series) noexcept { return *static_cast<const TSDStorage*>(series); }
    static constexpr detail::TSSCalls<Key, Time> key_calls = {
        [](const void* s) { return SetView<Key>(self(s).as_set()); },
        [](const void* s, const Key& key, const Time& time) { return self(s).was_removed(key, time); },
        [](const void* s) -> const detail::DeltaWords<Time>& { return self(s).tracker().words(); },
        [](const void* s) {
            const auto pages = self(s).times().pages();
            return detail::PageView<const Time>{pages.pages, pages.shift};
        },
        [](const void* s) { return self(s).state_.notification().keys.last; },
        [](const void* s, SeriesSubscriber<Time>& subscriber) { return self(s).subscribe_keys(subscriber); }};
};

SLOTWISE_END

#endif
