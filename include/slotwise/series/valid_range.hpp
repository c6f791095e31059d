// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ValidRange: the members of a dictionary over time that were ever written.
#ifndef SLOTWISE_SERIES_VALID_RANGE_HPP
#define SLOTWISE_SERIES_VALID_RANGE_HPP

#include "../slots/slot_range.hpp"
#include "delta_range.hpp"
#include "time_array.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The slots of `slots` whose stamp is not "never", in slot order. A forward range.
/// @tparam Columns none: yields slots; a Key: const Key&; Key and T: MapItem<Key, const T>
template <class Time, class... Columns>
class ValidRange {
    using reference_type = typename DeltaReference<Columns...>::type;
    using slot_iterator = decltype(std::declval<const SlotRange&>().begin());

public:
    class iterator : public IteratorFacade<iterator, std::remove_cvref_t<reference_type>, reference_type> {
    public:
        constexpr iterator() noexcept = default;
        /// The slot here.
        constexpr slot_t slot() const noexcept { return *at_; }
        friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }

    private:
        friend ValidRange;
        friend IteratorFacade<iterator, std::remove_cvref_t<reference_type>, reference_type>;
        constexpr iterator(const ValidRange& range, slot_iterator at) noexcept : range_(range), at_(at) { skip(); }
        constexpr reference_type dereference() const noexcept {
            return std::apply(
                [this](const auto&... column) -> reference_type {
                    if constexpr (sizeof...(Columns) == 0)
                        return slot();
                    else if constexpr (sizeof...(Columns) == 1)
                        return (*column.ptr(slot()), ...);
                    else
                        return {*column.ptr(slot())...};
                },
                range_.columns_);
        }
        constexpr void increment() noexcept {
            ++at_;
            skip();
        }
        constexpr void skip() noexcept {
            while (at_ != range_.slots_.end() && *range_.stamps_.ptr(*at_) == TimeTraits<Time>::never()) ++at_;
        }

        ValidRange range_{};
        slot_iterator at_{};
    };

    constexpr ValidRange() noexcept = default;
    constexpr ValidRange(SlotRange live, PageView<const Time> stamps, std::tuple<PageView<const Columns>...> columns) noexcept
        : slots_(live), stamps_(stamps), columns_(columns) {}

    constexpr iterator begin() const noexcept { return {*this, slots_.begin()}; }
    constexpr iterator end() const noexcept { return {*this, slots_.end()}; }
    constexpr bool empty() const noexcept { return begin() == end(); }

private:
    SlotRange slots_{};
    PageView<const Time> stamps_{};
    std::tuple<PageView<const Columns>...> columns_{};
};

} // namespace detail
SLOTWISE_END

/// It owns nothing. Iterators outlive it.
template <class Time, class... Columns>
inline constexpr bool std::ranges::enable_view<slotwise::detail::ValidRange<Time, Columns...>> = true;
template <class Time, class... Columns>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::detail::ValidRange<Time, Columns...>> = true;

#endif
