// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what do entities with components cost?
//
// Bytes are those of the components that a row is about; P, V and Vec<2> to Vec<7> are three floats each.
//
// update_1, 2, 3, 5   P is changed by that many components less one; of n entities, `live` percent have all of them; an entity
// update_shuffled     as update_2, but the entities got P and V one by one, each in another random order
// update_26_tables    as update_2, each entity has one of 26 further components of 4 bytes
// update_1024_tables  as update_2, each entity has a set of 10 further components
// spawn, spawn_n      n entities of P and V, one by one or at once
// spawn_again         n entities after n others have been destroyed in random order
// despawn_1, 8        n entities of so many components, destroyed in random order
// add_remove_1, 8     n entities of so many components get one more, one entity after the other, and then lose it; 0 bytes: tag
// add_remove_random   the same of 1 and 4 bytes, in two random orders
// get, get_stale      P of n entities in random order, each checked; of n that are dead, and whose places others have
// churn, aged_update  ten rounds: every 7th, 11th, 13th entity loses one of its 3 components, every 17th dies, n / 10 more come
// toggled             as update_2, V of `live` percent is enabled (else: there)
// toggle              V of a random entity is disabled and enabled
// memory              bytes an entity of P and V
#pragma once

#include "../support/memory_use.hpp"
#include "world.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

