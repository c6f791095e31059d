// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// swarm         a frame of the seven systems of examples/swarm, all entities have all components; an entity
// swarm_mixed   the same, a few of the third quarter of the entities have lost one of P, V and Data
#pragma once

#include "../../examples/swarm/systems.hpp"
#include "workload.hpp"

namespace bench::ecs {

namespace sw = ::swarm;

template <class W>
SLOTWISE_BENCH_LOOP void run_move(W& world) {
    world.template each<sw::Position, const sw::Velocity>([](sw::Position& p, const sw::Velocity& v) { sw::move(p, v); });
}
template <class W>
SLOTWISE_BENCH_LOOP void run_vary(W& world) {
    world.template each<sw::Data>([](sw::Data& d) { sw::vary(d); });
}
template <class W>
SLOTWISE_BENCH_LOOP void run_steer(W& world) {
    world.template each<const sw::Position, sw::Velocity, sw::Data>(
        [](const sw::Position& p, sw::Velocity& v, sw::Data& d) { sw::steer(p, v, d); });
}
template <class W>
SLOTWISE_BENCH_LOOP void run_live(W& world) {
    world.template each<sw::Health>([](sw::Health& h) { sw::live(h); });
}
template <class W>
SLOTWISE_BENCH_LOOP void run_fight(W& world) {
    world.template each<sw::Health, const sw::Damage>([](sw::Health& h, const sw::Damage& d) { sw::fight(h, d); });
}
template <class W>
SLOTWISE_BENCH_LOOP void run_dress(W& world) {
    world.template each<sw::Sprite, const sw::Player, const sw::Health>(
        [](sw::Sprite& s, const sw::Player& p, const sw::Health& h) { sw::dress(s, p, h); });
}
template <class W>
SLOTWISE_BENCH_LOOP void run_draw(W& world, sw::Frame& frame) {
    world.template each<const sw::Position, const sw::Sprite>(
        [&](const sw::Position& p, const sw::Sprite& s) { sw::draw(frame, p, s); });
}

template <class W>
void add_swarm(const std::string& name, Role role) {
    for (const std::size_t n : {std::size_t{100'000}, std::size_t{2'000'000}})
        for (const bool mixed : {false, true})
            add({mixed ? "swarm_mixed" : "swarm", sw::bytes, n}, name, role, batches_for(n),
                [n, mixed](benchmark::State& state) {
                    const Owned<W> world = std::make_unique<W>();
                    for (std::size_t i = 0; i != n; ++i) {
                        const auto [position, velocity, data, health, damage, player, sprite] = sw::unit(i);
                        const unsigned lacks = mixed ? sw::lacks(i, n) : 0;
                        if constexpr (requires {
                                          world->spawn_lacking(lacks, position, velocity, data, health, damage, player, sprite);
                                      }) {
                            world->spawn_lacking(lacks, position, velocity, data, health, damage, player, sprite);
                        } else {
                            const auto entity = world->spawn(position, velocity, data, health, damage, player, sprite);
                            if (lacks & sw::lacks_position) world->template remove<sw::Position>(entity);
                            if (lacks & sw::lacks_velocity) world->template remove<sw::Velocity>(entity);
                            if (lacks & sw::lacks_data) world->template remove<sw::Data>(entity);
                        }
                    }
                    const auto frame = std::make_unique<sw::Frame>();
                    std::uint64_t digest = 0;
                    timed_batches(
                        state,
                        [&] {
                            digest = frame->digest(digest);
                            frame->clear();
                        },
                        [&] {
                            run_move(*world);
                            run_vary(*world);
                            run_steer(*world);
                            run_live(*world);
                            run_fight(*world);
                            run_dress(*world);
                            run_draw(*world, *frame);
                        });
                    return Measured{n, frame->digest(digest)};
                });
}

} // namespace bench::ecs
