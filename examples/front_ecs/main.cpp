// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The ECS of README.md: a query, and commands that are recorded while it runs.
#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>

#include <iostream>

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};

int main() {
    // [readme]
    slotwise::ArchetypeStore world;
    const auto ship = world.spawn(Position{0, 0}, Velocity{6, 1});
    world.defer([&](auto& commands) {
        for (auto [entity, at, by] : world.query<Position, const Velocity>())
            if ((at.x += by.x) > 5) commands.despawn(entity);
    });
    std::cout << (world.is_alive(ship) ? "here\n" : "gone\n");
    // [/readme]
    return world.is_alive(ship) || world.size() != 0 ? 1 : 0;
}
