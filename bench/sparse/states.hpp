// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Rows for ids of which each is in one of K states (4, 64, 4096):
//
// set_<K>     n ids in order, each set to a random state
// walk_<K>    the ids of four states are visited; per id
//
// A contender has set(index, state), sum_of(state) -> the indices of all that are in it, count(state).
#pragma once

#include "workload.hpp"

namespace bench::sparse {

inline constexpr std::uint16_t state_counts[] = {4, 64, 4096};

[[nodiscard]] inline std::vector<std::uint16_t> random_states(std::size_t n, std::uint16_t states, std::uint64_t purpose) {
    std::vector<std::uint16_t> values;
    for (const std::uint32_t state : random_positions(n, states, purpose)) values.push_back(static_cast<std::uint16_t>(state));
    return values;
}

template <class C>
SLOTWISE_BENCH_LOOP void set_all(C& contender, const std::vector<std::uint16_t>& states) {
    std::uint32_t index = 0;
    for (const std::uint16_t state : states) contender.set(index++, state);
}
template <class C>
SLOTWISE_BENCH_LOOP std::uint64_t sum_of_four(const C& contender) {
    std::uint64_t sum = 0;
    for (std::uint16_t state = 0; state != 4; ++state) sum += contender.sum_of(state);
    return sum;
}

template <class C>
void add_states(const std::string& name, Role role) {
    for (const std::size_t n : {std::size_t{10'000}, std::size_t{100'000}, std::size_t{1'000'000}})
        for (const std::uint16_t states : state_counts) {
            const auto add_row = [&](const char* operation, auto body) {
                add({operation + std::to_string(states), 2, n}, name, role, batches_for(n), [=](benchmark::State& state) {
                    C contender;
                    set_all(contender, random_states(n, states, 1));
                    return body(state, contender);
                });
            };
            add_row("set_", [=](benchmark::State& state, C& contender) {
                // Another order of states each time: the processor learns one by heart.
                std::vector<std::vector<std::uint16_t>> orders;
                for (std::uint64_t i = 0; i != 16; ++i) orders.push_back(random_states(n, states, 10 + i));
                std::size_t next = 0;
                const std::size_t passes = passes_for(n);
                timed_batches(
                    state, [] {},
                    [&] {
                        for (std::size_t pass = 0; pass != passes; ++pass) set_all(contender, orders[next++ % orders.size()]);
                    });
                return Measured{n * passes, sum_of_four(contender)};
            });
            add_row("walk_", [=](benchmark::State& state, C& contender) {
                std::size_t visited = 0;
                for (std::uint16_t each = 0; each != 4; ++each) visited += contender.count(each);
                const std::size_t passes = passes_for(visited, 1'000'000);
                return Measured{visited * passes,
                                timed_passes(state, passes, contender, [&] { return sum_of_four(contender); })};
            });
        }
}

} // namespace bench::sparse
