// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series with a history, and what must be true of one that was copied, moved or restored.
#ifndef SLOTWISE_TESTS_SERIES_WHOLE_HPP
#define SLOTWISE_TESTS_SERIES_WHOLE_HPP

#include "replica.hpp"

namespace test {

/// A history, and the beginning of a window: members of several pages, removed ones, reset ones, holes.
template <class Series>
void live(Series& series, std::uint64_t seed, Time last = 12) {
    Random random(seed);
    for (Time time = 1; time <= last; ++time) {
        auto w = series.write(time);
        for (int i = 0; i != 40; ++i) {
            const int key = static_cast<int>(random.below(150));
            const auto kind = random.below(10);
            if (kind < 3) {
                w.remove(key);
                continue;
            }
            if constexpr (is_set<Series>)
                w.add(key);
            else if constexpr (nests<Series>()) {
                if (kind == 3) w.remove(key);
                w.create(key);
                if (kind > 4) w.modify(key).add(static_cast<int>(random.below(9)));
            } else {
                if (kind == 3) w.remove(key);
                if (kind < 5)
                    w.create(key);
                else
                    w.set(key, i);
            }
        }
    }
}

/// The next calls give the same on both.
template <class Series, class Other>
void continues_like(Series& a, Other& b, Time time) {
    for (const Time when : {time, time + 1, time + 2}) {
        Random random(static_cast<std::uint64_t>(when));
        {
            auto w = a.write(when);
            auto v = b.write(when);
            for (int i = 0; i != 30; ++i) {
                const int key = static_cast<int>(random.below(160));
                if (random.chance(40)) {
                    REQUIRE(w.remove(key) == v.remove(key));
                    continue;
                }
                if constexpr (is_set<Series>)
                    REQUIRE(w.add(key) == v.add(key));
                else {
                    REQUIRE(w.create(key).it.slot() == v.create(key).it.slot());
                    if constexpr (nests<Series>())
                        w.modify(key).add(i), v.modify(key).add(i);
                    else
                        w.set(key, i), v.set(key, i);
                }
            }
        }
        REQUIRE(a.snapshot(NumberText()) == b.snapshot(NumberText()));
        REQUIRE(all_sound(a));
        REQUIRE(all_sound(b));
    }
}

template <class Series>
void is_as_new(Series& series) {
    REQUIRE(series.empty());
    REQUIRE(series.window() == never);
    REQUIRE_FALSE(series.valid());
    REQUIRE(series.pending() == 0);
    REQUIRE(capture(series, 12).empty());
    REQUIRE_FALSE(capture(series, 12).ticked);
    if constexpr (!is_set<Series>) REQUIRE_FALSE(series.keys().valid());
    REQUIRE(all_sound(series));
    live(series, 3, 2); // from an earlier time than before
    REQUIRE(series.window() == 2);
    REQUIRE_FALSE(series.empty());
    REQUIRE(all_sound(series));
}

} // namespace test

#endif
