// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "query_support.hpp"
#include "support/death.hpp"

#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

using namespace query_test;

TEST_CASE("QueryIterator: range-for binds the entity and its components", "[ecs]") {
    ArchetypeStore store;
    const Entity a = store.spawn(P{1, 0}, V{10, 0}), b = store.spawn(P{2, 0}, V{20, 0}, 3);
    store.spawn(P{});
    Entities met;
    for (auto [entity, p, v] : store.query<P, const V>()) {
        p.x += v.x;
        met.push_back(entity);
        STATIC_REQUIRE(std::is_same_v<decltype(v), const V&>);
    }
    CHECK(met == Entities{a, b});
    CHECK(store.get<P>(b)->x == 22);
    for (auto [p, v] : store.query<P, const V>().rows()) p.x += v.x;
    CHECK(store.get<P>(a)->x == 21);
    std::size_t rows = 0;
    for (auto [entity] : store.query<>()) rows += store.is_alive(entity);
    CHECK(rows == 3);
    for ([[maybe_unused]] auto [entity, p] : store.query<P, Frozen>()) FAIL("no entity matches");
}

TEST_CASE("QueryIterator: terms of a query that is gone hold in the loop over it", "[ecs]") {
    ArchetypeStore store;
    const Entity a = store.spawn(P{}, V{});
    store.spawn(P{}, V{}, 1);
    Entities met;
    for (auto [entity, p] : store.query<P>().with<V>().exclude<int>()) met.push_back(entity);
    for ([[maybe_unused]] auto [p] : store.query<P>().with<V>().exclude<int>().rows()) met.push_back(Entity());
    CHECK(met == Entities{a, Entity()});
}

TEST_CASE("QueryIterator: leaving the loop early ends the walk", "[ecs]") {
    ArchetypeStore store;
    store.spawn(P{});
    store.spawn(P{});
    const auto leave = [&] {
        for (auto [entity, p] : store.query<P>()) return entity;
        return Entity();
    };
    CHECK(leave() == store.query<P>().first());
    for ([[maybe_unused]] auto [entity, p] : store.query<P>()) break;
    store.spawn(P{});
#if defined(__cpp_exceptions)
    try {
        for ([[maybe_unused]] auto [entity, p] : store.query<P>()) throw 1;
    } catch (int) {}
    store.spawn(P{});
#endif
    CHECK(store.size() >= 3);
}

TEST_CASE("QueryIterator: the walk lasts as long as an iterator lives", "[ecs]") {
    ArchetypeStore store;
    store.spawn(P{});
    const auto query = store.query<P>();
    {
        auto first = query.begin();
        auto it = std::move(first);
        CHECK(std::get<0>(*it) == query.first());
#if SLOTWISE_CHECK_LEVEL >= 1
        CHECK(test::dies_saying("CommandBuffer", [&] { store.spawn(); }));
#endif
        ++it;
        CHECK(it == query.end());
        it = query.begin();
        CHECK(it != query.end());
    }
    store.spawn();
    CHECK(store.size() == 2);
}

TEST_CASE("QueryIterator: it is an input iterator", "[ecs]") {
    using It = decltype(std::declval<Query<ArchetypeStore, P, Optional<V>>&>().begin());
    STATIC_REQUIRE(std::input_iterator<It>);
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<It>);
    STATIC_REQUIRE(std::is_same_v<std::iter_reference_t<It>, std::tuple<Entity, P&, V*>>);
}

TEST_CASE("QueryIterator: loops nest, and follow tables in order", "[ecs]") {
    ArchetypeStore store;
    for (int i = 0; i != 3; ++i) store.spawn(i);
    store.spawn(3, P{});
    std::string text;
    for (auto [outer, a] : store.query<int>())
        for (auto [inner, b] : std::as_const(store).query<const int>())
            if (a < b) text += std::to_string(a) + std::to_string(b) + ' ';
    CHECK(text == "01 02 03 12 13 23 ");
}
