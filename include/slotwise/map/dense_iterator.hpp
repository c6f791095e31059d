// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DenseIterator: a contiguous iterator over packed values that knows the handle of each.
#ifndef SLOTWISE_MAP_DENSE_ITERATOR_HPP
#define SLOTWISE_MAP_DENSE_ITERATOR_HPP

#include "only_map_sort.hpp"

#include <compare>

SLOTWISE_BEGIN
namespace detail {

/// An address in the packed array of `Map`, and the map. A class instead of a pointer, so that it has handle() and refuses
/// algorithms that move values between rows.
template <class T, class Map>
class DenseIterator {
public:
    using value_type = std::remove_const_t<T>;
    using element_type = T;
    using reference = T&;
    using pointer = T*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;
    using iterator_concept = std::contiguous_iterator_tag;

    constexpr DenseIterator() noexcept = default;
    constexpr DenseIterator(const Map* map, T* at) noexcept : at_(at), map_(map) {}
    /// iterator to const_iterator.
    constexpr operator DenseIterator<const T, Map>() const noexcept
        requires(!std::is_const_v<T>)
    {
        return {map_, at_};
    }

    constexpr T& operator*() const noexcept { return *at_; }
    constexpr T* operator->() const noexcept { return at_; }
    constexpr T& operator[](difference_type n) const noexcept { return at_[n]; }
    constexpr DenseIterator& operator++() noexcept { return ++at_, *this; }
    constexpr DenseIterator& operator--() noexcept { return --at_, *this; }
    constexpr DenseIterator operator++(int) noexcept { return {map_, at_++}; }
    constexpr DenseIterator operator--(int) noexcept { return {map_, at_--}; }
    constexpr DenseIterator& operator+=(difference_type n) noexcept { return at_ += n, *this; }
    constexpr DenseIterator& operator-=(difference_type n) noexcept { return at_ -= n, *this; }
    friend constexpr DenseIterator operator+(DenseIterator it, difference_type n) noexcept { return it += n; }
    friend constexpr DenseIterator operator+(difference_type n, DenseIterator it) noexcept { return it += n; }
    friend constexpr DenseIterator operator-(DenseIterator it, difference_type n) noexcept { return it -= n; }
    friend constexpr difference_type operator-(DenseIterator a, DenseIterator b) noexcept { return a.at_ - b.at_; }
    friend constexpr bool operator==(DenseIterator a, DenseIterator b) noexcept { return a.at_ == b.at_; }
    friend constexpr std::strong_ordering operator<=>(DenseIterator a, DenseIterator b) noexcept { return a.at_ <=> b.at_; }

    /// The row of the element here.
    constexpr std::size_t row() const noexcept { return static_cast<std::size_t>(at_ - map_->values().data()); }
    /// Its slot. @pre not at the end
    constexpr slot_t slot() const noexcept { return handle().index(); }
    /// Its handle. @pre not at the end
    constexpr auto handle() const noexcept { return map_->handle_of_row(row()); }

    /// So that no algorithm moves values between rows: std::sortable and std::permutable do not hold. See
    /// OnlyMapSortMovesValues.
    friend constexpr OnlyMapSortMovesValues<T> iter_move(const DenseIterator& it) noexcept
        requires(!std::is_const_v<T>)
    {
        return OnlyMapSortMovesValues<T>(*it);
    }
    /// The same for algorithms that only swap.
    friend void iter_swap(const DenseIterator&, const DenseIterator&) {
        static_assert(never<DenseIterator>, "slot map: this algorithm would move values under other handles; write "
                                            "map.sort(less), or map.swap_values(a, b) for two handles");
    }

private:
    T* at_ = nullptr;
    const Map* map_ = nullptr;
};

} // namespace detail
SLOTWISE_END

#endif
