// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Hooks with a throw at every step of every change: what they were told is what is there. Memory runs out by the operator new of
// throwing_ecs.cpp.
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Plain {
    int value = 0;
};
struct Sparse {
    Throwing value{};
};
struct Health {
    Throwing value{};
};

/// Entities of which each is related to others, and what hooks were told of them.
struct World {
    ArchetypeStore store{};
    ComponentId tag = store.registry().add_tag("tag"), other = store.registry().add_tag("other"),
                likes = store.registry().add_relation("likes"),
                owner = store.registry().add_relation("owner", {.exclusive = true}),
                debt = store.registry().add_relation("debt", TypeDescriptor::of<Throwing>(), {.exclusive = true}),
                mood = store.registry().add_relation("mood", {.switched = true}),
                child = store.registry().add_relation("child", {.on_target_despawn = OnTargetDespawn::despawn}),
                plain = store.registry().id<Plain>(), health = store.registry().id<Health>(), sparse;
    std::vector<Entity> entities{};
    std::map<std::pair<std::uint64_t, ComponentId>, int> told{}; ///< added less removed
    std::map<std::uint64_t, int> values{};                       ///< of Plain
    bool hears = false;                                          ///< the hooks count
    int removals_until_throw = 0;                                ///< of on_remove; 0: none throws

    World() {
        sparse = store.registry().add<Sparse>({.sparse = true});
        for (int i = 0; i != 6; ++i) entities.push_back(store.spawn(Plain{i}, Health{}));
        const Entity target = entities[5];
        for (std::size_t i = 0; i != 4; ++i) {
            store.relate(entities[i], likes, target);
            store.relate(entities[i], owner, target);
            store.relate(entities[i], debt, target, AnyValue::of(Throwing(3)));
            store.relate(entities[i], mood, target);
            store.add(entities[i], Sparse{});
        }
        store.relate(entities[3], child, entities[4]);
        for (const ComponentId id : ids()) {
            store.on_add(id, [this](Entity entity, ComponentId of, void* value) {
                if (hears) ++told[{entity.to_bits(), of}];
                if (of == plain) values[entity.to_bits()] = static_cast<Plain*>(value)->value;
            });
            store.on_remove(id, [this](Entity entity, ComponentId of, void*) {
                if (hears && removals_until_throw != 0 && --removals_until_throw == 0) throw InjectedFailure();
                if (hears) --told[{entity.to_bits(), of}];
            });
        }
        store.on_set<Plain>([this](Entity entity, const Plain& value) { values[entity.to_bits()] = value.value; });
        for_each([&](Entity entity, ComponentId id, const void* value) { // hooks allocate nothing afterwards
            told[{entity.to_bits(), id}] = 1;
            if (id == plain) values[entity.to_bits()] = static_cast<const Plain*>(value)->value;
        });
        for (const Entity entity : entities)
            for (const ComponentId id :
                 {tag, other, pair(likes, entities[4]), pair(owner, entities[4]), pair(debt, entities[4]),
                  pair(mood, entities[4]), pair(mood, tag), pair(child, entities[4])})
                told[{entity.to_bits(), id}] += 0;
        for (slot_t index = 0; index != 12; ++index)
            for (const slot_t version : {1u, 3u})
                for (const ComponentId id : {plain, health, tag, sparse, pair(likes, entities[5]), pair(owner, entities[5])})
                    told[{Entity(index, version).to_bits(), id}] += 0, values[Entity(index, version).to_bits()] += 0;
        hears = true;
    }
    std::vector<ComponentId> ids() const {
        return {tag,
                other,
                plain,
                health,
                sparse,
                pair(likes, any),
                pair(owner, any),
                pair(debt, any),
                pair(mood, any),
                pair(child, any)};
    }
    template <class F>
    void for_each(F&& f) const {
        for (const Entity entity : store.entities())
            store.for_each_component(entity, [&](ComponentId id, const void* value) { f(entity, id, value); });
    }
    /// What the hooks were told and is not so; "" if nothing.
    std::string wrong() const {
        auto left = told;
        std::string text;
        for_each([&](Entity entity, ComponentId id, const void* value) {
            --left[{entity.to_bits(), id}];
            if (id == plain && values.at(entity.to_bits()) != static_cast<const Plain*>(value)->value) text += "value ";
        });
        for (const auto& [key, count] : left)
            if (count != 0) text += store.registry().name(key.second) + (count > 0 ? " was not added " : " was not told ");
        return text;
    }
};

