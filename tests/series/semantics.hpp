// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series of all representations by name, and what their ranges hold as sorted vectors:
//     CHECK(sorted(set.added(1)) == keys{"a", "b"});   CHECK(sorted(dict.modified_items(1)) == items{{"a", 1}});
#ifndef SLOTWISE_TESTS_SERIES_SEMANTICS_HPP
#define SLOTWISE_TESTS_SERIES_SEMANTICS_HPP

#include "representations.hpp"
#include "support/thrown.hpp"

#include <slotwise/series/tsd_storage.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace test {

using namespace slotwise;

template <class R>
inline constexpr SeriesOptions with{.delta = R::representation};

template <class R>
using Names = TSSStorage<std::string, Options<with<R>>>;
template <class R>
using Prices = TSDStorage<std::string, int, Options<with<R>>>;

using keys = std::vector<std::string>;
using items = std::vector<std::pair<std::string, int>>;
inline constexpr std::int64_t never = TimeTraits<std::int64_t>::never();

/// What a range or a series holds, sorted: keys, or pairs of key and value.
template <class Range>
auto sorted(const Range& range) {
    if constexpr (requires { (*range.begin()).key; }) {
        std::vector<std::pair<std::remove_cvref_t<decltype((*range.begin()).key)>,
                              std::remove_cvref_t<decltype((*range.begin()).value)>>>
            all;
        for (const auto item : range) all.emplace_back(item.key, item.value);
        std::sort(all.begin(), all.end());
        return all;
    } else {
        std::vector<std::remove_cvref_t<decltype(*range.begin())>> all;
        for (const auto& item : range) all.push_back(item);
        std::sort(all.begin(), all.end());
        return all;
    }
}

/// What std::invalid_argument says that f throws; "" if it throws none.
template <class F>
std::string refusal(F&& f) {
    return thrown_text<std::invalid_argument>(f);
}
inline bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

/// A set whose members came at time 1.
template <class R>
Names<R> set_of(const keys& members) {
    Names<R> set;
    auto w = set.write(1);
    for (const auto& key : members) w.add(key);
    return set;
}
/// A dictionary whose values were written at time 1.
template <class R>
Prices<R> dict_of(const items& values) {
    Prices<R> dict;
    auto w = dict.write(1);
    for (const auto& [key, value] : values) w.set(key, value);
    return dict;
}

} // namespace test

#endif
