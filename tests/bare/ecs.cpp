// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Without exceptions and RTTI: stores, queries, commands, relations and events do what they do with them, and say in the hook
// what they refuse.
#include "bare.hpp"

#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>
#include <slotwise/ecs/event_queue.hpp>
#include <slotwise/ecs/relation_map.hpp>

#include <memory>
#include <string>

using namespace slotwise;
using bare::check;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float x = 0, y = 0;
};
struct Name {
    std::string text;
};
struct Hidden {};

void run_store() {
    ArchetypeStore store;
    store.registry().add<Hidden>({.sparse = true});
    const Entity car = store.spawn(Position{1, 2}, Velocity{1, 0}, Name{"a car with a long name, which is on the heap"});
    const auto made = store.spawn_n(100, Position{5, 5});
    const Entity stone = made[7];
    store.add(stone, std::make_unique<int>(7));
    store.add<Hidden>(stone);
    for (int frame = 0; frame != 3; ++frame)
        store.query<Position, const Velocity>().for_each([](Position& p, const Velocity& v) { p.x += v.x; });
    check(store.at<Position>(car).x == 4 && **store.get<std::unique_ptr<int>>(stone) == 7, "values");
    std::size_t rows = 0;
    for (auto [entity, p] : store.query<const Position>().exclude<Hidden>()) rows += p.y > 0 && entity != stone;
    check(rows == 100, "a query walks all but the hidden one");
    store.remove<Velocity>(car);
    check(store.at<Name>(car).text.size() == 44 && !store.has<Velocity>(car), "what stays is moved");
    check(store.despawn(stone) && !store.is_alive(stone) && !store.despawn(stone), "an entity dies once");
    check(store.get<Position>(stone) == nullptr && store.size() == 100 && store.check_invariants(), "and is not found");
    bool called = false;
    const HookId hook = store.on_remove<Name>([&](Entity, Name&) noexcept { called = true; });
    store.clear();
    store.off(hook);
    check(called && store.empty() && store.check_invariants(), "clear() calls hooks");
}

void run_commands() {
    ArchetypeStore store;
    const Entity first = store.spawn(Position{});
    CommandBuffer commands(store);
    store.query<Position>().for_each([&](Entity entity, Position&) { commands.add(entity, Velocity{3, 4}); });
    const Entity child = commands.spawn(Position{1, 1});
    commands.add(child, Name{"child"});
    store.apply(commands);
    check(store.at<Velocity>(first).y == 4 && store.at<Name>(child).text == "child", "commands are applied");
    commands.despawn(first);
    commands.set(child, Name{"grown"});
    store.apply(commands);
    check(!store.is_alive(first) && store.at<Name>(child).text == "grown" && store.check_invariants(), "and later ones");
}

void run_relations() {
    ArchetypeStore store;
    const ComponentId child_of =
        store.registry().add_relation("child_of", {.exclusive = true, .on_target_despawn = OnTargetDespawn::despawn});
    const Entity root = store.spawn(Position{}), other = store.spawn(Position{});
    const Entity leaf = store.builder().with(Position{}).relate(child_of, root).spawn();
    check(store.target(leaf, child_of) == root && store.has(leaf, pair(child_of, any)), "relate");
    store.relate(leaf, child_of, other);
    check(store.target(leaf, child_of) == other && store.query<Position>().with(child_of, any).size() == 1, "exclusive");
    store.despawn(root);
    check(store.is_alive(leaf) && store.despawn(other) && !store.is_alive(leaf), "children die with their parent");
    check(store.empty() && store.check_invariants(), "and nothing is left");

    RelationMap<Entity, int, Entity> map;
    map.insert(root, 1, leaf);
    map.insert(other, 1, leaf);
    check(map.sources(1, leaf).size() == 2 && map.erase_source(root) == 1 && map.contains(other, 1, leaf), "RelationMap");
}

void run_events() {
    EventQueue<std::string> events;
    EventQueue<std::string>::Reader reader;
    events.push("one");
    events.update();
    events.push("two");
    std::string seen;
    for (const std::string& event : reader.read(events)) seen += event;
    events.update();
    check(seen == "onetwo" && events.size() == 1 && reader.unread(events) == 0, "EventQueue");
}

constexpr bare::Case cases[] = {
    {"store_at", "ArchetypeStore::at: the entity", [] { ArchetypeStore().at<Position>(Entity(1, 1)); }},
    {"value_of_tag", "is a tag, which has no value",
     [] {
         ArchetypeStore store;
         store.add(store.spawn(), store.registry().add_tag("tag"), AnyValue::of(1));
     }},
    {"no_toggle", "cannot be disabled",
     [] {
         ArchetypeStore store;
         store.disable<Position>(store.spawn(Position{}));
     }},
    {"no_relation", "is no relation",
     [] {
         ArchetypeStore store;
         const Entity target = store.spawn();
         store.relate(store.spawn(), store.registry().id<Position>(), target);
     }},
    {"spawn_in_a_walk", "a query is walking",
     [] {
         ArchetypeStore store;
         store.spawn(Position{});
         store.query<Position>().for_each([&](Position&) { store.spawn(Position{}); });
     }},
    {"buffer_of_another", "made for another store",
     [] {
         ArchetypeStore store, other;
         CommandBuffer commands(other);
         commands.spawn(Position{});
         store.apply(commands);
     }},
};

} // namespace

int main(int count, char** arguments) {
    return bare::run(count, arguments, cases, [] {
        run_store();
        run_commands();
        run_relations();
        run_events();
    });
}
