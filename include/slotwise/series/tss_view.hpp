// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TSSView: any time-series set with these keys, read-only: a TSSStorage, or the keys of a TSDStorage.
#ifndef SLOTWISE_SERIES_TSS_VIEW_HPP
#define SLOTWISE_SERIES_TSS_VIEW_HPP

#include "../keyed/set_view.hpp"
#include "delta.hpp"
#include "delta_range.hpp"
#include "subscriber.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The calls of a view into a series of any type.
template <class Key, class Time>
struct TSSCalls {
    SetView<Key> (*as_set)(const void*);
    bool (*was_removed)(const void*, const Key&, const Time&);
    const DeltaWords<Time>& (*words)(const void*);
    PageView<const Time> (*stamps)(const void*);
    Time (*last_modified)(const void*);
    Subscription<Time> (*subscribe)(const void*, SeriesSubscriber<Time>&);
};

} // namespace detail

/// A view of a time-series set, for functions that read one and are no templates. Two words, passed by value.
///     void report(TSSView<std::string> active, std::int64_t now);
/// Constructed from a TSSStorage, or by TSDStorage::keys(), whose time is that of the last added or removed key.
/// @pre the series outlives the view and does not move
template <class Key, class Time>
class TSSView {
public:
    using key_type = Key;
    using value_type = Key;
    using time_type = Time;
    using iterator = typename SetView<Key>::iterator;

    /// A view of this set.
    template <class... With>
        requires std::is_same_v<detail::time_of<Key, With...>, Time>
    constexpr TSSView(const TSSStorage<Key, With...>& set) noexcept
        : series_(&set), calls_(&calls_of<TSSStorage<Key, With...>>) {}

    //=== members ===//

    /// The members as a SetView.
    constexpr SetView<Key> as_set() const { return calls_->as_set(series_); }
    constexpr std::size_t size() const { return as_set().size(); }
    constexpr bool empty() const { return size() == 0; }
    constexpr bool contains(const Key& key) const { return as_set().contains(key); }
    constexpr slot_t slot_of(const Key& key) const { return as_set().slot_of(key); }
    /// 1 if the key is a member, otherwise 0.
    constexpr std::size_t count(const Key& key) const { return contains(key) ? 1 : 0; }
    /// The key in `slot`. @pre live, or removed in the open window
    constexpr const Key& key(slot_t slot) const { return as_set().key(slot); }
    /// live, pending (removed in the open window, still readable) or free.
    constexpr SlotState state(slot_t slot) const { return as_set().state(slot); }
    /// The key as an element, or end().
    constexpr iterator find(const Key& key) const { return as_set().find(key); }
    /// Keys by slot; a key is its own value.
    constexpr ColumnView<const Key> keys() const { return as_set().keys(); }
    constexpr ColumnView<const Key> values() const { return keys(); }
    /// Calls f(key) for every key in slot order.
    template <class F>
    constexpr void for_each(F&& f) const {
        as_set().for_each(std::forward<F>(f));
    }
    constexpr iterator begin() const { return as_set().begin(); }
    constexpr iterator end() const { return as_set().end(); }

    //=== time ===//

    /// The open window.
    constexpr Time window() const { return calls_->words(series_).window; }
    /// Whether it was ever written.
    constexpr bool valid() const { return last_modified() != never; }
    constexpr Time last_modified() const { return calls_->last_modified(series_); }
    constexpr bool modified(Time time) const { return time != never && last_modified() == time; }
    /// When the member was added, `never` if the key is none. Of the keys of a dictionary: when its value was last written.
    constexpr Time last_modified(const Key& key) const {
        const slot_t slot = slot_of(key);
        return slot == no_slot ? never : *calls_->stamps(series_).ptr(slot);
    }
    constexpr bool valid(const Key& key) const { return last_modified(key) != never; }
    constexpr bool modified(const Key& key, Time time) const { return time != never && last_modified(key) == time; }
    /// The same of the key in `slot`, also a removed one; `never` when the slot is free.
    constexpr Time last_modified_at(slot_t slot) const {
        return state(slot) == SlotState::live || state(slot) == SlotState::pending ? *calls_->stamps(series_).ptr(slot) : never;
    }
    constexpr bool valid_at(slot_t slot) const { return last_modified_at(slot) != never; }
    constexpr bool modified_at(slot_t slot, Time time) const { return time != never && last_modified_at(slot) == time; }

