// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// The components of the question, and what a contender has. All values are small whole numbers or halves of them, so that sums
// do not depend on the order of rows, on the language or on fused multiplication.
//
// A contender is a class W with
//   W::Entity
//   spawn(components...) -> Entity         despawn(entity)
//   each<C...>(f)                          f(C&...) for every entity that has all of them; const C is read only
// and as far as it can do it
//   spawn_n(n, components...)
//   add<C>(entity, value)   remove<C>(entity)
//   get<C>(entity) -> pointer, null when the entity is dead or has none
//   allow_toggle<C>(), disable<C>(entity), enable<C>(entity); without them C is removed and added
#pragma once

#include "../support/harness.hpp"
#include "../support/sequence.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench::ecs {

template <int>
struct Vec {
    float x, y, z;
};
using P = Vec<0>;
using V = Vec<1>;
struct Small {
    std::int32_t value;
};
struct Big {
    std::int32_t values[16];
};
struct Tag {};
template <int>
struct Kind {
    std::int32_t value;
};
inline constexpr int kinds = 26;

template <class C>
[[nodiscard]] constexpr C component(std::size_t i) noexcept {
    if constexpr (std::is_same_v<C, P>)
        return {static_cast<float>(i % 8), 1, 2};
    else if constexpr (std::is_empty_v<C>)
        return {};
    else if constexpr (std::is_same_v<C, Big>)
        return {{static_cast<std::int32_t>(i)}};
    else if constexpr (requires(C& c) { c.value; })
        return {static_cast<std::int32_t>(i)};
    else
        return {static_cast<float>(i % 8 * 2), 2, 4};
}

// Calls f.template operator()<C>() for the component Kind<k>.
template <class F>
void with_kind(int k, F&& f) {
    [&]<int... each>(std::integer_sequence<int, each...>) {
        ((k == each ? f.template operator()<Kind<each>>() : void()), ...);
    }(std::make_integer_sequence<int, kinds>());
}

// An entity of P and V in the table of these kinds: one component for each bit.
template <class W>
typename W::Entity spawn_in(W& world, std::uint32_t mask, std::size_t i) {
    if constexpr (requires { world.spawn_in(mask, P(), V()); }) {
        return world.spawn_in(mask, component<P>(i), component<V>(i));
    } else {
        const auto entity = world.spawn(component<P>(i), component<V>(i));
        for (int k = 0; k < kinds; ++k)
            if (mask >> k & 1) with_kind(k, [&]<class K>() { world.template add<K>(entity, K{k}); });
        return entity;
    }
}

template <class... C>
[[nodiscard]] std::uint64_t total(const C&... c) noexcept {
    return (static_cast<std::uint64_t>(c.x + c.y + c.z) + ... + 0);
}

//=== the measured loops ===//

template <class W>
SLOTWISE_BENCH_LOOP void update_1(W& world) {
    world.template each<P>([](P& p) { p.x += 0.5f, p.y += 0.5f, p.z += 0.5f; });
}
template <class W>
SLOTWISE_BENCH_LOOP void update_2(W& world) {
    world.template each<P, const V>([](P& p, const V& v) { p.x += v.x * 0.5f, p.y += v.y * 0.5f, p.z += v.z * 0.5f; });
}
template <class W>
SLOTWISE_BENCH_LOOP void update_3(W& world) {
    world.template each<P, const V, const Vec<2>>([](P& p, const V& v, const Vec<2>& a) {
        p.x += (v.x + a.x) * 0.5f, p.y += (v.y + a.y) * 0.5f, p.z += (v.z + a.z) * 0.5f;
    });
}
template <class W>
SLOTWISE_BENCH_LOOP void update_5(W& world) {
    world.template each<P, const V, const Vec<2>, const Vec<3>, const Vec<4>>(
        [](P& p, const V& v, const Vec<2>& a, const Vec<3>& b, const Vec<4>& c) {
            p.x += (v.x + a.x + b.x + c.x) * 0.5f;
            p.y += (v.y + a.y + b.y + c.y) * 0.5f;
            p.z += (v.z + a.z + b.z + c.z) * 0.5f;
        });
}
template <int count, class W>
void update(W& world) {
    if constexpr (count == 1)
        update_1(world);
    else if constexpr (count == 2)
        update_2(world);
    else if constexpr (count == 3)
        update_3(world);
    else
        update_5(world);
}
template <class W>
SLOTWISE_BENCH_LOOP std::uint64_t sum_of_positions(W& world) {
    std::uint64_t sum = 0;
    world.template each<const P>([&](const P& p) { sum += total(p); });
    return sum;
}
template <class W, class... C>
SLOTWISE_BENCH_LOOP void spawn_each(W& world, std::vector<typename W::Entity>& entities, const C&... c) {
    for (auto& entity : entities) entity = world.spawn(c...);
}
template <class W>
SLOTWISE_BENCH_LOOP void despawn_each(W& world, const std::vector<typename W::Entity>& entities) {
    for (const auto entity : entities) world.despawn(entity);
}
template <class C, class W>
SLOTWISE_BENCH_LOOP void add_each(W& world, const std::vector<typename W::Entity>& entities) {
    const C value = component<C>(1);
    for (const auto entity : entities) world.template add<C>(entity, value);
}
template <class C, class W>
SLOTWISE_BENCH_LOOP void remove_each(W& world, const std::vector<typename W::Entity>& entities) {
    for (const auto entity : entities) world.template remove<C>(entity);
}
template <class W>
SLOTWISE_BENCH_LOOP std::uint64_t look_up(W& world, const std::vector<typename W::Entity>& entities) {
    std::uint64_t sum = 0;
    for (const auto entity : entities)
        if (const P* const p = world.template get<P>(entity)) sum += static_cast<std::uint32_t>(p->z);
    return sum;
}
template <class C, class W>
void allow_toggle(W& world) {
    if constexpr (requires { world.template allow_toggle<C>(); }) world.template allow_toggle<C>();
}
template <class C, class W>
void disable(W& world, typename W::Entity entity) {
    if constexpr (requires { world.template disable<C>(entity); })
        world.template disable<C>(entity);
    else
        world.template remove<C>(entity);
}
template <class C, class W>
void enable(W& world, typename W::Entity entity) {
    if constexpr (requires { world.template enable<C>(entity); })
        world.template enable<C>(entity);
    else
        world.template add<C>(entity, component<C>(1));
}
template <class W>
SLOTWISE_BENCH_LOOP void toggle_each(W& world, const std::vector<typename W::Entity>& entities) {
    for (const auto entity : entities) {
        disable<V>(world, entity);
        enable<V>(world, entity);
    }
}

} // namespace bench::ecs
