// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Who lost a component: on every way on which components go. That a change which fails leaves nothing is in throwing_hooks.cpp.
#include "ecs/inside.hpp"
#include "query_support.hpp"
#include "support/thrown.hpp"

#include <slotwise/ecs/command_buffer.hpp>

#include <map>
#include <random>
#include <stdexcept>
#include <utility>

using namespace query_test;
using Catch::Matchers::Contains;

namespace {

struct Aside {
    int value = 0;
};

Entities copy(const detail::RemovedRange& range) {
    Entities entities;
    for (const Entity entity : range) entities.push_back(entity);
    CHECK(entities.size() == range.size());
    CHECK(entities.empty() == range.empty());
    return entities;
}
/// A store that keeps who loses a P.
struct Keeping {
    Keeping() { store.keep_removed<P>(); }
    Entities lost(tick_t since = 0) const { return copy(store.removed<P>(since)); }
    ArchetypeStore store{};
};

} // namespace

TEST_CASE("ArchetypeStore: removed names who lost a component after a tick, in order, and as often as it happened", "[ecs]") {
    Keeping k;
    const Entity a = k.store.spawn(P{}), b = k.store.spawn(P{}, V{}), c = k.store.spawn(V{});
    CHECK(k.lost().empty());
    k.store.remove<P>(b);
    k.store.remove<P>(c); // has none
    const tick_t seen = k.store.advance();
    k.store.despawn(a);
    k.store.add(b, P{});
    k.store.add(b, P{}); // keeps it
    k.store.set(b, P{1, 1});
    k.store.remove<P, V>(b);
    CHECK(k.lost() == Entities{b, a, b});
    CHECK(k.lost(seen) == Entities{a, b});
    CHECK(k.lost(k.store.tick()).empty());
    k.store.forget_removed(seen);
    CHECK(k.lost() == Entities{a, b});
    k.store.forget_removed(k.store.tick());
    CHECK(k.lost().empty());
    k.store.keep_removed<P>(); // without effect
    k.store.despawn(k.store.spawn(P{}));
    CHECK(k.lost().size() == 1);
}

TEST_CASE("ArchetypeStore: every way on which a component goes is kept", "[ecs]") {
    Keeping k;
    ArchetypeStore& store = k.store;
    const ComponentId p = store.registry().id<P>(),
                      child_of = store.registry().add_relation("child of", {.on_target_despawn = OnTargetDespawn::despawn});
    const auto one = [&] { return store.spawn(P{}, V{}); };
    const auto lost_by = [&](auto&& act) {
        const Entity entity = one();
        act(entity);
        const Entities lost = k.lost();
        store.forget_removed(store.tick());
        return lost == Entities{entity};
    };
    CHECK(lost_by([&](Entity entity) { store.remove<P>(entity); }));
    CHECK(lost_by([&](Entity entity) { store.remove(entity, p); }));
    CHECK(lost_by([&](Entity entity) { store.remove(entity, std::vector<ComponentId>{p, store.registry().id<V>()}); }));
    CHECK(lost_by([&](Entity entity) { store.despawn(entity); }));
    CHECK(lost_by([&](Entity entity) {
        const Entity parent = store.spawn();
        store.relate(entity, child_of, parent);
        store.despawn(parent);
    }));
    CHECK(lost_by([&](Entity entity) {
        store.relate(store.spawn(), child_of, entity);
        store.despawn(entity);
    }));
    CHECK(lost_by([&](Entity entity) { store.erase_reserved(entity); }));
    CHECK(lost_by([&](Entity entity) { CHECK(store.fulfill(entity, std::move(*store.extract_reserved(entity)))); }));
    store.clear();
    store.forget_removed(store.tick());
    CHECK(lost_by([&](Entity) { store.clear(); }));
    CHECK(lost_by([&](Entity entity) {
        CommandBuffer buffer(store);
        buffer.remove<P>(entity);
        store.apply(buffer);
    }));
    CHECK(lost_by([&](Entity entity) {
        CommandBuffer buffer(store);
        buffer.despawn(entity);
        buffer.despawn(buffer.spawn(P{})); // never was
        store.apply(buffer);
    }));
    ArchetypeStore moved(std::move(store));
    store = std::move(moved);
    CHECK(lost_by([&](Entity entity) { store.despawn(entity); }));
}

TEST_CASE("ArchetypeStore: removed knows sparse components, tags and pairs, and an entity that changes its target", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<Aside>({.sparse = true});
    const ComponentId owner = store.registry().add_relation("owner", {.exclusive = true}),
                      mood = store.registry().add_relation("mood", {.switched = true});
    const Entity a = store.spawn(Aside{}, Frozen{}), b = store.spawn(), c = store.spawn();
    store.keep_removed<Aside>();
    store.keep_removed<Frozen>();
    for (const ComponentId relation : {owner, mood}) {
        store.keep_removed(pair(relation, any));
        store.keep_removed(pair(relation, b));
        store.relate(a, relation, b);
        store.relate(a, relation, c);
        CHECK(copy(store.removed(pair(relation, b), 0)) == Entities{a});
        CHECK(copy(store.removed(pair(relation, any), 0)) == Entities{a});
        store.unrelate(a, relation);
        CHECK(copy(store.removed(pair(relation, any), 0)) == Entities{a, a});
    }
    store.remove<Aside>(a);
    store.remove<Aside>(a);
    store.remove<Frozen>(a);
    CHECK(copy(store.removed<Aside>(0)) == Entities{a});
    CHECK(copy(store.removed<Frozen>(0)) == Entities{a});
}

