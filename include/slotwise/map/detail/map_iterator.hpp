// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Iterators of slot maps: one class for values, handles and items, const and not.
#ifndef SLOTWISE_MAP_DETAIL_MAP_ITERATOR_HPP
#define SLOTWISE_MAP_DETAIL_MAP_ITERATOR_HPP

#include "../../core/detail/iterators.hpp"
#include "../../core/handle.hpp"
#include "../../fwd.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Keeps std::ranges::sort and its like away from the elements of slot maps.
/// The result of std::ranges::iter_move for an element of a slot map: it initialises a T, and cannot be assigned to one. An
/// algorithm that permutes elements would leave values under other handles; each of them assigns what it moved, so
/// std::permutable and std::sortable do not hold. The name of this class appears in the error: write map.sort(less). A deleted
/// iter_swap blocks nothing, because the standard library then swaps the references.
/// std::make_move_iterator still moves values out into a new container; std::ranges::move takes map.values().
template <class T>
class OnlyMapSortMovesValues {
public:
    /// From a value too, because the result of iter_move and a reference must have a common type.
    constexpr OnlyMapSortMovesValues(const T& value) noexcept : value_(const_cast<T*>(std::addressof(value))) {}
    constexpr OnlyMapSortMovesValues(OnlyMapSortMovesValues&&) noexcept = default; // no copy: a std::any would hold this
    constexpr explicit operator T&&() const noexcept { return static_cast<T&&>(*value_); }

private:
    T* value_;
};

struct ValueProjection {
    template <class Map, class Store>
    using reference = std::conditional_t<std::is_const_v<Map>, typename Store::const_reference, typename Store::reference>;
};
struct HandleProjection {
    template <class Map, class Store>
    using reference = typename Map::handle_type;
};
struct ItemProjection {
    template <class Map, class Store>
    using reference = SlotMapItem<typename Map::handle_type, ValueProjection::reference<Map, Store>>;
};

/// A position in a map: the map and the store's cursor. Each map documents what invalidates it. Level debug detects access to
/// an erased element.
template <class Map, class Store, class Projection>
class MapIterator
    : public IteratorFacade<MapIterator<Map, Store, Projection>,
                            std::remove_cvref_t<typename Projection::template reference<Map, Store>>,
                            typename Projection::template reference<Map, Store>, std::bidirectional_iterator_tag> {
    using Reference = typename Projection::template reference<Map, Store>;
    using Cursor = typename Store::Cursor;
    using Base = IteratorFacade<MapIterator, std::remove_cvref_t<Reference>, Reference, std::bidirectional_iterator_tag>;

public:
    constexpr MapIterator() noexcept = default;
    constexpr MapIterator(Map* map, Cursor cursor) noexcept : map_(map), cursor_(cursor) {}
    /// iterator to const_iterator.
    template <class Other>
        requires(std::is_const_v<Map> && std::same_as<const Other, Map> && !std::is_const_v<Other>)
    constexpr MapIterator(const MapIterator<Other, Store, Projection>& other) noexcept
        : map_(other.map_), cursor_(other.cursor_) {}

    /// The slot of the element here. @pre not at the end
    constexpr slot_t slot() const noexcept { return map_->core_.store.slot(cursor_); }
    /// Its handle.
    constexpr auto handle() const noexcept { return map_->handle_at(slot()); }
    SLOTWISE_ALWAYS_INLINE friend constexpr bool operator==(const MapIterator& a, const MapIterator& b) noexcept {
        return a.cursor_ == b.cursor_;
    }
    /// So that std::ranges::reverse, rotate and the like do not move values between elements: std::permutable does not hold.
    friend constexpr auto iter_move(const MapIterator& it) noexcept
        requires(std::is_lvalue_reference_v<Reference> && !std::is_const_v<std::remove_reference_t<Reference>>)
    {
        return OnlyMapSortMovesValues<std::remove_reference_t<Reference>>(*it);
    }
    /// The same for algorithms that only swap.
    friend void iter_swap(const MapIterator&, const MapIterator&) {
        static_assert(never<MapIterator>, "slot map: this algorithm would move values under other handles; write "
                                          "map.sort(less) (packed maps) or map.swap_values(a, b)");
    }

private:
    template <class, class, class>
    friend class MapIterator;
    friend Base;
    SLOTWISE_ALWAYS_INLINE constexpr Reference dereference() const {
        SLOTWISE_EXPECT_DEBUG(map_->core_.directory.is_live(slot()), "slot map iterator: the element here was erased");
        if constexpr (std::same_as<Projection, HandleProjection>)
            return live_handle();
        else if constexpr (std::same_as<Projection, ItemProjection>)
            return {live_handle(), *map_->core_.store.at(cursor_)};
        else
            return *map_->core_.store.at(cursor_);
    }
    /// As handle(), which asks whether the element is still there.
    SLOTWISE_ALWAYS_INLINE constexpr auto live_handle() const noexcept {
        return typename Map::handle_type(slot(), map_->core_.directory.version(slot()));
    }
    SLOTWISE_ALWAYS_INLINE constexpr void increment() noexcept { map_->core_.store.advance(map_->core_.directory, cursor_); }
    constexpr void decrement() noexcept { map_->core_.store.step_back(map_->core_.directory, cursor_); }

    Map* map_ = nullptr;
    Cursor cursor_{};
};

} // namespace detail

SLOTWISE_END

#endif
