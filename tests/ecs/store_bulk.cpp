// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ArchetypeStore: many entities end, or lose components, at once. The result is that of a loop over the entities.
#include "ecs/query_support.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"

#include <slotwise/ecs/command_buffer.hpp>

#include <array>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

using namespace slotwise;
using namespace query_test;

namespace {

struct Name {
    std::string text{};
};
struct Aside {
    int value = 0;
};
struct Marked {
    int value = 0;
};

/// A store with components of each kind, and relations with each rule.
struct World {
    ArchetypeStore store{};
    ComponentId likes, child_of, holds, state;
    Entities issued{};

    World() {
        ComponentRegistry& registry = store.registry();
        registry.add<V>({.toggle = true});
        registry.add<Marked>({.tracked = true});
        registry.add<Aside>({.sparse = true});
        likes = registry.add_relation("likes");
        child_of = registry.add_relation("child of", {.exclusive = true, .on_target_despawn = OnTargetDespawn::despawn});
        holds = registry.add_relation("holds", {.on_target_despawn = OnTargetDespawn::refuse});
        state = registry.add_relation("state", {.switched = true});
    }
    /// What an entity has, in words: ids are those of a registry.
    std::string parts(Entity entity) const {
        std::string text;
        store.for_each_component(entity, [&](ComponentId id, const void*) {
            text += store.registry().name(id) + (store.is_enabled(entity, id) ? " " : " (disabled) ");
        });
        return text;
    }
    void fill(unsigned seed, bool relations) {
        std::mt19937 random(seed);
        const auto below = [&](unsigned n) { return random() % n; };
        for (int i = 0; i != 60; ++i) {
            const Entity entity = store.spawn(P{float(i), 0});
            issued.push_back(entity);
            if (below(2) == 0) store.add(entity, V{float(i), 1});
            if (below(3) == 0) store.add(entity, Name{"the name of entity " + std::to_string(i)});
            if (below(4) == 0) store.add(entity, Aside{i});
            if (below(3) == 0) store.add(entity, Marked{i});
            if (below(5) == 0) store.add<Frozen>(entity);
            if (below(3) == 0 && store.has<V>(entity)) store.disable<V>(entity);
            if (below(4) == 0) static_cast<void>(store.advance());
            if (!relations || i == 0) continue;
            const Entity other = issued[below(static_cast<unsigned>(i))];
            if (below(3) == 0) store.relate(entity, likes, other);
            if (below(4) == 0) store.relate(entity, child_of, other);
            if (below(8) == 0) store.relate(entity, holds, other);
            if (below(4) == 0) store.relate(entity, state, other);
        }
        for (int i = 0; i != 6; ++i) { // gaps in the order of ids
            const Entity entity = issued[below(60)];
            if (store.is_alive(entity) && store.sources(holds, entity).empty() && !relations) store.despawn(entity);
        }
    }
};

/// Whether both have the same entities with the same components, values, bits and ticks.
void check_same(const World& a, const World& b) {
    CHECK((a.store.check_invariants() && b.store.check_invariants() && a.store.size() == b.store.size()));
    for (const Entity entity : a.issued) {
        REQUIRE(a.store.is_alive(entity) == b.store.is_alive(entity));
        if (!a.store.is_alive(entity)) continue;
        CHECK(a.parts(entity) == b.parts(entity));
        if (a.store.has<V>(entity) && b.store.has<V>(entity)) CHECK(a.store.get<V>(entity)->x == b.store.get<V>(entity)->x);
        if (a.store.has<Name>(entity) && b.store.has<Name>(entity))
            CHECK(a.store.get<Name>(entity)->text == b.store.get<Name>(entity)->text);
        if (a.store.has<Aside>(entity) && b.store.has<Aside>(entity))
            CHECK(a.store.get<Aside>(entity)->value == b.store.get<Aside>(entity)->value);
    }
    for (tick_t since = 0; since < a.store.tick(); since += 3) {
        CHECK(sorted(found(a.store.query<const Marked>().changed<Marked>(since))) ==
              sorted(found(b.store.query<const Marked>().changed<Marked>(since))));
        CHECK(sorted(found(a.store.query<const Marked>().added<Marked>(since))) ==
              sorted(found(b.store.query<const Marked>().added<Marked>(since))));
    }
}
void check_same_ids(World& a, World& b) {
    for (int i = 0; i != 80; ++i) REQUIRE(a.store.spawn() == b.store.spawn());
}

using AnyQuery = Query<ArchetypeStore>;
/// Calls f(make), where make(world) is a query of the store of that world, for queries that find tables, rows and sparse ones.
template <class F>
void for_each_query(F&& f) {
    using Make = AnyQuery (*)(World&);
    const Make all[] = {[](World& w) { return w.store.query<>(); },
                        [](World& w) { return w.store.query<>().with<V>(); },
                        [](World& w) { return w.store.query<>().with<P>().exclude<V>(); },
                        [](World& w) { return w.store.query<>().with<Name>().with<P>(); },
                        [](World& w) { return w.store.query<>().with<Aside>(); },
                        [](World& w) { return w.store.query<>().with<P>().exclude<Aside>(); },
                        [](World& w) { return w.store.query<>().changed<Marked>(5); },
                        [](World& w) { return w.store.query<>().with<Frozen>(); },
                        [](World& w) { return w.store.query<>().with(w.likes, any); },
                        [](World& w) { return w.store.query<>().with(w.state, any); }};
    for (const Make make : all) f(make);
}
Entities backwards(const AnyQuery& query) {
    Entities entities = found(query);
    std::reverse(entities.begin(), entities.end());
    return entities;
}

} // namespace

