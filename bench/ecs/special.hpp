// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// What not every contender can do. It is registered for those that have the functions named in parentheses.
//
// tables_made (watch)              1,023 tables come into being, by 1 to 10 components added one by one, while 100 cached
//                                  queries are alive; a table
// walk_started (add)               10 of 1,000 tables match, with one entity each; a walk
// changed_10 (track, next_tick,    P of ten of n entities was changed: they are found; one of them
//   touch, each_changed)
// deferred (defer_spawn,           n entities of P and V are recorded, and another P for each of them; applied; a command
//   defer_set, apply)
// add_remove_sparse_1, 8           as add_remove, of a component that is kept outside the tables where there is a way to say so
//   (make_sparse)
// state_set_k (make_states,        n entities in random order get another one of k states, one after the other
//   set_state)
// state_walk_k (count_in)          the entities in each of the states; an entity
// save, load                       n entities of P and V become bytes, and the bytes entities
#pragma once

#include "workload.hpp"

namespace bench::ecs {

template <class W>
SLOTWISE_BENCH_LOOP std::uint64_t count_changed(W& world) {
    std::uint64_t found = 0;
    world.each_changed([&](const P& p) { found += p.z == 2; });
    return found;
}
template <class W>
SLOTWISE_BENCH_LOOP std::uint64_t walk_small(W& world) {
    std::uint64_t sum = 0;
    world.template each<const Small>([&](const Small& c) { sum += static_cast<std::uint64_t>(c.value); });
    return sum;
}
template <class W>
SLOTWISE_BENCH_LOOP void make_tables(W& world) {
    for (std::uint32_t mask = 1; mask != 1024; ++mask) spawn_in(world, mask, mask);
}
template <class W>
SLOTWISE_BENCH_LOOP void defer_each(W& world, std::size_t n) {
    for (std::size_t i = 0; i != n; ++i) {
        const auto entity = world.defer_spawn(component<P>(3), component<V>(3));
        world.defer_set(entity, component<P>(i));
    }
    world.apply();
}

template <class W>
void add_deferred(const std::string& name, Role role) {
    for (const std::size_t n : sizes_of_changes)
        add({"deferred", 2 * sizeof(P), n}, name, role, batches_for(n), [n](benchmark::State& state) {
            Measured measured = timed_worlds<W>(
                state, n, [](W&) {}, [&](W& world) { defer_each(world, n); });
            measured.items *= 2;
            return measured;
        });
}

template <class W>
SLOTWISE_BENCH_LOOP void set_states(W& world, const Entities<W>& entities, std::uint32_t states, std::uint32_t from) {
    std::uint32_t state = from;
    for (const auto entity : entities) world.set_state(entity, state = state + 1 < states ? state + 1 : 0);
}
template <class W>
void add_states(const std::string& name, Role role) {
    for (const std::size_t n : sizes_of_changes)
        for (const std::uint32_t states : {4u, 64u, 4096u}) {
            const auto add_row = [&](const char* operation, auto body) {
                add({operation + std::to_string(states), 0, n}, name, role, batches_for(n), [=](benchmark::State& state) {
                    const Owned<W> world = std::make_unique<W>();
                    world->make_states(states);
                    const Entities<W> entities = in_order<W>(filled<W, P>(*world, n), shuffled(n, 5));
                    set_states(*world, entities, states, 0);
                    return body(state, *world, entities);
                });
            };
            const auto count = [states](W& world) {
                std::uint64_t sum = 0;
                for (std::uint32_t k = 0; k != states; ++k) sum = sum * 3 + world.count_in(k);
                return sum;
            };
            add_row("state_set_", [=](benchmark::State& state, W& world, const Entities<W>& entities) {
                std::uint32_t from = 0;
                timed_batches(
                    state, [&] { ++from; }, [&] { set_states(world, entities, states, from % states); });
                return Measured{n, count(world)};
            });
            add_row("state_walk_", [=](benchmark::State& state, W& world, const Entities<W>&) {
                const std::size_t passes = passes_for(n, 500'000);
                return Measured{n * passes, timed_passes(state, passes, world, [&] { return count(world); })};
            });
        }
}
template <class W>
void add_saves(const std::string& name, Role role) {
    for (const std::size_t n : sizes_of_changes)
        for (const bool loads : {false, true})
            add({loads ? "load" : "save", 2 * sizeof(P), n}, name, role, batches_for(n), [n, loads](benchmark::State& state) {
                const Owned<W> world = std::make_unique<W>();
                for (std::size_t i = 0; i != n; ++i) world->spawn(component<P>(i), component<V>(i));
                const std::size_t passes = passes_for(n, 50'000);
                auto saved = world->save();
                timed_batches(
                    state, [] {},
                    [&] {
                        for (std::size_t pass = 0; pass != passes; ++pass)
                            if (loads)
                                world->load(saved);
                            else
                                saved = world->save();
                    });
                if (!loads) world->load(saved);
                return Measured{n * passes, sum_of_positions(*world)};
            });
}

template <class W>
void add_special(const std::string& name, Role role) {
    if constexpr (requires(W& world, typename W::Entity entity) { world.template add<Kind<0>>(entity, Kind<0>()); })
        add({"walk_started", sizeof(Small), 1000}, name, role, 9, [](benchmark::State& state) {
            const Owned<W> world = std::make_unique<W>();
            for (std::uint32_t i = 0; i != 1000; ++i) {
                const auto entity = spawn_in(*world, i, i);
                if (i % 100 == 7) world->template add<Small>(entity, component<Small>(i));
            }
            return Measured{1000, timed_passes(state, 1000, *world, [&] { return walk_small(*world); })};
        });
    if constexpr (requires(W& world) { world.watch(0, true, true); })
        add({"tables_made", sizeof(Small), 1023}, name, role, 9, [](benchmark::State& state) {
            Owned<W> world;
            timed_batches(
                state,
                [&] {
                    world = std::make_unique<W>();
                    for (int k = 0; k != 100; ++k) world->watch(k / 4, k % 2 == 0, k % 4 < 2);
                },
                [&] { make_tables(*world); });
            return Measured{1023, sum_of_positions(*world)};
        });
    for (const std::size_t n : sizes_of_changes) {
        if constexpr (requires(W& world) { world.next_tick(); })
            add({"changed_10", sizeof(P), n}, name, role, 9, [n](benchmark::State& state) {
                const Owned<W> world = std::make_unique<W>();
                world->track();
                const Entities<W> entities = filled<W, P>(*world, n);
                const auto order = shuffled(n, 5);
                std::size_t next = 0;
                std::uint64_t found = 0;
                timed_batches(
                    state,
                    [&] {
                        world->next_tick();
                        for (int i = 0; i != 10; ++i) world->touch(entities[order[next++ % n]]);
                    },
                    [&] {
                        for (int pass = 0; pass != 100; ++pass) {
                            benchmark::ClobberMemory();
                            found += count_changed(*world);
                        }
                    });
                return Measured{1000, found};
            });
    }
    if constexpr (requires(W& world) { world.make_states(4u); }) add_states<W>(name, role);
    if constexpr (requires(W& world) { world.save(); }) add_saves<W>(name, role);
    if constexpr (requires(W& world) { world.apply(); }) add_deferred<W>(name, role);
    if constexpr (requires(W& world) { world.template make_sparse<Small>(); }) {
        add_remove_row<Small, W>("add_remove_sparse_1", name, role, false, false, true);
        add_remove_row<Small, W>("add_remove_sparse_8", name, role, true, false, true);
    }
}

} // namespace bench::ecs
