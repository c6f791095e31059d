// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SeriesArguments: what the named template arguments of a series come to.
#ifndef SLOTWISE_SERIES_DETAIL_SERIES_ARGUMENTS_HPP
#define SLOTWISE_SERIES_DETAIL_SERIES_ARGUMENTS_HPP

#include "../../slots/detail/arguments.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Everything that a keyed container takes, and the type of time.
template <class Key, class... With>
struct SeriesArguments
    : Arguments<with_options | with_tag | with_hash | with_equal | with_index | with_time | with_alloc | with_observers,
                SeriesOptions, Key, Key, With...> {
    using time = pick<with_time, std::int64_t, With...>;
    using hash = pick<with_hash, DefaultHash<Key>, With...>;
    using equal = pick<with_equal, EqualTo, With...>;
    using index = pick<with_index, IndexBy<HashIndex>, With...>;
};

/// The type of time of a series with these arguments.
template <class Key, class... With>
using time_of = typename SeriesArguments<Key, With...>::time;

/// The type of the keys of a series, as deltas own them.
template <class Series>
struct KeyOfSeries {
    using type = typename Series::key_type;
};

} // namespace detail

SLOTWISE_END

#endif