TEST_CASE(
    "Bulk: all entities of a query end as in a loop from the last to the first, and their ids come back in the same order",
    "[ecs][bulk]") {
    for (unsigned seed = 0; seed != 6; ++seed)
        for_each_query([&](AnyQuery (*make)(World&)) {
            World bulk, loop;
            bulk.fill(seed, false), loop.fill(seed, false);
            const Entities ends = backwards(make(loop));
            for (const Entity entity : ends) REQUIRE(loop.store.despawn(entity));
            CHECK((seed % 2 == 0 ? make(bulk).despawn_all() : bulk.store.despawn(make(bulk))) == ends.size());
            CHECK(make(bulk).empty());
            check_same(bulk, loop);
            check_same_ids(bulk, loop);
        });
}

TEST_CASE("Bulk: what relates to entities that end is treated as the relations ask for, and none of them refuses another",
          "[ecs][bulk]") {
    std::size_t refused = 0, ended = 0, alone = 0;
    for (unsigned seed = 0; seed != 8; ++seed)
        for_each_query([&](AnyQuery (*make)(World&)) {
            World bulk, loop;
            bulk.fill(seed, true), loop.fill(seed, true);
            // Who dies along, by the rules; and whether one refuses that stays.
            Entities dead = found(make(loop));
            const std::size_t matched = dead.size();
            const auto dies = [&](Entity entity) { return std::find(dead.begin(), dead.end(), entity) != dead.end(); };
            for (std::size_t i = 0; i != dead.size(); ++i)
                for (const Entity child : loop.store.sources(loop.child_of, dead[i]))
                    if (!dies(child)) dead.push_back(child);
            bool refuses = false;
            for (const Entity entity : dead)
                for (const Entity holder : loop.store.sources(loop.holds, entity)) refuses = refuses || !dies(holder);
            if (refuses) {
                CHECK_THROWS_AS(make(bulk).despawn_all(), std::invalid_argument);
                check_same(bulk, loop);
                ++refused;
                return;
            }
            CHECK(make(bulk).despawn_all() == matched);
            for (const Entity entity : dead) loop.store.unrelate(entity, loop.holds);
            for (const Entity entity : dead) loop.store.despawn(entity);
            check_same(bulk, loop);
            ++ended;
            alone += matched == 0;
        });
    CHECK((refused > 4 && ended > alone + 4));
}

