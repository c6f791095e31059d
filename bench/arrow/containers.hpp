// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// The containers of the question, filled alike for whoever exports them.
#pragma once

#include "workload.hpp"

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/rows/soa_vector.hpp>
#include <slotwise/series/tsd_storage.hpp>

namespace bench::arrow {

using Numbers = slotwise::SlotMap<double>;
using Texts = slotwise::SlotMap<std::string>;
using Map = slotwise::MapStorage<Key, double>;
using Rows = slotwise::SoaVector<double, float, std::int64_t, std::int32_t>;
using Series = slotwise::TSDStorage<Key, double>;

[[nodiscard]] inline Numbers numbers(std::size_t n) {
    Numbers map;
    for (std::size_t i = 0; i != n; ++i) map.insert(number_of(i));
    return map;
}
// Every tenth is free, and the handles of all.
[[nodiscard]] inline std::pair<Numbers, std::vector<Numbers::handle_type>> numbers_with_holes(std::size_t n) {
    std::pair<Numbers, std::vector<Numbers::handle_type>> result;
    for (std::size_t i = 0; i != n; ++i) result.second.push_back(result.first.insert(number_of(i)));
    for (std::size_t i = 0; i != n; ++i)
        if (is_hole(i)) result.first.erase(result.second[i]);
    return result;
}
[[nodiscard]] inline Texts texts(std::size_t n) {
    Texts map;
    for (std::size_t i = 0; i != n; ++i) map.insert(text_of(i));
    return map;
}
[[nodiscard]] inline Map keys_and_numbers(std::size_t n) {
    Map map;
    for (std::size_t i = 0; i != n; ++i) map.insert(key_of(i), number_of(i));
    return map;
}
[[nodiscard]] inline Rows rows(std::size_t n) {
    Rows rows;
    for (std::size_t i = 0; i != n; ++i)
        rows.push_back(number_of(i), static_cast<float>(i % 1000), static_cast<std::int64_t>(i),
                       static_cast<std::int32_t>(i % 77));
    return rows;
}
inline void write(Series& series, const std::uint32_t* changed, std::size_t n, std::int64_t time) {
    auto writer = series.write(time);
    for (std::size_t i = 0; i != n; ++i) writer.set(key_of(changed[i]), static_cast<double>(time) + number_of(changed[i]));
}
inline void fill(Series& series, std::size_t n) {
    auto writer = series.write(1);
    for (std::size_t i = 0; i != n; ++i) writer.set(key_of(i), number_of(i));
}
// Of what a map or a series holds.
template <class M>
[[nodiscard]] std::uint64_t sum_of(const M& map) {
    std::uint64_t sum = 0;
    for (const auto& [key, value] : map.items()) sum += key * static_cast<std::uint64_t>(value * 2);
    return sum;
}

/// A series and a second one of the same state. A contender brings the changes of a window from the one to the other.
struct Replica {
    explicit Replica(std::size_t n) {
        fill(original, n);
        fill(replica, n);
    }
    void prepare(const std::uint32_t* changed, std::int64_t time) { write(original, changed, changes, time); }
    [[nodiscard]] std::uint64_t sum() const { return sum_of(replica); }

    Series original, replica;
};

} // namespace bench::arrow