    /// Whether it was invalidated in window `time`, which is open: its deltas are then relative to an empty set.
    constexpr bool invalidated(Time time) const {
        const auto& words = calls_->words(series_);
        return words.is_current(time) && words.invalidated;
    }

    //=== deltas: empty unless `time` is the open window ===//

    /// Members now, and not when the window opened.
    constexpr DeltaRange<Time, Key> added(Time time) const { return keys_of(time, detail::DeltaPart::added); }
    /// Members when the window opened, and not now; readable until it rolls.
    constexpr DeltaRange<Time, Key> removed(Time time) const { return keys_of(time, detail::DeltaPart::removed); }
    /// The same of the open window.
    constexpr DeltaRange<Time, Key> added() const { return added(window()); }
    constexpr DeltaRange<Time, Key> removed() const { return removed(window()); }
    /// The same under the names of a dictionary's.
    constexpr DeltaRange<Time, Key> added_keys(Time time) const { return added(time); }
    constexpr DeltaRange<Time, Key> removed_keys(Time time) const { return removed(time); }
    constexpr DeltaRange<Time, Key> added_keys() const { return added(); }
    constexpr DeltaRange<Time, Key> removed_keys() const { return removed(); }
    constexpr bool was_added(const Key& key, Time time) const {
        const auto& words = calls_->words(series_);
        return words.is_current(time) && words.selected(slot_of(key), detail::DeltaPart::added);
    }
    constexpr bool was_removed(const Key& key, Time time) const { return calls_->was_removed(series_, key, time); }

    /// Notifies `subscriber` of every window in which this is written. @throws std::bad_alloc
    [[nodiscard]] Subscription<Time> subscribe(SeriesSubscriber<Time>& subscriber) const {
        return calls_->subscribe(series_, subscriber);
    }
    void write(Time) const = delete; // a view is read-only

private:
    template <class, class, class...>
    friend class TSDStorage;
    static constexpr Time never = TimeTraits<Time>::never();
    constexpr TSSView(const void* series, const detail::TSSCalls<Key, Time>& calls) noexcept
        : series_(series), calls_(&calls) {}

    template <class Storage>
    static constexpr detail::TSSCalls<Key, Time> calls_of = {
        [](const void* s) { return SetView<Key>(static_cast<const Storage*>(s)->as_set()); },
        [](const void* s, const Key& key, const Time& time) { return static_cast<const Storage*>(s)->was_removed(key, time); },
        [](const void* s) -> const detail::DeltaWords<Time>& { return static_cast<const Storage*>(s)->tracker().words(); },
        [](const void* s) {
            const auto pages = static_cast<const Storage*>(s)->times().pages();
            return detail::PageView<const Time>{pages.pages, pages.shift};
        },
        [](const void* s) { return static_cast<const Storage*>(s)->last_modified(); },
        [](const void* s, SeriesSubscriber<Time>& subscriber) {
            return static_cast<const Storage*>(s)->subscribe(subscriber);
        }};

    constexpr DeltaRange<Time, Key> keys_of(Time time, detail::DeltaPart part) const {
        return {calls_->words(series_), time, part, {as_set().keys().pages()}};
    }

    const void* series_;
    const detail::TSSCalls<Key, Time>* calls_;
};

SLOTWISE_END

/// It owns nothing. Iterators outlive it.
template <class Key, class Time>
inline constexpr bool std::ranges::enable_view<slotwise::TSSView<Key, Time>> = true;
template <class Key, class Time>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::TSSView<Key, Time>> = true;

#endif
