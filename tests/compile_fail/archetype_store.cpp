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
// expect: name what is removed, as in remove<Position>(entity)
ArchetypeStore store;
const Entity entity = store.spawn(Position{});
store.remove<Position>(entity);
store.remove<>(entity); // faulty

//=== names_no_component ===//
// expect: name a component, as in get<Position>(entity)
ArchetypeStore store;
const Entity entity = store.spawn(Position{});
store.at<Position>(entity);
store.at(entity); // faulty

//=== asks_for_nothing ===//
// expect: name a component, as in get<Position>(entity)
ArchetypeStore store;
const Entity entity = store.spawn(Position{});
static_cast<void>(store.has_any<Position>(entity));
static_cast<void>(store.has_any(entity)); // faulty

//=== gets_a_reference ===//
// expect: a component is named as T, or as const T
ArchetypeStore store;
const Entity entity = store.spawn(Position{});
static_cast<void>(store.get<Position, NoDefault>(entity));
static_cast<void>(store.get<Position&>(entity)); // faulty

//=== values_of_tags ===//
// expect: get<Ts...>: a type without state is a tag
ArchetypeStore store;
const Entity entity = store.spawn(Position{}, Hidden{});
static_cast<void>(store.has<Position, Hidden>(entity));
static_cast<void>(store.get<Position, Hidden>(entity)); // faulty

//=== gets_or_adds_a_tag ===//
// expect: write add<T>(entity)
ArchetypeStore store;
const Entity entity = store.spawn();
store.get_or_add<Position>(entity);
store.get_or_add<Hidden>(entity); // faulty

//=== gets_or_adds_from_what_builds_nothing ===//
// expect: T cannot be built as T(args...)
ArchetypeStore store;
const Entity entity = store.spawn();
store.get_or_add<NoDefault>(entity, 5);
store.get_or_add<NoDefault>(entity); // faulty

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
