// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Rows for what makes ids and knows which live:
//
// create          n ids, none of which was used before
// entity_churn    n ids; one at random dies and another is made; per pair
// is_alive        n living ids in random order
// create_n        n dead ids live again, at once
//
// A contender has create(), destroy(id), is_alive(id), size(), and may have create_n(n) and clear().
#pragma once

#include "workload.hpp"

namespace bench::sparse {

template <class C>
using made_id = decltype(std::declval<C&>().create());

template <class C>
SLOTWISE_BENCH_LOOP void create_all(C& contender, std::vector<made_id<C>>& ids) {
    for (auto& id : ids) id = contender.create();
}
template <class C>
SLOTWISE_BENCH_LOOP void replace(C& contender, std::vector<made_id<C>>& ids, const std::vector<std::uint32_t>& positions) {
    for (const std::uint32_t i : positions) {
        contender.destroy(ids[i]);
        ids[i] = contender.create();
    }
}
template <class C>
SLOTWISE_BENCH_LOOP std::uint64_t count_alive(const C& contender, const std::vector<made_id<C>>& ids) {
    std::uint64_t alive = 0;
    for (const auto id : ids) alive += contender.is_alive(id);
    return alive;
}

template <class C>
void add_entities(const std::string& name, Role role) {
    for (const std::size_t n : sizes) {
        const auto add_row = [&](const char* operation, auto body) {
            add({operation, 8, n}, name, role, batches_for(n), [n, body](benchmark::State& state) {
                C contender;
                std::vector<made_id<C>> ids(n);
                create_all(contender, ids);
                return body(state, contender, ids);
            });
        };
        add_row("create", [](benchmark::State& state, C& full, std::vector<made_id<C>>& ids) {
            std::vector<std::optional<C>> contenders(passes_for(ids.size(), 100'000));
            timed_batches(
                state,
                [&] {
                    for (auto& each : contenders) each.reset();
                    for (auto& each : contenders) each.emplace();
                },
                [&] {
                    for (auto& each : contenders) create_all(*each, ids);
                });
            return Measured{ids.size() * contenders.size(), full.size() + contenders.back()->size()};
        });
        add_row("entity_churn", [](benchmark::State& state, C& contender, std::vector<made_id<C>>& ids) {
            const auto positions = random_positions(std::max<std::size_t>(ids.size(), 100'000), ids.size(), 5);
            timed_batches(
                state, [] {}, [&] { replace(contender, ids, positions); });
            return Measured{positions.size(), contender.size()};
        });
        add_row("is_alive", [](benchmark::State& state, C& contender, std::vector<made_id<C>>& ids) {
            std::vector<made_id<C>> mixed;
            for (const std::uint32_t i : shuffled(ids.size(), 1)) mixed.push_back(ids[i]);
            return Measured{ids.size() * passes_for(ids.size()), timed_passes(state, passes_for(ids.size()), contender,
                                                                              [&] { return count_alive(contender, mixed); })};
        });
        if constexpr (requires(C& c) { c.create_n(1), c.clear(); })
            add_row("create_n", [](benchmark::State& state, C& contender, std::vector<made_id<C>>& ids) {
                std::vector<C> contenders(passes_for(ids.size()), contender);
                std::uint64_t living = 0;
                timed_batches(
                    state,
                    [&] {
                        for (auto& each : contenders) each.clear();
                    },
                    [&] {
                        for (auto& each : contenders) living = each.create_n(ids.size());
                    });
                return Measured{ids.size() * contenders.size(), living};
            });
    }
}

} // namespace bench::sparse