namespace bench::ecs {

inline constexpr std::size_t sizes[] = {1'000, 10'000, 100'000, 1'000'000};
inline constexpr std::size_t sizes_of_changes[] = {10'000, 100'000, 1'000'000};

[[nodiscard]] constexpr std::size_t passes_for(std::size_t n, std::size_t items = 200'000) noexcept {
    return std::max<std::size_t>(1, items / n);
}
[[nodiscard]] constexpr int batches_for(std::size_t n) noexcept { return n >= 1'000'000 ? 3 : 9; }

// Worlds are large and are not moved.
template <class W>
using Owned = std::unique_ptr<W>;
template <class W>
using Entities = std::vector<typename W::Entity>;

// n entities of these components, the values of the last one being different.
template <class W, class... C>
[[nodiscard]] Entities<W> filled(W& world, std::size_t n) {
    Entities<W> entities(n);
    for (std::size_t i = 0; i != n; ++i) entities[i] = world.spawn(component<C>(i)...);
    return entities;
}
template <class W>
[[nodiscard]] Entities<W> in_order(const Entities<W>& entities, const std::vector<std::uint32_t>& order) {
    Entities<W> ordered;
    ordered.reserve(order.size());
    for (const std::uint32_t i : order) ordered.push_back(entities[i]);
    return ordered;
}
template <class W>
void fill_eight(W& world, Entities<W>& entities) {
    entities = filled<W, P, V, Vec<2>, Vec<3>, Vec<4>, Vec<5>, Vec<6>, Vec<7>>(world, entities.size());
}
// Spread evenly, in no order.
[[nodiscard]] inline bool is_live(std::size_t i, int percent) { return i * 37 % 100 < static_cast<std::size_t>(percent); }

//=== rows: walks ===//

template <int count, class W>
Measured timed_update(benchmark::State& state, W& world, std::size_t n) {
    const std::size_t passes = passes_for(n, 500'000);
    timed_batches(
        state, [] {},
        [&] {
            for (std::size_t pass = 0; pass != passes; ++pass) {
                benchmark::ClobberMemory();
                update<count>(world);
            }
        });
    return {n * passes, sum_of_positions(world)};
}

template <class W, int count>
void add_update(const std::string& name, Role role) {
    for (const std::size_t n : sizes)
        for (const int live : {100, 50, 10}) {
            const std::size_t few = n * static_cast<std::size_t>(live) / 100;
            add({"update_" + std::to_string(count), count * sizeof(P), n, live}, name, role, batches_for(n),
                [=](benchmark::State& state) {
                    const Owned<W> world = std::make_unique<W>();
                    for (std::size_t i = 0; i != n; ++i)
                        [&]<int... each>(std::integer_sequence<int, each...>) {
                            if (is_live(i, live))
                                world->spawn(component<Vec<each>>(i)..., component<Vec<count - 1>>(i));
                            else
                                world->spawn(component<Vec<each>>(i)..., component<Vec<7>>(i));
                        }(std::make_integer_sequence<int, count - 1>());
                    return Measured{timed_update<count>(state, *world, n).items / n * few, sum_of_positions(*world)};
                });
        }
}

template <class W>
void add_walks(const std::string& name, Role role) {
    add_update<W, 1>(name, role);
    add_update<W, 2>(name, role);
    add_update<W, 3>(name, role);
    add_update<W, 5>(name, role);
    if constexpr (requires(W& world, typename W::Entity entity) { world.template add<P>(entity, P()); })
        for (const std::size_t n : sizes)
            add({"update_shuffled", 2 * sizeof(P), n}, name, role, batches_for(n), [n](benchmark::State& state) {
                const Owned<W> world = std::make_unique<W>();
                const Entities<W> entities = filled(*world, n);
                for (const std::uint32_t i : shuffled(n, 1)) world->template add<P>(entities[i], component<P>(i));
                for (const std::uint32_t i : shuffled(n, 2)) world->template add<V>(entities[i], component<V>(i));
                return timed_update<2>(state, *world, n);
            });
    const auto add_tables = [&](const char* operation, std::size_t tables, std::size_t n) {
        add({operation, 2 * sizeof(P), n}, name, role, batches_for(n), [n, tables](benchmark::State& state) {
            const Owned<W> world = std::make_unique<W>();
            for (std::size_t i = 0; i != n; ++i) {
                const auto table = static_cast<std::uint32_t>(i % tables);
                spawn_in(*world, tables <= kinds ? 1u << table : table, i);
            }
            return timed_update<2>(state, *world, n);
        });
    };
    for (const std::size_t n : {std::size_t{520}, std::size_t{100'000}, std::size_t{1'000'000}})
        add_tables("update_26_tables", 26, n);
    for (const std::size_t n : {std::size_t{16'384}, std::size_t{1'000'000}}) add_tables("update_1024_tables", 1024, n);
}

//=== rows: entities come and go, get and lose components ===//

template <class C, class W>
void add_remove_row(const std::string& operation, const std::string& name, Role role, bool eight, bool random = false,
                    bool sparse = false) {
    for (const std::size_t n : sizes_of_changes)
        add({operation, std::is_empty_v<C> ? 0 : sizeof(C), n}, name, role, batches_for(n), [=](benchmark::State& state) {
            const Owned<W> world = std::make_unique<W>();
            if constexpr (requires { world->template make_sparse<C>(); })
                if (sparse) world->template make_sparse<C>();
            Entities<W> entities(n);
            if (eight)
                fill_eight(*world, entities);
            else
                entities = filled<W, P>(*world, n);
            const Entities<W> there = random ? in_order<W>(entities, shuffled(n, 1)) : entities;
            const Entities<W> back = random ? in_order<W>(entities, shuffled(n, 2)) : entities;
            const std::size_t passes = passes_for(n, 20'000);
            timed_batches(
                state, [] {},
                [&] {
                    for (std::size_t pass = 0; pass != passes; ++pass) {
                        add_each<C>(*world, there);
                        remove_each<C>(*world, back);
                    }
                });
            add_each<C>(*world, there);
            std::uint64_t left = 0;
            world->template each<const C>([&](const C&) { ++left; });
            return Measured{n * passes, left + sum_of_positions(*world)};
        });
}

// prepare and run in each of so many worlds that a batch is long enough for the clock.
template <class W, class Prepare, class Run>
Measured timed_worlds(benchmark::State& state, std::size_t count, Prepare prepare, Run run) {
    std::vector<Owned<W>> worlds(passes_for(count, 10'000));
    timed_batches(
        state,
        [&] {
            for (auto& world : worlds) world.reset();
            for (auto& world : worlds) prepare(*(world = std::make_unique<W>()));
        },
        [&] {
            for (auto& world : worlds) run(*world);
        });
    return Measured{count * worlds.size(), sum_of_positions(*worlds.back())};
}

template <class W>
void add_spawns(const std::string& name, Role role) {
    for (const std::size_t n : sizes_of_changes) {
        const auto add_row = [&](const char* operation, std::size_t bytes, auto body) {
            add({operation, bytes, n}, name, role, batches_for(n), [n, body](benchmark::State& state) {
                const Owned<W> world = std::make_unique<W>();
                return body(state, *world, n);
            });
        };
        add_row("spawn", 2 * sizeof(P), [](benchmark::State& state, W&, std::size_t count) {
            Entities<W> entities(count);
            return timed_worlds<W>(
                state, count, [](W&) {}, [&](W& world) { spawn_each(world, entities, component<P>(3), component<V>(3)); });
        });
        if constexpr (requires(W& world) { world.spawn_n(std::size_t{}, P(), V()); })
            add_row("spawn_n", 2 * sizeof(P), [](benchmark::State& state, W&, std::size_t count) {
                return timed_worlds<W>(
                    state, count, [](W&) {}, [&](W& world) { world.spawn_n(count, component<P>(3), component<V>(3)); });
            });
        add_row("get", sizeof(P), [](benchmark::State& state, W& world, std::size_t count) {
            const Entities<W> entities = in_order<W>(filled<W, P, V>(world, count), shuffled(count, 1));
            const std::size_t passes = passes_for(count);
            return Measured{count * passes, timed_passes(state, passes, world, [&] { return look_up(world, entities); })};
        });
        add({"memory", 2 * sizeof(P), n}, name, role, 1, [n](benchmark::State& state) {
            const Owned<W> world = std::make_unique<W>();
            for (auto _ : state) {
                const std::size_t empty = malloc_bytes();
                for (std::size_t i = 0; i != n; ++i) world->spawn(component<P>(i), component<V>(i));
                report_value(state, static_cast<double>(malloc_bytes() - empty) / static_cast<double>(n));
            }
            return Measured{n, sum_of_positions(*world)};
        });
    }
}

template <class W>
void add_changes(const std::string& name, Role role) {
    for (const std::size_t n : sizes_of_changes) {
        const auto add_row = [&](const char* operation, std::size_t bytes, auto body) {
            add({operation, bytes, n}, name, role, batches_for(n), [n, body](benchmark::State& state) {
                const Owned<W> world = std::make_unique<W>();
                return body(state, *world, n);
            });
        };
        add_row("spawn_again", 2 * sizeof(P), [](benchmark::State& state, W&, std::size_t count) {
            Entities<W> entities(count);
            return timed_worlds<W>(
                state, count,
                [&](W& world) {
                    spawn_each(world, entities, component<P>(3), component<V>(3));
                    despawn_each(world, in_order<W>(entities, shuffled(count, 1)));
                },
                [&](W& world) { spawn_each(world, entities, component<P>(3), component<V>(3)); });
        });
        const auto despawn = [](benchmark::State& state, W& world, std::size_t count, auto fill) {
            Entities<W> entities(count);
            const auto order = shuffled(count, 1);
            timed_batches(
                state,
                [&] {
                    fill(world, entities);
                    entities = in_order<W>(entities, order);
                },
                [&] { despawn_each(world, entities); });
            fill(world, entities);
            return Measured{count, sum_of_positions(world)};
        };
        add_row("despawn_1", sizeof(P), [despawn](benchmark::State& state, W& world, std::size_t count) {
            return despawn(state, world, count,
                           [](W& w, Entities<W>& entities) { entities = filled<W, P>(w, entities.size()); });
        });
        add_row("despawn_8", 8 * sizeof(P), [despawn](benchmark::State& state, W& world, std::size_t count) {
            return despawn(state, world, count, fill_eight<W>);
        });
        add_row("get_stale", sizeof(P), [](benchmark::State& state, W& world, std::size_t count) {
            const Entities<W> entities = in_order<W>(filled<W, P, V>(world, count), shuffled(count, 1));
            despawn_each(world, entities);
            static_cast<void>(filled<W, P, V>(world, count));
            const std::size_t passes = passes_for(count);
            return Measured{count * passes, timed_passes(state, passes, world, [&] { return look_up(world, entities); })};
        });
        add_row("toggle", sizeof(V), [](benchmark::State& state, W& world, std::size_t count) {
            allow_toggle<V>(world);
            const Entities<W> entities =
                in_order<W>(filled<W, P, V>(world, count), random_positions(std::max<std::size_t>(count, 20'000), count, 5));
            timed_batches(
                state, [] {}, [&] { toggle_each(world, entities); });
            update_2(world);
            return Measured{entities.size(), count};
        });
        // Both after ten rounds: their time, and that of a walk afterwards.
        const auto churn = [](W& world, Entities<W>& entities, std::size_t count) {
            for (int round = 0; round != 10; ++round) {
                std::size_t kept = 0;
                for (std::size_t i = 0; i != entities.size(); ++i) {
                    const auto entity = entities[i];
                    if (i % 17 == 0) {
                        world.despawn(entity);
                        continue;
                    }
                    if (i % 7 == 0) world.template remove<P>(entity);
                    if (i % 11 == 0) world.template remove<V>(entity);
                    if (i % 13 == 0) world.template remove<Vec<2>>(entity);
                    entities[kept++] = entity;
                }
                entities.resize(kept);
                for (std::size_t i = 0; i != count / 10; ++i)
                    entities.push_back(world.spawn(component<P>(i), component<V>(i), component<Vec<2>>(i)));
            }
        };
        add_row("churn", 3 * sizeof(P), [churn](benchmark::State& state, W&, std::size_t count) {
            Owned<W> world;
            Entities<W> entities;
            timed_batches(
                state,
                [&] {
                    world = std::make_unique<W>();
                    entities = filled<W, P, V, Vec<2>>(*world, count);
                },
                [&] { churn(*world, entities, count); });
            return Measured{10 * count, sum_of_positions(*world)};
        });
        add_row("aged_update", 3 * sizeof(P), [churn](benchmark::State& state, W& world, std::size_t count) {
            Entities<W> entities = filled<W, P, V, Vec<2>>(world, count);
            churn(world, entities, count);
            return timed_update<3>(state, world, count);
        });
        for (const int live : {1, 50, 99})
            add({"toggled", 2 * sizeof(P), n, live}, name, role, batches_for(n), [n, live](benchmark::State& state) {
                const Owned<W> world = std::make_unique<W>();
                allow_toggle<V>(*world);
                const Entities<W> entities = filled<W, P, V>(*world, n);
                for (const std::uint32_t i : shuffled(n, 1))
                    if (!is_live(i, live)) disable<V>(*world, entities[i]);
                return timed_update<2>(state, *world, n);
            });
    }
    add_remove_row<Small, W>("add_remove_1", name, role, false);
    add_remove_row<Small, W>("add_remove_8", name, role, true);
    add_remove_row<Big, W>("add_remove_1", name, role, false);
    add_remove_row<Big, W>("add_remove_8", name, role, true);
    add_remove_row<Tag, W>("add_remove_1", name, role, false);
    add_remove_row<Tag, W>("add_remove_8", name, role, true);
    add_remove_row<Small, W>("add_remove_random", name, role, false, true);
}

} // namespace bench::ecs