TEST_CASE("ArchetypeStore: a loop over removed may remove more, and meets what was there when it began", "[ecs]") {
    Keeping k;
    const auto all = k.store.spawn_n(100, P{});
    const Entities entities(all.begin(), all.end());
    for (std::size_t i = 0; i != 50; ++i) k.store.despawn(entities[i]);
    std::size_t met = 0;
    for (const Entity entity : k.store.removed<P>(0)) {
        CHECK(entity == entities[met]);
        k.store.despawn(entities[50 + met]);
        ++met;
    }
    CHECK(met == 50);
    CHECK(k.lost() == entities);
}

TEST_CASE("ArchetypeStore: what is kept of removals is no part of a snapshot, and goes when one is restored", "[ecs]") {
    Keeping k;
    const Entity a = k.store.spawn(P{}), b = k.store.spawn(P{});
    const auto before = k.store.snapshot();
    k.store.despawn(a);
    CHECK(k.lost() == Entities{a});
    Keeping other;
    other.store.restore(k.store.snapshot());
    CHECK(other.lost().empty());
    k.store.restore(before);
    CHECK(k.lost().empty());
    k.store.despawn(b); // and goes on
    CHECK(k.lost() == Entities{b});
}

TEST_CASE("ArchetypeStore: removals stay in order when ticks wrap, and old ones stay old", "[ecs]") {
    Keeping k;
    auto& core = test::inside(k.store);
    core.tick = ~tick_t{0} - 1;
    const Entity a = k.store.spawn(P{}), b = k.store.spawn(P{}), c = k.store.spawn(P{});
    k.store.despawn(a);
    const tick_t seen = k.store.advance();
    k.store.advance(); // 0
    k.store.despawn(b);
    CHECK(k.lost(seen) == Entities{b});
    CHECK(k.lost(seen - 1) == Entities{a, b});
    for (int quarter = 1; quarter != 5; ++quarter) { // a whole turn
        core.tick = static_cast<tick_t>(quarter) * max_tick_age - 1;
        k.store.advance();
        const tick_t now = k.store.tick();
        CHECK(k.lost(now - 1).empty());
        CHECK(k.lost(now - max_tick_age - 1) == Entities{a, b});
    }
    k.store.despawn(c);
    CHECK(k.lost(k.store.tick() - 1) == Entities{c});
    k.store.forget_removed(k.store.tick() - 1);
    CHECK(k.lost(k.store.tick() - 1) == Entities{c});
}

TEST_CASE("ArchetypeStore: removed and keep_removed refuse in words what is not kept and not known", "[ecs]") {
    ArchetypeStore store;
    const auto refused = [](auto&& act) { return test::thrown_text<std::invalid_argument>(act); };
    CHECK_THAT(refused([&] { static_cast<void>(store.removed<P>(0)); }), Contains("call keep_removed<T>()"));
    CHECK_THAT(refused([&] { store.keep_removed(ComponentId()); }), Contains("the id is null"));
    CHECK_THAT(refused([&] { store.keep_removed(pair(any, any)); }), Contains("name the relation"));
    CHECK(std::as_const(store).memory_usage() != 0);
}

TEST_CASE("ArchetypeStore: whatever happens, removed agrees with what entities had", "[ecs]") {
    std::mt19937 random(5);
    for (int world = 0; world != 20; ++world) {
        Keeping k;
        ArchetypeStore& store = k.store;
        CommandBuffer buffer(store);
        Entities all;
        std::map<Entity, int> lost, had;
        tick_t seen = 0;
        for (int step = 0; step != 300; ++step) {
            const auto one = [&] { return all[random() % all.size()]; };
            switch (all.empty() ? 0 : random() % 10) {
            case 0:
            case 1:
                all.push_back(store.spawn(P{}));
                break;
            case 2:
                store.add(one(), P{});
                break;
            case 3:
                store.remove<P>(one());
                break;
            case 4:
                store.despawn(one());
                break;
            case 5:
                buffer.remove<P>(one());
                break;
            case 6:
                buffer.despawn(one());
                break;
            case 7:
                store.apply(buffer);
                break;
            case 8:
                if (random() % 20 == 0) store.clear();
                break;
            default:
                for (const Entity entity : store.removed<P>(seen)) --lost[entity];
                seen = store.advance();
                store.forget_removed(seen);
            }
            for (const Entity entity : all) { // nothing loses it and gets it again in one step
                const int has = store.has<P>(entity) ? 1 : 0;
                if (had[entity] > has) ++lost[entity];
                had[entity] = has;
            }
        }
        for (const Entity entity : store.removed<P>(seen)) --lost[entity];
        for (const auto& [entity, count] : lost) CHECK(count == 0);
    }
}
