// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "arena.hpp"

#include <slotwise/ecs/relation_map.hpp>

#include <string>

using namespace slotwise;
using test::Arena;

//=== relations_of_texts ===//
// expect: for names take numbers of an interner
RelationMap<int, int, int> map;
RelationMap<std::string, int, int> other; // faulty

//=== options_of_a_slot_map ===//
// expect: the options of a relation map are Options<RelationMapOptions{...}>
RelationMap<int, int, int, Options<RelationMapOptions{.exclusive = true}>> map;
RelationMap<int, int, int, Options<SlotMapOptions{}>> other; // faulty

//=== made_without_its_allocator ===//
// expect: is_default_constructible
RelationMap<int, int, int, AllocBy<Arena<int>>> map(Arena<std::byte>(nullptr));
RelationMap<int, int, int, AllocBy<Arena<int>>> other; // faulty
