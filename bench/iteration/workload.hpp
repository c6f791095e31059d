// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what does it cost to visit every live element, as holes appear?
//
// n elements are inserted, a random subset is erased, one field of every element still there is added up. Time is per live
// element. Every contender gets the same values and erases the same elements in the same order.
#pragma once

#include "../support/contender.hpp"
#include "../support/sequence.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

namespace bench::iteration {

inline constexpr int densities[] = {100, 90, 50, 10};
inline constexpr std::size_t sizes[] = {1'000, 10'000, 100'000, 1'000'000};

// A contender can sum().
template <class C>
Measured iterate(benchmark::State& state, std::size_t n, int live_percent) {
    C contender;
    const std::size_t live = n * static_cast<std::size_t>(live_percent) / 100;
    static_cast<void>(populate(contender, n, shuffled(n, 1), n - live));
    const std::size_t passes = std::max<std::size_t>(1, 1'000'000 / live); // at least 50 us at 0.05 ns an element
    const auto sum = timed_passes(state, passes, contender, [&] { return sum_of(contender); });
    return {live * passes, sum};
}

// Registers Contender<T> for the three element types.
template <template <class> class Contender>
SLOTWISE_BENCH_PER_FILE void add_contender(const std::string& name, Role role, std::size_t largest = 1'000'000) {
    const auto add_type = [&]<class T>(std::type_identity<T>) {
        for (const std::size_t n : sizes) {
            if (n > largest) continue;
            for (const int live : densities) {
                add({"iterate", sizeof(T), n, live}, name, role, 5,
                    [n, live](benchmark::State& state) { return iterate<Contender<T>>(state, n, live); });
            }
        }
    };
    for_each_element_type(add_type);
}

} // namespace bench::iteration
