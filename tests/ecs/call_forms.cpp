// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Which form a callback has is decided by its first parameter: no component that converts to Entity is taken for the entity.
#include "support/catch.hpp"

#include <slotwise/ecs/archetype_store.hpp>

#include <any>
#include <optional>
#include <variant>
#include <vector>

using namespace slotwise;

namespace {

struct Boss { // converts to an entity
    Entity who{};
    operator Entity() const { return who; }
};
struct Follower { // is made from an entity
    Follower() = default;
    Follower(Entity entity) : who(entity) {}
    Entity who{};
};

/// A store where `one` has a Boss and a Follower that name `other`.
struct World {
    ArchetypeStore store{};
    ComponentId likes = store.registry().add_relation("likes");
    ComponentId state = store.registry().add_relation("state", {.switched = true});
    Entity other = store.spawn();
    Entity one;
    explicit World(bool sparse) {
        store.registry().add<Boss>({.sparse = sparse});
        store.registry().add<Follower>({.sparse = sparse});
        one = store.spawn(Boss{other}, Follower(other));
        store.relate(one, likes, other);
        store.relate(one, state, other);
    }
};

} // namespace

TEST_CASE("Query: a component that converts to Entity, or from one, is a component", "[ecs]") {
    for (const bool sparse : {false, true}) {
        World w(sparse);
        std::vector<Entity> entities;
        int calls = 0;
        const auto query = w.store.query<const Boss, Follower>();
        query.for_each([&](const Boss& boss, Follower& follower) { calls += boss.who == w.other && follower.who == w.other; });
        query.for_each([&](Entity entity, const Boss& boss, Follower&) { calls += entity == w.one && boss.who == w.other; });
        query.for_each([&](Entity entity, auto&&... rest) { calls += entity == w.one && sizeof...(rest) == 2; });
        query.for_each([&](auto&&... all) { calls += sizeof...(all) == 2; });
        query.for_each([&](const Boss& boss, const Follower& follower, int = 0) { calls += boss.who == follower.who; });
        const auto followers = w.store.query<Follower>();
        followers.for_each([&](const Follower& follower) { calls += follower.who == w.other; }); // not made from the entity
        followers.for_each([&](Follower follower) { calls += follower.who == w.other; });
        w.store.query<const Boss>().with<Follower>().for_each([&](Entity entity, const auto&) { calls += entity == w.one; });
        w.store.query<>().with<Boss>().for_each([&](Entity entity) { calls += entity == w.one; });
        w.store.query<>().optional<Boss>().with<Follower>().for_each([&](Boss* boss) { calls += boss->who == w.other; });
        CHECK(calls == 10);
    }
}

TEST_CASE("Query: for_each_pair passes the entity, the pair, and each component", "[ecs]") {
    for (const bool sparse : {false, true}) {
        World w(sparse);
        int calls = 0;
        const auto query = w.store.query<const Boss, const Follower>();
        for (const ComponentId asked : {pair(w.likes, any), pair(w.state, any), pair(w.likes, w.other)}) {
            query.for_each_pair(asked, [&](Entity entity, auto match, const Boss& boss, const Follower& follower) {
                calls += entity == w.one && match.target() == w.other && boss.who == w.other && follower.who == w.other;
            });
            query.for_each_pair(asked, [&](Entity entity, const auto& match, auto&&... rest) {
                calls += entity == w.one && match.target() == w.other && sizeof...(rest) == 2;
            });
            w.store.query<>().for_each_pair(asked, [&](Entity entity, const auto&) { calls += entity == w.one; });
        }
        CHECK(calls == 9);
    }
}

TEST_CASE("ArchetypeStore: hooks of a component that converts to Entity, or from one, get the entity", "[ecs]") {
    for (const bool sparse : {false, true}) {
        World w(sparse);
        int calls = 0;
        ArchetypeStore& s = w.store;
        s.on_add<Boss>([&](Entity entity, Boss& boss) { calls += entity != boss.who && boss.who == w.other; });
        s.on_add<Boss>([&](Entity entity) { calls += entity != w.other; });
        s.on_add<Boss>([&](Entity entity, const auto& boss) { calls += entity != boss.who; });
        s.on_add<Follower>([&](Entity entity, const Follower& follower) { calls += entity != follower.who; });
        s.on_add<Follower>([&](auto entity) { calls += entity != w.other; });
        s.on_add(s.registry().id<Boss>(), [&](Entity, ComponentId id, void*) { calls += id == s.registry().id<Boss>(); });
        s.on_add(s.registry().id<Boss>(), [&](Entity, void* value) { calls += static_cast<Boss*>(value)->who == w.other; });
        s.on_add(s.registry().id<Boss>(), [&](Entity entity) { calls += entity != w.other; });
        s.spawn(Boss{w.other}, Follower(w.other));
        CHECK(calls == 8);
    }
}

namespace {

struct Anything { // is made from anything
    int number = 0;
    Anything() = default;
    template <class U>
    Anything(U&&) {}
};

/// The calls of each function of a store that takes callbacks of values.
template <class T>
int calls_of(bool sparse) {
    ArchetypeStore s;
    s.registry().add<T>({.sparse = sparse});
    int calls = 0;
    s.on_add<T>([&](Entity, const T&) { ++calls; });
    const Entity one = s.spawn(T{}, 7);
    const auto alone = s.query<const T>();
    alone.for_each([&](const T&) { ++calls; });
    alone.for_each([&](T) { ++calls; });
    alone.for_each([&](const T&, int = 0) { ++calls; });
    alone.for_each([&](Entity entity, const T&) { calls += entity == one; });
    const auto both = s.query<T, const int>();
    both.for_each([&](T&, const int& seven) { calls += seven == 7; });
    both.for_each([&](const T&, auto seven) { calls += seven == 7; });
    both.for_each([&](Entity entity, T, int seven) { calls += entity == one && seven == 7; });
    s.query<const int, const T>().for_each([&](int seven, const T&) { calls += seven == 7; });
    s.query<>().template optional<T>().for_each([&](T* value) { calls += value != nullptr; });
    alone.for_each_sorted([](const T&) { return 1; }, [&](const T&) { ++calls; });
    both.for_each_sorted([](const T&, int seven) { return seven; }, [&](Entity, const T&, int) { ++calls; });
    both.for_each_sorted([](Entity entity, T, int) { return entity.index(); }, [&](T&, int) { ++calls; });
    s.template patch<T>(one, [&](T&) { ++calls; });
    if (!sparse) s.template sort<T>([](const T&, const T&) { return false; });
    return calls;
}

} // namespace

TEST_CASE("Query: a component that is made from anything is a component", "[ecs]") {
    for (const bool sparse : {false, true}) {
        CHECK(calls_of<std::any>(sparse) == 14);
        CHECK(calls_of<Anything>(sparse) == 14);
        CHECK(calls_of<std::optional<Entity>>(sparse) == 14);
        CHECK(calls_of<std::variant<Entity, int>>(sparse) == 14);
    }
}