TEST_CASE("Bulk: entities that relate to each other in a cycle end together", "[ecs][bulk]") {
    World world;
    const Entity a = world.store.spawn(P{}), b = world.store.spawn(P{}), c = world.store.spawn(P{}),
                 stays = world.store.spawn();
    world.store.relate(a, world.holds, b);
    world.store.relate(b, world.holds, c);
    world.store.relate(c, world.holds, a);
    world.store.relate(a, world.child_of, b);
    world.store.relate(b, world.child_of, a);
    world.store.relate(stays, world.likes, b);
    world.store.relate(stays, world.state, c);
    CHECK_THROWS_AS(world.store.despawn(c), std::invalid_argument);
    CHECK(world.store.query<const P>().despawn_all() == 3);
    CHECK((world.store.size() == 1 && world.store.check_invariants()));
    CHECK((world.store.targets(stays, world.likes).empty() && !world.store.target(stays, world.state)));
}

TEST_CASE("Bulk: components are removed as in a loop, with bits and ticks of the others", "[ecs][bulk]") {
    for (unsigned seed = 0; seed != 6; ++seed)
        for_each_query([&](AnyQuery (*make)(World&)) {
            World bulk, loop;
            bulk.fill(seed, seed % 2 != 0), loop.fill(seed, seed % 2 != 0);
            const auto same = [&](auto&& remove, auto&& has, auto&& remove_one) {
                std::size_t lost = 0;
                for (const Entity entity : found(make(loop))) {
                    lost += has(loop.store, entity);
                    remove_one(loop.store, entity);
                }
                CHECK(remove(bulk, make(bulk)) == lost);
                check_same(bulk, loop);
            };
            same([](World& w, const AnyQuery& query) { return w.store.remove<P>(query); },
                 [](ArchetypeStore& store, Entity entity) { return store.has<P>(entity); },
                 [](ArchetypeStore& store, Entity entity) { store.remove<P>(entity); });
            same([](World& w, const AnyQuery& query) { return w.store.remove<Name, Frozen>(query); },
                 [](ArchetypeStore& store, Entity entity) { return store.has<Name>(entity) || store.has<Frozen>(entity); },
                 [](ArchetypeStore& store, Entity entity) { store.remove<Name, Frozen>(entity); });
            same([](World& w, const AnyQuery& query) { return w.store.remove<Aside, V>(query); },
                 [](ArchetypeStore& store, Entity entity) { return store.has<Aside>(entity) || store.has<V>(entity); },
                 [](ArchetypeStore& store, Entity entity) { store.remove<Aside, V>(entity); });
            const auto pairs = [](const World& w) {
                return std::array{pair(w.likes, w.issued[0]), pair(w.state, w.issued[1])};
            };
            same([&](World& w, const AnyQuery& query) { return w.store.remove(query, pairs(w)); },
                 [&](ArchetypeStore& store, Entity entity) {
                     return store.has(entity, pairs(loop)[0]) || store.has(entity, pairs(loop)[1]);
                 },
                 [&](ArchetypeStore& store, Entity entity) { store.remove(entity, pairs(loop)); });
            check_same_ids(bulk, loop);
        });
}

TEST_CASE("Bulk: remove_all takes a component from all entities, disabled ones too", "[ecs][bulk]") {
    for (unsigned seed = 0; seed != 6; ++seed) {
        World bulk, loop;
        bulk.fill(seed, true), loop.fill(seed, true);
        const auto count = [&](auto&& has) {
            return static_cast<std::size_t>(std::count_if(bulk.issued.begin(), bulk.issued.end(), has));
        };
        const std::size_t with_v = count([&](Entity entity) { return bulk.store.has<V>(entity); });
        const std::size_t with_either =
            count([&](Entity entity) { return bulk.store.has<Aside>(entity) || bulk.store.has<Marked>(entity); });
        CHECK(with_v > bulk.store.query<const V>().size()); // some are disabled
        CHECK(bulk.store.remove_all<V>() == with_v);
        CHECK(bulk.store.remove_all<Aside, Marked>() == with_either);
        for (const Entity entity : loop.issued) loop.store.remove<V, Aside, Marked>(entity);
        check_same(bulk, loop);
        bulk.store.remove_all(pair(bulk.likes, bulk.issued[2])), bulk.store.remove_all(pair(bulk.state, bulk.issued[3]));
        for (const Entity entity : loop.issued) {
            loop.store.remove(entity, pair(loop.likes, loop.issued[2]));
            loop.store.remove(entity, pair(loop.state, loop.issued[3]));
        }
        check_same(bulk, loop);
        CHECK((bulk.store.remove_all<V>() == 0 && bulk.store.remove_all<std::unique_ptr<int>>() == 0));
    }
}

