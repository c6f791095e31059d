// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SeriesSubscriber: is notified that a series has changed. Subscription: the token that keeps it subscribed.
#ifndef SLOTWISE_SERIES_SUBSCRIBER_HPP
#define SLOTWISE_SERIES_SUBSCRIBER_HPP

#include "../slots/slot_observer.hpp"

SLOTWISE_BEGIN

/// What a subscriber is notified of: how the subscribed part is now. It is net: an element that was removed and added again has
/// changed.
enum class TickKind : std::uint8_t {
    changed,     ///< it was written or added
    removed,     ///< no member any more, readable until the window rolls; of a nested series: its element was removed
    invalidated, ///< it has no value: the element was invalidated or created without one, the series was invalidated
    replaced,    ///< the series was restored or assigned: read it again, its deltas do not say what has changed
    ended        ///< in on_end() only: the series, or the element in the slot, is gone, and the subscription with it
};

/// The argument of a notification.
template <class Time = std::int64_t>
struct SeriesTick {
    SeriesLevel level; ///< which part of the series has changed
    slot_t slot;       ///< SeriesLevel::element: the slot of the element, also of a removed one; no_slot: another level, or a
                       ///< subscriber of a key whose series was replaced, removed or ended
    Time time;         ///< the open window
    TickKind kind;     ///< how the part is now

    SeriesTick() = default;
    constexpr SeriesTick(SeriesLevel of_level, slot_t at, Time when, TickKind how = TickKind::changed) noexcept
        : level(of_level), slot(at), time(when), kind(how) {}
    /// Whether the element, or the element around the nested series, is no member any more.
    constexpr bool removed() const noexcept { return kind == TickKind::removed; }
};

/// Base of subscribers. A subscriber is notified of each close of the outermost writer that has changed something since the
/// last, once per close and subscription: of elements first (in slot order), then of the keys of a dictionary, then of the
/// whole. Nested series come before the series around them. Within one level subscribers are notified in the order of
/// subscription. A subscriber may read everything, write to the open window, and add and remove subscriptions. Subscribers that
/// were not notified yet are notified of its writes at this close, the others at the next close of the window. A subscription
/// added now is notified of later writes. A subscriber must not open another window, restore, assign or destroy the series.
template <class Time>
class SeriesSubscriber : detail::AttachmentCount {
public:
    /// A subscribed part has changed, or was replaced.
    virtual void on_tick(const SeriesTick<Time>& tick) noexcept = 0;
    /// The subscribed part is gone: the series is destroyed, or another one was moved into it; a nested series when the window
    /// rolls after its element was removed, or when the element is created again. An element in a slot ends so when the series
    /// is restored or assigned. The subscription is detached already. The series must not be written or subscribed to now.
    virtual void on_end([[maybe_unused]] const SeriesTick<Time>& tick) noexcept {}
    /// For containers: counts to how many this is attached.
    detail::AttachmentCount& attachments() noexcept { return *this; }

protected:
    SeriesSubscriber() = default;
    SeriesSubscriber(const SeriesSubscriber&) = default;
    SeriesSubscriber& operator=(const SeriesSubscriber&) = default;
    virtual ~SeriesSubscriber() = default; // for -Wnon-virtual-dtor in derived classes
};

namespace detail {

template <class Time>
struct SubscriberEntry {
    SeriesSubscriber<Time>* observer = nullptr;
    std::uint64_t notified = 0; // the number of the last round it was notified in
    bool late = false;          // in that round the part changed again afterwards
    constexpr operator SeriesSubscriber<Time>*() const noexcept { return observer; }
};

} // namespace detail

/// Keeps a subscriber subscribed until the token is destroyed or detach() is called. Move-only. It may outlive the series.
template <class Time = std::int64_t>
using Subscription = BasicObserverToken<SeriesSubscriber<Time>, detail::SubscriberEntry<Time>>;

namespace detail {

/// A list of subscribers: one pointer while it is empty.
template <class Time>
class SubscriberList {
    using Cell = BasicObserverCell<SeriesSubscriber<Time>, SubscriberEntry<Time>>;

public:
    constexpr SubscriberList() noexcept = default;
    constexpr SubscriberList(SubscriberList&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
    constexpr SubscriberList& operator=(SubscriberList&& other) noexcept {
        detach_all();
        cell_ = std::exchange(other.cell_, nullptr);
        return *this;
    }
    constexpr ~SubscriberList() { detach_all(); }

    constexpr bool empty() const noexcept { return cell_ == nullptr || cell_->count == 0; }
    constexpr std::size_t memory_usage() const noexcept { return cell_ == nullptr ? 0 : cell_->memory_usage(); }
    /// @throws std::bad_alloc; nothing has changed then
    [[nodiscard]] Subscription<Time> add(SeriesSubscriber<Time>& subscriber) {
        if (cell_ == nullptr) cell_ = new Cell;
        return {*cell_, subscriber};
    }
    /// Notifies the subscribers that were not notified in round `number` yet and were here when the notification began. Returns
    /// whether there were others. They are late for this tick; see take_late().
    constexpr bool notify(const SeriesTick<Time>& tick, std::uint64_t number) noexcept {
        if (empty()) return false;
        Cell* const cell = cell_; // a subscriber may destroy this list
        ++cell->owners;
        bool late = false;
        {
            const typename Cell::Notification running(*cell);
            for (std::size_t i = 0, present = cell->count; i < present && i < cell->count; ++i) {
                auto& entry = cell->list[i];
                if (entry.observer == nullptr) continue;
                if (entry.notified == number) {
                    entry.late = late = true;
                    continue;
                }
                entry.notified = number;
                entry.late = false;
                entry.observer->on_tick(tick);
            }
        }
        Cell::release(cell);
        return late;
    }
    /// Whether a subscriber was late for a tick and was not notified since. That is forgotten then.
    constexpr bool take_late() noexcept {
        bool late = false;
        for (std::size_t i = 0; !empty() && i != cell_->count; ++i) {
            late = late || cell_->list[i].late;
            cell_->list[i].late = false;
        }
        return late;
    }
    /// Detaches all subscribers and calls their on_end().
    constexpr void end(const SeriesTick<Time>& tick) noexcept {
        Cell* const cell = std::exchange(cell_, nullptr);
        if (cell == nullptr) return;
        {
            const typename Cell::Notification running(*cell);
            for (std::size_t i = 0; i < cell->count; ++i) {
                SeriesSubscriber<Time>* const observer = cell->list[i].observer;
                if (observer == nullptr) continue;
                cell->detach_at(i);
                observer->on_end(tick);
            }
        }
        cell->detach_all();
        Cell::release(cell);
    }

private:
    constexpr void detach_all() noexcept {
        if (cell_ == nullptr) return;
        cell_->detach_all();
        Cell::release(std::exchange(cell_, nullptr));
    }

    Cell* cell_ = nullptr;
};

} // namespace detail
SLOTWISE_END

#endif
