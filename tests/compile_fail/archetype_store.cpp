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
struct Pinned {
    int number;
    explicit Pinned(int n = 0) : number(n) {}
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
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

//=== patches_a_tag ===//
// expect: a tag, which has no value to be changed; modified<T>(entity) calls on_set
ArchetypeStore store;
const Entity entity = store.spawn(Position{}, Hidden{});
store.patch<Position>(entity, [](Position&) {});
store.patch<Hidden>(entity, [](Hidden&) {}); // faulty

//=== patches_by_another_function ===//
// expect: ArchetypeStore::patch<T>(entity, f): f is called as f(T&)
ArchetypeStore store;
const Entity entity = store.spawn(Position{});
store.patch<Position>(entity, [](Position&) {});
store.patch<Position>(entity, [](Entity, Position&) {}); // faulty

//=== patches_by_id_by_another_function ===//
// expect: ArchetypeStore::patch(entity, id, f): f is called as f(void*)
ArchetypeStore store;
const Entity entity = store.spawn(Position{});
const ComponentId place = store.registry().id<Position>();
store.patch(entity, place, [](void*) {});
store.patch(entity, place, [](Position&) {}); // faulty

//=== takes_a_tag ===//
// expect: a tag, which has no value to be returned; write has<T>(entity) and remove<T>(entity)
ArchetypeStore store;
const Entity entity = store.spawn(Position{}, Hidden{});
static_cast<void>(store.take<Position>(entity));
static_cast<void>(store.take<Hidden>(entity)); // faulty

//=== emplaces_a_tag ===//
// expect: a tag, which is built of nothing; write add<T>(entity)
ArchetypeStore store;
const Entity entity = store.spawn(Position{});
store.emplace<NoDefault>(entity, 1);
store.emplace<Hidden>(entity); // faulty

//=== emplaces_from_other_arguments ===//
// expect: ArchetypeStore::emplace<T>(entity, args...): there is no T(args...) and no T{args...}
ArchetypeStore store;
const Entity entity = store.spawn(Position{});
store.emplace<NoDefault>(entity, 1);
store.emplace<NoDefault>(entity, "one", 2); // faulty

//=== spawns_what_cannot_be_moved ===//
// expect: can be neither copied nor moved; register it with {.sparse = true}, and build it in place by emplace<T>(entity, args...)
ArchetypeStore store;
const Entity entity = store.spawn(Position{});
store.registry().add<Pinned>({.sparse = true});
store.emplace<Pinned>(entity, 1);
store.spawn(Pinned(1)); // faulty

//=== adds_what_cannot_be_moved ===//
// expect: can be neither copied nor moved; register it with {.sparse = true}, and build it in place by emplace<T>(entity, args...)
ArchetypeStore store;
const Entity entity = store.spawn(Position{});
store.add(entity, Position{});
store.add(entity, Pinned(1)); // faulty

//=== takes_what_cannot_be_moved ===//
// expect: can be neither copied nor moved; register it with {.sparse = true}
ArchetypeStore store;
const Entity entity = store.spawn(Position{});
store.remove<Pinned>(entity);
static_cast<void>(store.take<Pinned>(entity)); // faulty

//=== a_builder_with_what_cannot_be_moved ===//
// expect: can be neither copied nor moved; register it with {.sparse = true}
ArchetypeStore store;
store.builder().with<Pinned>();
store.builder().with(Pinned(1)); // faulty

//=== records_what_cannot_be_moved ===//
// expect: can be neither copied nor moved; register it with {.sparse = true}
ArchetypeStore store;
CommandBuffer commands(store);
const Entity entity = commands.spawn(Position{});
commands.add<Pinned>(entity);
commands.add(entity, Pinned(1)); // faulty

//=== builds_in_a_buffer_what_cannot_be_moved ===//
// expect: so they cannot wait in a buffer; write call([=](ArchetypeStore& store) { store.emplace<T>(entity, args...); })
ArchetypeStore store;
CommandBuffer commands(store);
const Entity entity = commands.spawn(Position{});
commands.emplace<NoDefault>(entity, 1);
commands.emplace<Pinned>(entity, 1); // faulty

//=== builds_a_tag_in_a_buffer ===//
// expect: CommandBuffer::emplace<T>: a type without state is a tag, which is built of nothing; write add<T>(entity)
ArchetypeStore store;
CommandBuffer commands(store);
const Entity entity = commands.spawn(Position{});
commands.add<Hidden>(entity);
commands.emplace<Hidden>(entity); // faulty

//=== builds_in_a_buffer_from_other_arguments ===//
// expect: CommandBuffer::emplace<T>(entity, args...): there is no T(args...) and no T{args...}
ArchetypeStore store;
CommandBuffer commands(store);
const Entity entity = commands.spawn(Position{});
commands.emplace<NoDefault>(entity, 1);
commands.emplace<NoDefault>(entity); // faulty

//=== calls_a_function_of_other_arguments ===//
// expect: CommandBuffer::call(f): f is called as f(ArchetypeStore&) or f()
ArchetypeStore store;
CommandBuffer commands(store);
commands.call([](ArchetypeStore&) {});
commands.call([](CommandBuffer&) {}); // faulty

//=== drops_a_token ===//
// expect: ignoring return value of function declared with 'nodiscard' || ignoring return value of
// flags: -Werror=unused-result
ArchetypeStore store;
const HookToken token = store.scoped(store.on_add<Position>([](Entity) {}));
store.scoped(store.on_add<Position>([](Entity) {})); // faulty

//=== resource_that_is_constant ===//
// expect: a resource is an object that is not const; wrap an array or a reference in a struct
ArchetypeStore store;
store.emplace_resource<int>(1);
store.emplace_resource<const int>(1); // faulty

//=== sorts_a_tag_by_values ===//
// expect: less takes (const T&, const T&), or (Entity, Entity)
ArchetypeStore store;
store.sort<Hidden>([](Entity a, Entity b) { return a < b; });
store.sort<Hidden>([](const Hidden&, const Hidden&) { return false; }); // faulty

//=== snapshot_by_another_codec ===//
// expect: the codec of a store's snapshot is an AnyCodec
ArchetypeStore store;
static_cast<void>(store.snapshot(AnyCodec()));
static_cast<void>(store.snapshot(DefaultCodec())); // faulty

//=== part_by_another_codec ===//
// expect: the codec of a store's snapshot is an AnyCodec
ArchetypeStore store;
static_cast<void>(store.snapshot_of(store.query<>(), AnyCodec()));
static_cast<void>(store.snapshot_of(store.query<>(), DefaultCodec())); // faulty

//=== restores_by_another_codec ===//
// expect: the codec of a store's snapshot is an AnyCodec
ArchetypeStore store;
store.restore({}, AnyCodec());
store.restore({}, DefaultCodec()); // faulty

//=== inserts_by_another_codec ===//
// expect: the codec of a store's snapshot is an AnyCodec
ArchetypeStore store;
store.insert_snapshot({}, AnyCodec());
store.insert_snapshot({}, DefaultCodec()); // faulty