TEST_CASE("Bulk: on_remove is called for each entity while all of them are there, and on_add again if one throws",
          "[ecs][bulk]") {
    ArchetypeStore store;
    for (int i = 0; i != 10; ++i) store.spawn(P{float(i), 0}, V{}, Name{"name of some length that is on the heap"});
    for (int i = 0; i != 5; ++i) store.spawn(P{float(i), 0}, V{});
    int there = 15, calls = 0, limit = 100;
    store.on_add<V>([&](Entity) { ++there; });
    store.on_remove<V>([&](Entity entity, V&) {
        CHECK((store.is_alive(entity) && store.has<P>(entity) && store.query<const V>().size() == 15));
        --there; // before it throws: on_add is called for this one, too
        if (++calls == limit) TEST_THROW(std::runtime_error("the hook fails"));
    });
    SECTION("when they end") {
        if (SLOTWISE_EXCEPTIONS != 0) {
            limit = 9;
            CHECK_THROWS_AS(store.query<const V>().despawn_all(), std::runtime_error);
            CHECK((there == 15 && store.size() == 15 && store.check_invariants()));
        }
        calls = 0, limit = 100;
        CHECK(store.query<const V>().despawn_all() == 15);
        CHECK((store.empty() && there == 0 && calls == 15));
    }
    SECTION("when a table loses a component") {
        const auto query = store.query<const P>().with<Name>();
        if (SLOTWISE_EXCEPTIONS != 0) {
            limit = 9;
            CHECK_THROWS_AS(store.remove<V>(query), std::runtime_error);
            CHECK((there == 15 && store.query<const V>().size() == 15 && store.check_invariants()));
        }
        calls = 0, limit = 100;
        CHECK(store.remove<V>(query) == 10);
        CHECK((there == 5 && calls == 10 && store.query<const V>().size() == 5 && store.check_invariants()));
        CHECK(store.query<const Name>().exclude<V>().size() == 10);
    }
}

TEST_CASE("Bulk: rows of the destination stay, and those that come follow in their order", "[ecs][bulk]") {
    ArchetypeStore store;
    const Entity first = store.spawn(P{-1, 0});
    for (int i = 0; i != 100; ++i) store.spawn(P{float(i), 0}, V{});
    CHECK(store.remove<V>(store.query<P>()) == 100);
    float expected = -1;
    for (auto [entity, p] : store.query<const P>()) {
        CHECK(p.x == expected++);
        CHECK((entity == first) == (p.x < 0));
    }
    CHECK(expected == 100);
}

TEST_CASE("Bulk: ids of ranges, and ids that retire, end as others", "[ecs][bulk]") {
    ArchetypeStore store;
    const auto range = store.add_range(1000, 2000);
    Entities all;
    for (int i = 0; i != 40; ++i) all.push_back(i % 3 == 0 ? store.spawn_in(range, P{}) : store.spawn(P{}));
    const Entity old(500, Entity::max_version);
    CHECK(store.spawn_at(old, P{}));
    CHECK(store.query<P>().despawn_all() == 41);
    CHECK((store.empty() && store.check_invariants() && store.explain(old) == HandleStatus::retired));
    CHECK((store.spawn_in(range) == Entity(1000, 3) && store.spawn().index() == all[1].index()));
    ArchetypeStore other;
    other.spawn_n(300, P{});
    CHECK(other.spawn_at(Entity(500, Entity::max_version), P{}));
    CHECK((other.query<P>().despawn_all() == 301 && other.check_invariants()));
}

