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
    bool late = false; // it has ticked after some subscriber was notified of the tick before
    mutable SubscriberList<Time> list{};

    constexpr std::size_t memory_usage() const noexcept { return list.memory_usage(); }
    constexpr void tick(Time time) noexcept {
        last = time;
        changed = true;
    }
    constexpr void notify(SeriesLevel level, std::uint64_t number, Time now, TickKind kind) noexcept {
        if (changed) notify_all(level, number, now, kind);
    }
    constexpr void notify_all(SeriesLevel level, std::uint64_t number, Time now, TickKind kind) noexcept {
        changed = false;
        late = list.notify({level, no_slot, now, kind}, number) || late;
    }
    constexpr void notify(SeriesLevel level, std::uint64_t number) noexcept { notify(level, number, last, TickKind::changed); }
    /// The next round notifies those that were late in this one.
    constexpr void end_round() noexcept {
        if (std::exchange(late, false)) changed = list.take_late() || changed;
    }
    constexpr void set_last(Time time) noexcept {
        last = time;
        forget();
    }
    constexpr void forget() noexcept { changed = late = false; }
    constexpr void invalidate() noexcept {
        changed = changed || last != TimeTraits<Time>::never();
        last = TimeTraits<Time>::never();
    }
    constexpr void end(SeriesLevel level, Time time) noexcept { list.end({level, no_slot, time, TickKind::ended}); }
};

/// The keys of a set have no separate ticks.
template <class Time>
struct NoTicker {
    static constexpr Time last = TimeTraits<Time>::never();
    static constexpr bool changed = false;
    static constexpr std::size_t memory_usage() noexcept { return 0; }
    constexpr void tick(Time) noexcept {}
    constexpr void notify(SeriesLevel, std::uint64_t, Time, TickKind) noexcept {}
    constexpr void notify_all(SeriesLevel, std::uint64_t, Time, TickKind) noexcept {}
    constexpr void end_round() noexcept {}
    constexpr void set_last(Time) noexcept {}
    constexpr void forget() noexcept {}
    constexpr void invalidate() noexcept {}
    constexpr void end(SeriesLevel, Time) noexcept {}
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
    mutable Subscribers elements{}; ///< of single slots and keys
    SeriesParent parent{};

    constexpr SeriesNotification() = default;
    constexpr explicit SeriesNotification(const Allocator& alloc) : elements(alloc) {}
    /// No subscribers, but the round of `other`. For copies.
    constexpr SeriesNotification(const SeriesNotification& other, const Allocator& alloc)
        : elements(alloc), round_(other.round_) {
        set_times(other.whole.last, other.keys.last);
    }
    /// Takes all of `other` except the subscribers of single slots and keys, which `taken` has already.
    constexpr SeriesNotification(SeriesNotification&& other, Subscribers&& taken) noexcept
        : whole(std::move(other.whole)), keys(std::move(other.keys)), elements(std::move(taken)), round_(other.round_) {}
    /// Move assignment, with the subscribers of slots and keys in `taken`.
    constexpr void take(SeriesNotification& other, Subscribers& taken) noexcept {
        whole = std::move(other.whole);
        keys = std::move(other.keys);
        elements.swap(taken);
        round_ = other.round_;
    }
    /// Exchanges all except the subscribers of single slots and keys.
    constexpr void swap_tickers(SeriesNotification& other) noexcept {
        std::swap(whole, other.whole);
        std::swap(keys, other.keys);
        std::swap(round_, other.round_);
    }
    /// Sets the last ticks, without a notification.
    constexpr void set_times(Time last, Time keys_last) noexcept {
        whole.set_last(last);
        keys.set_last(keys_last);
    }
    /// Forgets which subscribers were late: their window is over.
    constexpr void next_window() noexcept {
        whole.forget();
        keys.forget();
        elements.unmark();
        parent_round_ = 0;
    }

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
        elements.mark(slot);
    }

    constexpr bool has_subscribers() const noexcept {
        if constexpr (KeysTick)
            if (!keys.list.empty()) return true;
        return !elements.unused() || !whole.list.empty();
    }
    constexpr std::size_t memory_usage() const noexcept { return memory_of(whole, keys, elements); }
    constexpr bool has_pending_notification() const noexcept {
        return whole.changed || keys.changed || elements.any_marked() || announced_ != TickKind::changed;
    }
    constexpr bool is_notifying() const noexcept { return notifying_; }
    /// The next notify() notifies every subscriber of this instead of what has changed.
    constexpr void announce(TickKind kind) noexcept { announced_ = kind; }
    /// Notifies all subscribers of what has changed: elements first, then keys, then the whole. @param parent_round that of
    /// the series around this one: in each of its rounds a subscriber is notified once; 0 if there is none @param state of the
    /// series: visit(slot, round) is called with each slot that changed, before its subscribers are notified; key(slot),
    /// slot_of(key); kind(slot) and superseded(slot) as ObserverArray::notify
    template <class State>
    constexpr void notify(Time time, std::uint64_t parent_round, const State& state) noexcept {
        if (notifying_) return; // a subscriber has written: the loop below goes on until no change is left
        notifying_ = true;
        if (parent_round == 0 || parent_round != std::exchange(parent_round_, parent_round)) ++round_;
        do {
            if (announced_ != TickKind::changed) notify_all(time, std::exchange(announced_, TickKind::changed));
            if (!elements.unused())
                elements.notify(
                    time, round_, [&](slot_t slot) { state.visit(slot, round_); },
                    [&](slot_t slot) -> decltype(auto) { return state.key(slot); }, state);
            keys.notify(SeriesLevel::keys, round_, time, kind_of(keys));
            whole.notify(SeriesLevel::whole, round_, time, kind_of(whole));
        } while (has_pending_notification());
        elements.end_round([&](const Key& key) { return state.slot_of(key); });
        keys.end_round();
        whole.end_round();
        notifying_ = false;
    }
    /// The series is gone: all subscriptions end.
    constexpr void end(Time time) noexcept {
        elements.end(time);
        keys.end(SeriesLevel::keys, time);
        whole.end(SeriesLevel::whole, time);
    }

private:
    template <class Ticker>
    static constexpr TickKind kind_of(const Ticker& ticker) noexcept {
        return ticker.last != TimeTraits<Time>::never() ? TickKind::changed : TickKind::invalidated;
    }
    constexpr void notify_all(Time time, TickKind kind) noexcept {
        elements.unmark();
        elements.notify_all(time, kind, round_);
        keys.notify_all(SeriesLevel::keys, round_, time, kind);
        whole.notify_all(SeriesLevel::whole, round_, time, kind);
    }

    std::uint64_t round_ = 0; // of notifications: in each a subscriber is notified once
    std::uint64_t parent_round_ = 0;
    TickKind announced_ = TickKind::changed; // changed: nothing is
    bool notifying_ = false;
};

} // namespace detail
SLOTWISE_END

#endif
