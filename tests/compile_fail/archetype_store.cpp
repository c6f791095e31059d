// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>

using namespace slotwise;

struct Position {
    float x = 0;
};
struct Hidden {};
struct NoDefault {
    int number;
    explicit NoDefault(int n) : number(n) {}
};
struct Constant {
    const int number = 0;
};

//=== removes_nothing ===//
// expect: no matching
ArchetypeStore store;
const Entity entity = store.spawn(Position{});
store.remove<Position>(entity);
store.remove<>(entity); // faulty

//=== adds_a_default_that_there_is_not ===//
// expect: a type has no default value; write add(entity, values...)
ArchetypeStore store;
const Entity entity = store.spawn(NoDefault(1));
store.add<Position>(entity);
store.add<NoDefault>(entity); // faulty

//=== value_of_a_tag ===//
// expect: a type without state is a tag, which has no value; ask has<T>
ArchetypeStore store;
const Entity entity = store.spawn(Position{}, Hidden{});
store.get<Position>(entity);
store.get<Hidden>(entity); // faulty

//=== hook_of_another_type ===//
// expect: hooks of a type are called as f(Entity, T&) or f(Entity)
ArchetypeStore store;
store.on_add<Position>([](Entity, Position&) {});
store.on_add<Position>([](Entity, int*) {}); // faulty

//=== a_hook_by_id_of_other_arguments ===//
// expect: hooks by id are called as f(Entity, ComponentId, void*)
ArchetypeStore store;
const ComponentId place = store.registry().add_tag("place");
store.on_add(place, [](Entity) {});
store.on_add(place, [](ComponentId) {}); // faulty

//=== a_component_twice ===//
// expect: an entity has one value of each
ArchetypeStore store;
store.spawn(Position{});
store.spawn(Position{}, Position{}); // faulty

//=== spawns_an_entity ===//
// expect: an Entity is no component
// lines: 40
ArchetypeStore store;
const Entity entity = store.spawn(Position{});
store.spawn(entity, Position{}); // faulty

//=== a_hook_about_an_entity ===//
// expect: an Entity is no component
ArchetypeStore store;
store.on_add<Position>([](Entity) {});
store.on_add<Entity>([](Entity) {}); // faulty

//=== records_an_entity_as_a_value ===//
// expect: an Entity is no component
ArchetypeStore store;
CommandBuffer commands(store);
const Entity entity = store.spawn(Position{});
commands.add(entity, Position{});
commands.add(entity, entity); // faulty

//=== set_of_what_cannot_be_assigned ===//
// expect: values of this type cannot be assigned
ArchetypeStore store;
const Entity entity = store.spawn(Constant{1});
store.set(entity, Position{});
store.set(entity, Constant{2}); // faulty

//=== a_command_with_a_type_twice ===//
// expect: two values have one type; give one of each
ArchetypeStore store;
CommandBuffer commands(store);
commands.spawn(Position{});
commands.spawn(Position{}, Position{}); // faulty

//=== defers_a_function_without_a_buffer ===//
// expect: f takes a CommandBuffer&, as in store.defer
ArchetypeStore store;
store.defer([](CommandBuffer& commands) { commands.spawn(Position{}); });
store.defer([] {}); // faulty

//=== a_command_that_removes_nothing ===//
// expect: no matching
ArchetypeStore store;
CommandBuffer commands(store);
commands.remove<Position>(store.spawn(Position{}));
commands.remove<>(Entity()); // faulty

//=== sorts_a_tag_by_values ===//
// expect: less takes (const T&, const T&), or (Entity, Entity)
ArchetypeStore store;
store.sort<Hidden>([](Entity a, Entity b) { return a < b; });
store.sort<Hidden>([](const Hidden&, const Hidden&) { return false; }); // faulty
