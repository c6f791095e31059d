// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what does it cost to visit every live element, as holes appear?
//
// n elements are inserted, a random subset is erased, one field of every element still there is added up. Time is per live
// element. Every contender gets the same values and erases the same elements in the same order.
#pragma once

#include "../support/element.hpp"
#include "../support/harness.hpp"
#include "../support/sequence.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace bench::iteration {

inline constexpr int densities[] = {100, 90, 50, 10};
inline constexpr std::size_t sizes[] = {1'000, 10'000, 100'000, 1'000'000};

// One call a pass.
template <class Contender>
SLOTWISE_BENCH_LOOP field_t<typename Contender::value_type> sum_of(const Contender& contender) {
    return contender.sum();
}

// A contender has value_type, insert(const T&) -> handle, erase(handle), sum() and, if it wants a last word after the
// erasures, settle().
template <class Contender>
Measured iterate(benchmark::State& state, std::size_t n, int live_percent) {
    using T = typename Contender::value_type;
    Contender contender;
    {
        using Handle = decltype(contender.insert(values<T>()[0]));
        std::vector<Handle> handles;
        handles.reserve(n);
        for (std::size_t i = 0; i < n; ++i) handles.push_back(contender.insert(values<T>()[i]));
        const std::vector<std::uint32_t> order = shuffled(n, 1);
        const std::size_t erased = n * static_cast<std::size_t>(100 - live_percent) / 100;
        for (std::size_t i = 0; i < erased; ++i) contender.erase(handles[order[i]]);
        if constexpr (requires { contender.settle(); }) contender.settle();
    }
    const std::size_t live = n * static_cast<std::size_t>(live_percent) / 100;
    const std::size_t passes = std::max<std::size_t>(1, 1'000'000 / live); // at least 50 us at 0.05 ns an element
    field_t<T> sum{};
    timed_batches(
        state, [] {},
        [&] {
            for (std::size_t pass = 0; pass < passes; ++pass) {
                benchmark::DoNotOptimize(&contender);
                benchmark::ClobberMemory();
                sum = sum_of(contender);
                benchmark::DoNotOptimize(sum);
            }
        });
    return {live * passes, sum};
}

// Registers Contender<T> for the three element types.
template <template <class> class Contender>
void add_contender(const std::string& name, Role role, std::size_t largest = 1'000'000) {
    const auto add_type = [&]<class T>(std::type_identity<T>) {
        for (const std::size_t n : sizes) {
            if (n > largest) continue;
            for (const int live : densities) {
                add({"iterate", sizeof(T), n, live}, name, role, 5,
                    [n, live](benchmark::State& state) { return iterate<Contender<T>>(state, n, live); });
            }
        }
    };
    add_type(std::type_identity<Element4>{});
    add_type(std::type_identity<Element16>{});
    add_type(std::type_identity<Element64>{});
}

} // namespace bench::iteration
