// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/ecs/archetype_store.hpp>

using namespace slotwise;

//=== defer_without_its_header ===//
// expect: include <slotwise/ecs/command_buffer.hpp>
// lines: 10
#include <slotwise/ecs/command_buffer.hpp> // control

ArchetypeStore store;
store.spawn(1.0F);
store.defer([&](auto& commands) {
    for (auto [entity, number] : store.query<const float>())
        if (number > 0) commands.despawn(entity);
});
