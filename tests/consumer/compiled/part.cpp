// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/ecs/archetype_store.hpp>

std::size_t count_positions(const slotwise::ArchetypeStore& store);

struct Position {
    float x, y;
};

std::size_t count_positions(const slotwise::ArchetypeStore& store) { return store.query<const Position>().size(); }
