// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what does data cost that is found by ids from elsewhere, and walked packed?
//
// contains_hit    n lookups of members in random order
// contains_miss   n lookups of ids that are no members: other versions of members, where ids have versions
// get             n lookups of values of members in random order; the values are added up
// insert          n inserts into an empty container, in order of the ids
// churn           n entries; erase one at random and insert it again; per pair
// iterate         every value is added up, in whatever order
// update          every value is changed, in whatever order
// group_update    two columns over the same n ids, in other orders at first: one is added to the other
// group_churn     n ids; one at random loses its entry in one of the two columns and gets it back; per pair
//
// Values are 4 bytes, ids are 0 to n - 1. A contender has id(i), other(i), insert(id, value), erase(id), get(id) -> pointer or
// reference to the value, contains(id), sum(), update(), size(); for groups insert(i), update(), churn(i), sum().
#pragma once

#include "../support/harness.hpp"
#include "../support/sequence.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bench::sparse {

inline constexpr std::size_t sizes[] = {1'000, 10'000, 100'000, 1'000'000};

// At least 50 us of work a batch.
[[nodiscard]] constexpr std::size_t passes_for(std::size_t n, std::size_t items = 200'000) noexcept {
    return std::max<std::size_t>(1, items / n);
}
[[nodiscard]] constexpr int batches_for(std::size_t n) noexcept { return n >= 1'000'000 ? 3 : 9; }

template <class C>
using id_of = decltype(C::id(0));

template <class C>
[[nodiscard]] std::vector<id_of<C>> ids_in(const std::vector<std::uint32_t>& order) {
    std::vector<id_of<C>> ids;
    for (const std::uint32_t i : order) ids.push_back(C::id(i));
    return ids;
}
template <class C>
[[nodiscard]] std::vector<id_of<C>> ids_in_order(std::size_t n) {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    return ids_in<C>(order);
}

//=== the measured loops ===//

template <class C>
SLOTWISE_BENCH_LOOP void fill(C& contender, const std::vector<id_of<C>>& ids) {
    int value = 0;
    for (const auto id : ids) contender.insert(id, value++);
}
template <class C>
SLOTWISE_BENCH_LOOP std::uint64_t count_members(const C& contender, const std::vector<id_of<C>>& ids) {
    std::uint64_t members = 0;
    for (const auto id : ids) members += contender.contains(id);
    return members;
}
template <class C>
SLOTWISE_BENCH_LOOP std::uint64_t look_up(const C& contender, const std::vector<id_of<C>>& ids) {
    std::uint64_t sum = 0;
    for (const auto id : ids) sum += static_cast<std::uint32_t>(contender.get(id));
    return sum;
}
template <class C>
SLOTWISE_BENCH_LOOP void churn(C& contender, const std::vector<id_of<C>>& ids) {
    for (const auto id : ids) {
        contender.erase(id);
        contender.insert(id, 1);
    }
}
template <class C>
SLOTWISE_BENCH_LOOP std::uint32_t sum_of(const C& contender) {
    return contender.sum();
}
template <class C>
SLOTWISE_BENCH_LOOP void update(C& contender) {
    contender.update();
}
template <class C>
SLOTWISE_BENCH_LOOP void churn_group(C& contender, const std::vector<std::uint32_t>& indices) {
    for (const std::uint32_t i : indices) contender.churn(i);
}

//=== rows ===//

// Registers the rows of a map from ids to 4 bytes.
template <class C>
void add_map(const std::string& name, Role role) {
    for (const std::size_t size : sizes) {
        const auto add_row = [&](const char* operation, auto body) {
            add({operation, 4, size}, name, role, batches_for(size), [size, body](benchmark::State& state) {
                C contender;
                fill(contender, ids_in_order<C>(size));
                return body(state, contender, size);
            });
        };
        add_row("contains_hit", [](benchmark::State& state, C& contender, std::size_t n) {
            const auto ids = ids_in<C>(shuffled(n, 1));
            return Measured{n * passes_for(n),
                            timed_passes(state, passes_for(n), contender, [&] { return count_members(contender, ids); })};
        });
        add_row("contains_miss", [](benchmark::State& state, C& contender, std::size_t n) {
            std::vector<id_of<C>> ids;
            for (const std::uint32_t i : shuffled(n, 1)) ids.push_back(C::other(i));
            return Measured{n * passes_for(n),
                            timed_passes(state, passes_for(n), contender, [&] { return count_members(contender, ids); })};
        });
        add_row("get", [](benchmark::State& state, C& contender, std::size_t n) {
            const auto ids = ids_in<C>(shuffled(n, 1));
            return Measured{n * passes_for(n),
                            timed_passes(state, passes_for(n), contender, [&] { return look_up(contender, ids); })};
        });
        add_row("iterate", [](benchmark::State& state, C& contender, std::size_t n) {
            const std::size_t passes = passes_for(n, 1'000'000);
            return Measured{n * passes, timed_passes(state, passes, contender, [&] { return sum_of(contender); })};
        });
        add_row("update", [](benchmark::State& state, C& contender, std::size_t n) {
            const std::size_t passes = passes_for(n, 1'000'000);
            return Measured{n * passes, timed_passes(state, passes, contender, [&] {
                                update(contender);
                                return contender.size();
                            })};
        });
        if constexpr (requires(C& c) { c.erase(C::id(0)); }) {
            add_row("churn", [](benchmark::State& state, C& contender, std::size_t n) {
                const auto ids = ids_in<C>(random_positions(std::max<std::size_t>(n, 100'000), n, 5));
                timed_batches(
                    state, [] {}, [&] { churn(contender, ids); });
                return Measured{ids.size(), look_up(contender, ids_in_order<C>(n))};
            });
            add_row("insert", [](benchmark::State& state, C& full, std::size_t n) {
                std::vector<std::optional<C>> contenders(passes_for(n, 100'000));
                const auto ids = ids_in_order<C>(n);
                timed_batches(
                    state,
                    [&] {
                        for (auto& each : contenders) each.reset();
                        for (auto& each : contenders) each.emplace();
                    },
                    [&] {
                        for (auto& each : contenders) fill(*each, ids);
                    });
                return Measured{n * contenders.size(), full.size() + contenders.back()->size()};
            });
        }
    }
}

// Registers the rows of two columns over the same ids.
template <class C>
void add_group(const std::string& name, Role role) {
    for (const std::size_t size : sizes) {
        const auto add_row = [&](const char* operation, auto body) {
            add({operation, 8, size}, name, role, batches_for(size), [size, body](benchmark::State& state) {
                C contender;
                contender.fill(shuffled(size, 1), shuffled(size, 2));
                return body(state, contender, size);
            });
        };
        add_row("group_update", [](benchmark::State& state, C& contender, std::size_t n) {
            const std::size_t passes = passes_for(n, 1'000'000);
            timed_passes(state, passes, contender, [&] {
                update(contender);
                return 0;
            });
            return Measured{n * passes, contender.size()};
        });
        if constexpr (requires(C& c) { c.churn(0); })
            add_row("group_churn", [](benchmark::State& state, C& contender, std::size_t n) {
                const auto indices = random_positions(std::max<std::size_t>(n, 100'000), n, 5);
                timed_batches(
                    state, [] {}, [&] { churn_group(contender, indices); });
                return Measured{indices.size(), contender.size()};
            });
    }
}

} // namespace bench::sparse
