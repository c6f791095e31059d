// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SeriesSet, SeriesMap: the keyed container inside a series, with times and deltas as columns.
#ifndef SLOTWISE_SERIES_SERIES_STORE_HPP
#define SLOTWISE_SERIES_SERIES_STORE_HPP

#include "../keyed/map_storage.hpp"
#include "delta_tracker.hpp"
#include "series_arguments.hpp"
#include "subscriber.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The arguments of the keyed container of a series: times and deltas are columns of its own.
template <class Args>
struct TimelessArguments : Args {
    static constexpr KeySetOptions options = Args::options.key_set();
    using Time = typename Args::time;
    using Bytes = rebind_t<typename Args::allocator, std::byte>;
    using times = TimeArray<Time, rebind_t<typename Args::allocator, Time>>;
    using tracker = DeltaTracker<Time, Args::options.delta, Bytes>;
    using own_columns = TypeList<times, tracker>;
};
template <class Key, class... With>
struct PartArguments<TSSStorage<Key, With...>> : TimelessArguments<SeriesArguments<Key, With...>> {};
template <class Key, class T, class... With>
struct PartArguments<TSDStorage<Key, T, With...>> : TimelessArguments<SeriesArguments<Key, With...>> {};

/// The keyed container of a TSSStorage.
template <class Key, class... With>
using SeriesSet = SetStorage<Key, PartOf<TSSStorage<Key, With...>>>;
/// The keyed container of a TSDStorage.
template <class Key, class T, class... With>
using SeriesMap = MapStorage<Key, T, PartOf<TSDStorage<Key, T, With...>>>;

/// The arguments of a series, from its keyed container.
template <class Store>
struct ArgumentsOfSeries;
template <class Key, class Series>
struct ArgumentsOfSeries<SetStorage<Key, PartOf<Series>>> : PartArguments<Series> {
    using key = Key;
    static constexpr bool has_values = false;
};
template <class Key, class T, class Series>
struct ArgumentsOfSeries<MapStorage<Key, T, PartOf<Series>>> : PartArguments<Series> {
    using key = Key;
    static constexpr bool has_values = true;
};

/// Whether no further column of a series can throw on insert.
template <class Observers>
inline constexpr bool inserts_nothrow = false;
template <class... Observers>
inline constexpr bool inserts_nothrow<TypeList<Observers...>> = (!insert_hook_throws<Observers> && ... && true);

/// Whether on_insert of a dynamic observer, named by a type of its own, is noexcept, or inherited and so does nothing.
template <class Observer>
inline constexpr bool on_insert_is_noexcept = [] {
    if constexpr (requires(Observer& observer) { requires noexcept(observer.on_insert(slot_t{}, InsertKind::fresh)); })
        return true;
    else if constexpr (!std::is_same_v<Observer, SlotObserver> &&
                       requires { &Observer::on_insert; }) // the base may be anything
        return std::is_same_v<decltype(&Observer::on_insert), void (SlotObserver::*)(slot_t, InsertKind)>;
    else
        return false;
}();

/// The only friend of series and writers: writers and enclosing series access the state through it.
struct SeriesAccess {
    template <class Series>
    static constexpr auto& state(Series& series) noexcept {
        return series.state_;
    }
    /// @pre a window was opened in the state of `series`
    template <class Series>
    static typename Series::writer writer(Series& series) noexcept {
        return typename Series::writer(series);
    }
};

/// The elements of a series as its SeriesNotification sees them. @tparam State a SeriesState
template <class State>
struct SeriesElements {
    State& state;
    /// The slot has changed: notifies the subscribers of the series in it.
    constexpr void visit([[maybe_unused]] slot_t slot, [[maybe_unused]] std::uint64_t round) const noexcept {
        if constexpr (State::nests) {
            auto& child = SeriesAccess::state(state.store().value(slot));
            if (child.take_removal() && state.store().state(slot) != SlotState::live)
                child.notify_removed(state.window(), round);
            else
                child.notify(round);
        }
    }
    constexpr decltype(auto) key(slot_t slot) const noexcept { return state.store().key(slot); }
    template <class Key>
    constexpr slot_t slot_of(const Key& key) const noexcept {
        return state.store().slot_of_any(key);
    }
    constexpr TickKind kind(slot_t slot) const noexcept {
        if (state.store().state(slot) != SlotState::live) return TickKind::removed;
        return state.times().valid(slot) ? TickKind::changed : TickKind::invalidated;
    }
    constexpr bool superseded(slot_t slot) const noexcept {
        return state.store().state(slot) == SlotState::pending && slot_of(key(slot)) != slot;
    }
};

} // namespace detail
SLOTWISE_END

#endif