using Operation = void (*)(World&);
struct Named {
    const char* name;
    Operation act;
};
const Named operations[] = {
    {"spawn", [](World& w) { w.store.spawn(Plain{1}, Health{}); }},
    {"spawn with sparse", [](World& w) { w.store.spawn(Plain{1}, Sparse{}); }},
    {"spawn_n", [](World& w) { w.store.spawn_n(3, Plain{1}, Health{}); }},
    {"spawn_n with sparse", [](World& w) { w.store.spawn_n(3, Plain{1}, Sparse{}); }},
    {"spawn_at", [](World& w) { w.store.spawn_at(Entity(9, 1), Plain{1}, Health{}); }},
    {"builder",
     [](World& w) { w.store.builder().with(Health{}).relate(w.likes, w.entities[5]).relate(w.owner, w.entities[5]).spawn(); }},
    {"add a tag", [](World& w) { w.store.add(w.entities[1], w.tag); }},
    {"add a list",
     [](World& w) {
         const ComponentId ids[] = {w.tag, w.other, pair(w.owner, w.entities[4]), pair(w.mood, w.entities[4])};
         w.store.add(w.entities[1], ids);
     }},
    {"add a value", [](World& w) { w.store.add(w.entities[4], Sparse{}); }},
    {"remove a value", [](World& w) { w.store.remove<Plain>(w.entities[1]); }},
    {"remove two values", [](World& w) { w.store.remove<Plain, Health>(w.entities[0]); }},
    {"remove by id", [](World& w) { w.store.remove(w.entities[1], w.health); }},
    {"remove a list",
     [](World& w) {
         const ComponentId ids[] = {w.plain, w.sparse, pair(w.likes, w.entities[5]), pair(w.mood, w.entities[5])};
         w.store.remove(w.entities[1], ids);
     }},
    {"remove a sparse one", [](World& w) { w.store.remove<Sparse>(w.entities[1]); }},
    {"set", [](World& w) { w.store.set(w.entities[1], Plain{7}); }},
    {"set two", [](World& w) { w.store.set(w.entities[1], Plain{7}, Health{}); }},
    {"set and add", [](World& w) { w.store.set(w.entities[4], Plain{7}, Sparse{}); }},
    {"set by id", [](World& w) { w.store.set(w.entities[1], w.plain, AnyValue::of(Plain{7})); }},
    {"relate", [](World& w) { w.store.relate(w.entities[1], w.likes, w.entities[4]); }},
    {"relate, exclusive", [](World& w) { w.store.relate(w.entities[1], w.owner, w.entities[4]); }},
    {"relate, exclusive with a value",
     [](World& w) {
         const Throwing value(5);
         w.store.relate(w.entities[1], w.debt, w.entities[4], AnyValue::of(value));
     }},
    {"relate, switched", [](World& w) { w.store.relate(w.entities[1], w.mood, w.entities[4]); }},
    {"a state", [](World& w) { w.store.add(w.entities[1], pair(w.mood, w.tag)); }},
    {"unrelate", [](World& w) { w.store.unrelate(w.entities[1], w.debt, w.entities[5]); }},
    {"unrelate all", [](World& w) { w.store.unrelate(w.entities[1], w.owner); }},
    {"unrelate, switched", [](World& w) { w.store.unrelate(w.entities[1], w.mood); }},
    {"despawn", [](World& w) { w.store.despawn(w.entities[0]); }},
    {"despawn a target", [](World& w) { w.store.despawn(w.entities[5]); }},
    {"despawn with children", [](World& w) { w.store.despawn(w.entities[4]); }},
    {"clear", [](World& w) { w.store.clear(); }},
    {"shrink_to_fit", [](World& w) { w.store.shrink_to_fit(); }},
    {"buffer",
     [](World& w) {
         CommandBuffer buffer(w.store);
         buffer.remove<Plain>(w.entities[0]);
         buffer.relate(w.entities[0], w.owner, w.entities[4]);
         buffer.despawn(w.entities[2]);
         buffer.add(w.entities[1], Health{});
         buffer.set(w.entities[3], Plain{9});
         w.store.apply(buffer);
     }},
};

} // namespace

// proves: remove_with_hooks throws
TEST_CASE("ArchetypeStore: hooks know what is there, whatever throws in whatever change", "[ecs][throws]") {
    for (const Named& operation : operations) {
        std::size_t failures = 0;
        const auto scenario = [&](auto&& attempt) {
            World world;
            const bool threw = attempt([&] { operation.act(world); });
            INFO(operation.name << (threw ? ", which threw" : ""));
            CHECK(world.wrong() == "");
            CHECK(world.store.check_invariants());
        };
        failures += fail_at_every_step(scenario) + run_out_of_memory(scenario);
        report_sweep(swept("remove_with_hooks"), failures);
    }
}

TEST_CASE("ArchetypeStore: an on_remove hook that throws leaves hooks that know what is there", "[ecs][throws]") {
    int thrown = 0;
    for (const Named& operation : operations)
        for (int call = 1;; ++call) {
            World world;
            world.removals_until_throw = call;
            bool threw = false;
            try {
                operation.act(world);
            } catch (const InjectedFailure&) {
                threw = true;
                ++thrown;
            }
            INFO(operation.name << ", at removal " << call);
            CHECK(world.wrong() == "");
            CHECK(world.store.check_invariants());
            if (!threw) break;
        }
    CHECK(thrown > 20);
}
