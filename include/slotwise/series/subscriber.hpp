// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SeriesSubscriber: is notified that a series has changed. Subscription: the token that keeps it subscribed.
#ifndef SLOTWISE_SERIES_SUBSCRIBER_HPP
#define SLOTWISE_SERIES_SUBSCRIBER_HPP

#include "../slots/slot_observer.hpp"

SLOTWISE_BEGIN

/// The argument of a notification.
template <class Time = std::int64_t>
struct SeriesTick {
    SeriesLevel level; ///< which part of the series has changed
    slot_t slot;       ///< SeriesLevel::element: the slot of the element, also of a removed one; otherwise no_slot
    Time time;         ///< the open window
};

/// Base of subscribers. A subscriber is notified once per window and subscription, when the outermost writer closes: of
/// elements first (in slot order), then of the keys of a dictionary, then of the whole. Nested series come before the series
/// around them. Within one level subscribers are notified in the order of subscription. A subscriber may read everything, write
/// to the open window, and add and remove subscriptions. A subscription added now is notified of later writes. A subscriber
/// must not open another window or destroy the series.
template <class Time>
class SeriesSubscriber {
public:
    /// A subscribed part has changed.
    virtual void on_tick(const SeriesTick<Time>& tick) noexcept = 0;
    /// For containers: counts to how many this is attached.
    detail::AttachmentCount& attachments() noexcept { return attachments_; }

protected:
    SeriesSubscriber() = default;
    SeriesSubscriber(const SeriesSubscriber&) = default;
    SeriesSubscriber& operator=(const SeriesSubscriber&) = default;
    ~SeriesSubscriber() = default; // never deleted through the base

private:
    SLOTWISE_NO_UNIQUE_ADDRESS detail::AttachmentCount attachments_{};
};

namespace detail {

template <class Time>
struct SubscriberEntry {
    SeriesSubscriber<Time>* observer = nullptr;
    std::uint64_t notified = 0; // the number of the last window it was notified of
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
    /// @throws std::bad_alloc; nothing has changed then
    [[nodiscard]] Subscription<Time> add(SeriesSubscriber<Time>& subscriber) {
        if (cell_ == nullptr) cell_ = new Cell;
        return {*cell_, subscriber};
    }
    /// Notifies the subscribers that were not notified of window `number` yet and were here when the notification began.
    constexpr void notify(const SeriesTick<Time>& tick, std::uint64_t number) noexcept {
        if (empty()) return;
        Cell* const cell = cell_; // a subscriber may destroy this list
        ++cell->owners;
        {
            const typename Cell::Notification running(*cell);
            for (std::size_t i = 0, present = cell->count; i < present && i < cell->count; ++i) {
                auto& entry = cell->list[i];
                if (entry.observer == nullptr || entry.notified == number) continue;
                entry.notified = number;
                entry.observer->on_tick(tick);
            }
        }
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
