// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SeriesNotification: the subscribers of a series, and their pending notifications.
#ifndef SLOTWISE_SERIES_SERIES_NOTIFICATION_HPP
#define SLOTWISE_SERIES_SERIES_NOTIFICATION_HPP

#include "observer_array.hpp"
#include "time_array.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A part that ticks: its last tick, whether its subscribers must be notified of it, and the subscribers.
template <class Time>
struct SeriesTicker {
    Time last = TimeTraits<Time>::never();
    bool changed = false;
    mutable SubscriberList<Time> list{};

    constexpr void tick(Time time) noexcept {
        last = time;
        changed = true;
    }
    constexpr void notify(SeriesLevel level, std::uint64_t number) noexcept {
        if (std::exchange(changed, false)) list.notify({level, no_slot, last}, number);
    }
    constexpr void set_last(Time time) noexcept {
        last = time;
        changed = false;
    }
};

/// The keys of a set have no separate ticks.
template <class Time>
struct NoTicker {
    static constexpr Time last = TimeTraits<Time>::never();
    static constexpr bool changed = false;
    constexpr void tick(Time) noexcept {}
    constexpr void notify(SeriesLevel, std::uint64_t) noexcept {}
    constexpr void set_last(Time) noexcept {}
};

/// What a nested series is part of, while a writer of it is open.
struct SeriesParent {
    void* series = nullptr;
    slot_t slot = no_slot;
    void (*closed)(void* series, slot_t slot) noexcept = nullptr;
    void (*cover)(void* series) = nullptr; ///< prepares the parent for notifying later subscribers of the nested series
};

/// Subscribers to the whole, to the keys (of a dictionary), to single slots and keys.
template <class Key, class Time, class Hash, class Equal, class Allocator, bool KeysTick>
class SeriesNotification {
    using Subscribers = ObserverArray<Key, TimeBy<Time>, HashBy<Hash>, EqualBy<Equal>, AllocBy<Allocator>>;
    using KeysTicker = std::conditional_t<KeysTick, SeriesTicker<Time>, NoTicker<Time>>;

public:
    SeriesTicker<Time> whole{};
    SLOTWISE_NO_UNIQUE_ADDRESS KeysTicker keys{};
    mutable Subscribers slots{}; ///< of single slots and keys
    SeriesParent parent{};

    constexpr SeriesNotification() = default;
    constexpr explicit SeriesNotification(const Allocator& alloc) : slots(alloc) {}
    /// No subscribers, but the window number of `other`. For copies.
    constexpr SeriesNotification(const SeriesNotification& other, const Allocator& alloc)
        : slots(alloc), window_number_(other.window_number_) {
        set_times(other.whole.last, other.keys.last);
    }
    /// Takes all of `other` except the subscribers of single slots and keys, which `taken` has already.
    constexpr SeriesNotification(SeriesNotification&& other, Subscribers&& taken) noexcept
        : whole(std::move(other.whole)), keys(std::move(other.keys)), slots(std::move(taken)),
          window_number_(other.window_number_) {}
    /// Move assignment, with the subscribers of slots and keys in `taken`.
    constexpr void take(SeriesNotification& other, Subscribers& taken) noexcept {
        whole = std::move(other.whole);
        keys = std::move(other.keys);
        slots.swap(taken);
        window_number_ = other.window_number_;
    }
    /// Exchanges all except the subscribers of single slots and keys.
    constexpr void swap_tickers(SeriesNotification& other) noexcept {
        std::swap(whole, other.whole);
        std::swap(keys, other.keys);
        std::swap(window_number_, other.window_number_);
    }
    /// Sets the last ticks, without a notification.
    constexpr void set_times(Time last, Time keys_last) noexcept {
        whole.set_last(last);
        keys.set_last(keys_last);
    }
    /// Allows subscribers to be notified again.
    constexpr void next_window() noexcept { ++window_number_; }

    /// Subscribes to `ticker`, one of ours. @throws std::bad_alloc; strong
    [[nodiscard]] Subscription<Time> subscribe(const SeriesTicker<Time>& ticker, SeriesSubscriber<Time>& subscriber) const {
        cover_parent();
        return ticker.list.add(subscriber);
    }
    /// While a writer is open: makes the outermost series notify new subscribers. @throws what the allocator throws
    void cover_parent() const {
        if (parent.cover != nullptr) parent.cover(parent.series);
    }
    constexpr void changed_keys(slot_t slot, Time time) noexcept {
        keys.tick(time);
        whole.tick(time);
        slots.mark(slot);
    }

    constexpr bool has_subscribers() const noexcept {
        if constexpr (KeysTick)
            if (!keys.list.empty()) return true;
        return !slots.unused() || !whole.list.empty();
    }
    constexpr bool has_pending_notification() const noexcept { return whole.changed || keys.changed || slots.any_marked(); }
    constexpr bool is_notifying() const noexcept { return notifying_; }
    /// Notifies all subscribers of what has changed: elements first, then keys, then the whole. @param visit called with each
    /// slot that changed, before its subscribers are notified @param key_of the key in a slot
    template <class Visit, class KeyOf>
    constexpr void notify(Time time, Visit&& visit, KeyOf&& key_of) noexcept {
        if (notifying_) return; // a subscriber has written: the loop below goes on until no change is left
        notifying_ = true;
        do {
            if (!slots.unused()) slots.notify(time, window_number_, visit, key_of);
            keys.notify(SeriesLevel::keys, window_number_);
            whole.notify(SeriesLevel::whole, window_number_);
        } while (has_pending_notification());
        notifying_ = false;
    }

private:
    std::uint64_t window_number_ = 0; // each subscriber is notified once per window
    bool notifying_ = false;
};

} // namespace detail
SLOTWISE_END

#endif
