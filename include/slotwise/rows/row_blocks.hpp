// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The walk over columns in blocks of N rows, and the columns that a list of members means.
#ifndef SLOTWISE_ROWS_ROW_BLOCKS_HPP
#define SLOTWISE_ROWS_ROW_BLOCKS_HPP

#include "packed_columns.hpp"

#include <span>

SLOTWISE_BEGIN
namespace detail {

template <class... Ts, std::size_t... Found>
consteval auto columns_among(std::index_sequence<Found...> found, std::index_sequence<>) noexcept {
    return found;
}
template <class... Ts, std::size_t... Found, std::size_t Nth, std::size_t... Rest>
consteval auto columns_among(std::index_sequence<Found...>, std::index_sequence<Nth, Rest...>) noexcept {
    if constexpr (is_tag<std::tuple_element_t<Nth, std::tuple<Ts...>>>)
        return columns_among<Ts...>(std::index_sequence<Found...>{}, std::index_sequence<Rest...>{});
    else
        return columns_among<Ts...>(std::index_sequence<Found..., Nth>{}, std::index_sequence<Rest...>{});
}
/// The numbers of those among Ts... that have a column.
template <class... Ts>
using columns_of = decltype(columns_among<Ts...>(std::index_sequence<>{}, std::index_sequence_for<Ts...>{}));

/// f(spans...) for each N of `count` rows of these columns: of fixed size, and of dynamic size for the last ones.
template <std::size_t N, class F, class... Us>
constexpr void walk_blocks(std::size_t count, F& f, Us*... columns) {
    static_assert(N != 0, "SoaVector::for_each_block<N>(f): a block has at least one row");
    const std::size_t whole = count - count % N;
    for (std::size_t row = 0; row != whole; row += N) f(std::span<Us, N>(columns + row, N)...);
    if (whole != count) f(std::span<Us>(columns + whole, count - whole)...);
}

} // namespace detail
SLOTWISE_END

#endif
