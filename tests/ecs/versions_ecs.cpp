// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The ids of a store over the whole life of an index: entities have 16 version bits, so one index can be used up.
#include "support/catch.hpp"
#include "support/sweep.hpp"

#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>

#include <set>
#include <string>
#include <vector>

using namespace slotwise;

namespace {

struct Position {
    int x = 0;
};
struct Mark {};

} // namespace

TEST_CASE("ArchetypeStore: no entity of an index resolves again until the index is used up, and none does then",
          "[ecs][versions]") {
    ArchetypeStore store;
    const Entity witness = store.spawn(Position{-1});
    CommandBuffer commands(store);
    std::vector<Entity> dead;
    std::size_t asked = 0;
    bool sound = true;
    const auto is_gone = [&](Entity entity) {
        ++asked;
        return !store.is_alive(entity) && store.get<Position>(entity) == nullptr && !store.has<Position>(entity) &&
               !store.add<Mark>(entity) && !store.set(entity, Position{7}) && !store.despawn(entity);
    };
    // By turns spawned by the store and by commands; the value tells which entity it is.
    const auto spawn = [&](int number) {
        if (number % 2 == 0) return store.spawn(Position{number});
        const Entity entity = commands.spawn(Position{number});
        store.apply(commands);
        return entity;
    };
    Entity now = spawn(0);
    const slot_t index = now.index();
    for (int number = 0; now.index() == index && number <= 1 << 16; now = spawn(number)) {
        const Position* const there = store.get<Position>(now);
        sound = sound && there != nullptr && there->x == number;
        // The first ones, the last ones, and some between.
        for (std::size_t i = dead.size(), step = 1; i >= step; i -= step, step *= 2) sound = sound && is_gone(dead[i - step]);
        if (!dead.empty()) sound = sound && is_gone(dead.front());
        sound = sound && store.size() == 2 && store.despawn(now);
        dead.push_back(now);
        ++number;
    }
    CHECK(now.index() != index);
    CHECK(dead.size() > 1000);
    CHECK(std::set<Entity>(dead.begin(), dead.end()).size() == dead.size());
    for (const Entity entity : dead) sound = sound && is_gone(entity);
    CHECK(sound);
    CHECK(store.at<Position>(witness).x == -1);
    CHECK(store.check_invariants());
    test::report("versions", "ArchetypeStore 16 bits", std::to_string(dead.size()), std::to_string(asked));
}