TEST_CASE("Bulk: ids that command buffers have taken are spawned nevertheless", "[ecs][bulk]") {
    ArchetypeStore store;
    store.spawn_n(5, P{});
    CommandBuffer commands(store);
    const Entity later = commands.spawn(V{1, 1});
    commands.set(store.query<P>().first(), P{2, 2});
    CHECK(store.query<P>().despawn_all() == 5);
    const Entity next = store.spawn(P{});
    CHECK((next != later && !store.is_alive(later)));
    CHECK(store.apply(commands) == 1);
    CHECK((store.is_alive(later) && store.size() == 2 && store.check_invariants()));
}

TEST_CASE("Bulk: structure does not change at once in a walk or a hook either", "[ecs][bulk][death]") {
    if (SLOTWISE_CHECK_LEVEL < 1) return;
    ArchetypeStore store;
    for (int i = 0; i != 3; ++i) store.spawn(P{}, V{});
    const auto in_walk = [&](auto&& change) {
        return test::dies_saying("a query is walking", [&] { store.query<P>().for_each([&](P&) { change(); }); });
    };
    CHECK(in_walk([&] { store.query<V>().despawn_all(); }));
    CHECK(in_walk([&] { store.remove<V>(store.query<V>()); }));
    CHECK(in_walk([&] { store.remove_all<V>(); }));
    CHECK(in_walk([&] { store.sort<P>([](const P& a, const P& b) { return a.x < b.x; }); }));
    const auto in_hook = [&](auto&& change) {
        return test::dies_saying("a hook", [&] {
            store.on_add<Frozen>([&](Entity) { change(); });
            store.spawn(Frozen{});
        });
    };
    CHECK(in_hook([&] { store.query<V>().despawn_all(); }));
    CHECK(in_hook([&] { store.remove_all<V>(); }));
    CHECK(in_hook([&] { store.sort<P>([](const P& a, const P& b) { return a.x < b.x; }); }));
}

TEST_CASE("Bulk: a query of another store is refused", "[ecs][bulk]") {
    ArchetypeStore store, other;
    store.spawn(P{}), other.spawn(P{});
    CHECK_THROWS_AS(store.despawn(other.query<P>()), std::invalid_argument);
    CHECK_THROWS_AS(store.remove<P>(other.query<P>()), std::invalid_argument);
    CHECK_THROWS_AS(store.remove(store.query<P>(), ComponentId()), std::invalid_argument);
    CHECK_THROWS_AS(store.remove_all(ComponentId()), std::invalid_argument);
    CHECK((store.query<P>().size() == 1 && other.query<P>().size() == 1));
}

TEST_CASE("Bulk: ids end in one pass in whatever order their rows are", "[ecs][bulk]") {
    EntityIndex<Entity, EntityLocation> index, loop;
    std::mt19937 random(7);
    for (int round = 0; round != 60; ++round) {
        const std::size_t more = 1 + random() % 700;
        for (std::size_t i = 0; i != more; ++i) {
            const Entity entity = index.create();
            index[entity] = EntityLocation(7, entity.index());
            REQUIRE(entity == loop.create());
            loop[entity] = EntityLocation(7, entity.index());
        }
        Entities ends(index.alive().begin(), index.alive().end());
        if (round % 3 == 0) std::shuffle(ends.begin(), ends.end(), random);
        const std::size_t from = round % 4 == 0 ? 0 : random() % ends.size();
        const std::size_t count = round % 5 == 0 ? ends.size() - from : random() % (ends.size() - from + 1);
        ends = Entities(ends.begin() + static_cast<std::ptrdiff_t>(from),
                        ends.begin() + static_cast<std::ptrdiff_t>(from + count));
        if (round % 7 == 0 && ends.size() > 40) std::swap(ends[20], ends[ends.size() - 1]);
        slotwise::detail::EntitySteps::destroy(index, ends);
        for (std::size_t i = ends.size(); i-- != 0;) loop.destroy(ends[i]);
        REQUIRE(index.check_invariants());
        REQUIRE(index.alive().size() == loop.alive().size());
        for (const Entity entity : index.alive()) REQUIRE((loop.is_alive(entity) && index[entity].row() == entity.index()));
        for (const Entity entity : ends) REQUIRE(!index.is_alive(entity));
        REQUIRE(std::equal(index.dead().begin(), index.dead().end(), loop.dead().begin(), loop.dead().end()));
    }
}
