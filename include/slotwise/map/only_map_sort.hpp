// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// OnlyMapSortMovesValues: what keeps std::ranges::sort and its like away from the elements of slot maps.
#ifndef SLOTWISE_MAP_ONLY_MAP_SORT_HPP
#define SLOTWISE_MAP_ONLY_MAP_SORT_HPP

#include "../core/iterator_facade.hpp"
#include "../fwd.hpp"

SLOTWISE_BEGIN
namespace detail {

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

} // namespace detail
SLOTWISE_END

#endif
