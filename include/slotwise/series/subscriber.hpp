// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SeriesSubscriber: what is told that a series has changed. Subscription: the token that keeps one subscribed.
#ifndef SLOTWISE_SERIES_SUBSCRIBER_HPP
#define SLOTWISE_SERIES_SUBSCRIBER_HPP

#include "../slots/slot_observer.hpp"

SLOTWISE_BEGIN

/// What a subscriber is told.
template <class Time>
struct SeriesTick {
    SeriesLevel level; ///< what of the series has changed
    slot_t slot;       ///< SeriesLevel::element: where it lives, or lived until it was removed; else no_slot
    Time time;         ///< the open window
};

/// What a subscriber derives from. It is told once per window and subscription, when the outermost writer closes: elements
/// first (in slot order), then the keys of a dictionary, then the whole; those of nested series before those of what they are
/// nested in. Within one level in the order of subscription. It may read everything, write to the open window, subscribe and
/// unsubscribe anyone; one who subscribes now hears of later writes. It must not open another window or destroy the series.
template <class Time>
class SeriesSubscriber : public detail::Attachable<SeriesSubscriber<Time>> {
public:
    /// Something this one subscribed to has changed.
    virtual void on_tick(const SeriesTick<Time>& tick) noexcept = 0;

protected:
    SeriesSubscriber() = default;
    SeriesSubscriber(const SeriesSubscriber&) = default;
    SeriesSubscriber& operator=(const SeriesSubscriber&) = default;
    ~SeriesSubscriber() = default; // never deleted through the base
};

namespace detail {

template <class Time>
struct SubscriberEntry {
    SeriesSubscriber<Time>* observer = nullptr;
    std::uint64_t notified = 0; // the number of the last window it heard of
    constexpr operator SeriesSubscriber<Time>*() const noexcept { return observer; }
};

} // namespace detail

/// Keeps a subscriber subscribed until it dies or detach() is called. Move-only. Harmless when the series is gone.
template <class Time = std::int64_t>
using Subscription = BasicObserverToken<SeriesSubscriber<Time>, detail::SubscriberEntry<Time>>;

namespace detail {

/// The subscribers of one thing: one pointer while there are none.
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
    /// Tells those who have not heard of window `number` yet and were here when the telling began.
    constexpr void notify(const SeriesTick<Time>& tick, std::uint64_t number) noexcept {
        if (empty()) return;
        Cell* const cell = cell_; // a subscriber may bring it about that this list goes
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
