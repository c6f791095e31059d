// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A store, commands and a query, whose functions are in the compiled library, and a store that crosses to another source.
#include <slotwise/ecs/command_buffer.hpp>

#include <cstdio>

std::size_t count_positions(const slotwise::ArchetypeStore& store);

struct Position {
    float x, y;
};

int main() {
    slotwise::ArchetypeStore store;
    slotwise::CommandBuffer commands(store);
    const slotwise::Entity first = store.spawn(Position{1, 2});
    store.spawn(Position{3, 4}, 7);
    commands.despawn(first);
    const bool before = count_positions(store) == 2;
    store.apply(commands);
    const bool right = before && count_positions(store) == 1 && !store.is_alive(first) && store.check_invariants();
    std::printf("slotwise %d.%d.%d: %s\n", SLOTWISE_VERSION_MAJOR, SLOTWISE_VERSION_MINOR, SLOTWISE_VERSION_PATCH,
                right ? "works" : "is broken");
    return right ? 0 : 1;
}
