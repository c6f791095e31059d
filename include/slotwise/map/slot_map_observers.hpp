// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMapObservers: observers and further columns of slot maps.
#ifndef SLOTWISE_MAP_SLOT_MAP_OBSERVERS_HPP
#define SLOTWISE_MAP_SLOT_MAP_OBSERVERS_HPP

#include "slot_map_container.hpp"

SLOTWISE_BEGIN

/// The part of SlotMapCore and HandlePool that concerns observers and columns, and no handle. Not used by itself.
template <class Container>
class SlotMapObservers {
    using Hub = typename Container::Hub;
    using allocator = decltype(Container::allocator);

public:
    /// Attaches an observer until the token is destroyed. It is notified of the capacity and of every live slot first. An
    /// observer that attaches while an assignment or a restore notifies others is notified of the new contents only.
    /// @pre the observer lives as long as the token is attached
    /// @throws what the observer throws; it is not attached then
    [[nodiscard]] ObserverToken attach(SlotObserver& observer) { return core_.do_attach(observer); }
    /// Static observer number I.
    template <std::size_t I>
    constexpr auto& observer() noexcept {
        return core_.hub.template get<I>();
    }
    template <std::size_t I>
    constexpr const auto& observer() const noexcept {
        return core_.hub.template get<I>();
    }
    /// The static observer of type Observer, which must be one: map.observer<DeltaTracker<>>().
    template <class Observer>
    constexpr Observer& observer() noexcept {
        return core_.hub.template get<Hub::template index_of<Observer>()>();
    }
    template <class Observer>
    constexpr const Observer& observer() const noexcept {
        return core_.hub.template get<Hub::template index_of<Observer>()>();
    }
    /// Static observer number I, a column, as a view by slot.
    template <std::size_t I>
    constexpr auto column() noexcept {
        using T = typename std::remove_reference_t<decltype(observer<I>())>::value_type;
        return ColumnView<T>(observer<I>().pages(), core_.directory_view());
    }
    template <std::size_t I>
    constexpr auto column() const noexcept {
        using T = typename std::remove_cvref_t<decltype(observer<I>())>::value_type;
        return ColumnView<const T>(ColumnView<T>(observer<I>().pages(), core_.directory_view()));
    }
    /// The column of values of type T, which must be one: map.column<Velocity>().
    template <class T>
    constexpr ColumnView<T> column() noexcept {
        return column_of<T, ColumnView<T>>(*this);
    }
    template <class T>
    constexpr ColumnView<const T> column() const noexcept {
        return column_of<T, ColumnView<const T>>(*this);
    }

protected:
    constexpr SlotMapObservers() = default;
    constexpr explicit SlotMapObservers(const allocator& alloc) : core_(alloc) {}
    constexpr SlotMapObservers(const SlotMapObservers& other, const allocator& alloc) : core_(other.core_, alloc) {}
    constexpr SlotMapObservers(SlotMapObservers&& other, const allocator& alloc) : core_(std::move(other.core_), alloc) {}
    SlotMapObservers(typename Container::Store&& empty, const allocator& alloc) : core_(std::move(empty), alloc) {}
    Container core_{};

private:
    template <class T, class View, class Self>
    static constexpr View column_of(Self& self) noexcept {
        constexpr std::size_t place = Hub::template index_of_column<T>();
        if constexpr (place < Hub::static_count) return self.template column<place>();
        return View(); // reached when index_of_column has reported its error, which then stays the only one
    }
};

SLOTWISE_END

#endif
