// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Hooks of a store, and what may not change it: hooks, constructors and destructors of values, and walks.
#include "ecs/inside.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/series/delta_tracker.hpp>

#include <string>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Health {
    int left = 0;
};
struct Marker {};

using Log = std::vector<std::string>;

/// A store whose hooks of Health and Marker write down what they saw.
struct Watched {
    ArchetypeStore store{};
    Log log{};
    HookId added = store.on_add<Health>([this](Entity, Health& health) { say("add", health); });
    HookId removed = store.on_remove<Health>([this](Entity, Health& health) { say("remove", health); });
    HookId set = store.on_set<Health>([this](Entity, Health& health) { say("set", health); });
    HookId marked = store.on_add<Marker>([this](Entity) { log.push_back("mark"); });
    HookId unmarked = store.on_remove<Marker>([this](Entity, Marker&) { log.push_back("unmark"); });

    void say(const char* what, const Health& health) { log.push_back(what + (" " + std::to_string(health.left))); }
    Log take() { return std::exchange(log, {}); }
};

} // namespace

TEST_CASE("ArchetypeStore hooks: add is called after, remove before the change, by whatever means it comes", "[ecs]") {
    Watched watched;
    ArchetypeStore& store = watched.store;
    const Entity entity = store.spawn(Health{1});
    CHECK(watched.take() == Log{"add 1"});
    CHECK(store.add(entity, Health{2})); // it has one
    CHECK(watched.take().empty());
    store.remove<Health, Position>(entity);
    CHECK(watched.take() == Log{"remove 1"});
    store.add(entity, Health{3}, Marker{}, Position{});
    CHECK(watched.take() == Log{"add 3", "mark"});
    const ComponentId ids[] = {store.registry().id<Health>(), store.registry().id<Marker>()};
    store.remove(entity, ids);
    CHECK(watched.take() == Log{"remove 3", "unmark"});
    store.add(entity, ids);
    CHECK(watched.take() == Log{"add 0", "mark"});
    store.add<Marker>(entity);
    CHECK(watched.take().empty());
    store.despawn(entity);
    CHECK(watched.take() == Log{"remove 0", "unmark"});
    store.builder().with(Health{4}).with<Marker>().spawn();
    CHECK(watched.take() == Log{"add 4", "mark"});
    static_cast<void>(store.spawn_n(2, Health{5}));
    CHECK(watched.take() == Log{"add 5", "add 5"});
    CHECK(store.spawn_at(Entity(100, 1), Health{6}));
    CHECK(watched.take() == Log{"add 6"});
    store.clear();
    CHECK(watched.take().size() == 5);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore hooks: set is called for what set() gave, after add", "[ecs]") {
    Watched watched;
    ArchetypeStore& store = watched.store;
    const Entity entity = store.spawn(Position{});
    store.set(entity, Health{1});
    CHECK(watched.take() == Log{"add 1", "set 1"});
    store.set(entity, Health{2});
    CHECK(watched.take() == Log{"set 2"});
    store.set(entity, Position{}, Health{3});
    CHECK(watched.take() == Log{"set 3"});
    const Health health{4};
    store.set(entity, store.registry().id<Health>(), AnyValue::of(health));
    CHECK(watched.take() == Log{"set 4"});
    store.get<Health>(entity)->left = 5; // nobody can know when it is over
    CHECK(watched.take().empty());
}

TEST_CASE("ArchetypeStore hooks: one that was taken off is not called any more", "[ecs]") {
    Watched watched;
    ArchetypeStore& store = watched.store;
    int calls = 0;
    const HookId second = store.on_add<Health>([&](Entity) { watched.log.push_back("second " + std::to_string(++calls)); });
    store.spawn(Health{1});
    CHECK(watched.take() == Log{"add 1", "second 1"}); // in the order in which they were added
    CHECK(store.off(watched.added));
    CHECK_FALSE(store.off(watched.added));
    CHECK_FALSE(store.off(HookId()));
    store.spawn(Health{2});
    CHECK(watched.take() == Log{"second 2"});
    CHECK(store.off(second));
    store.spawn(Health{3});
    CHECK(watched.take().empty());
}

TEST_CASE("ArchetypeStore hooks: by id they are called with the value, and for each pair of a relation", "[ecs]") {
    ArchetypeStore store;
    const ComponentId likes = store.registry().relation<Health>();
    const ComponentId owns = store.registry().add_relation("owns", {.exclusive = true});
    const Entity a = store.spawn(), b = store.spawn(), entity = store.spawn();
    std::vector<ComponentId> seen;
    int values = 0;
    store.on_add(pair(likes, any), [&](Entity each, ComponentId id, void* value) {
        CHECK(each == entity);
        seen.push_back(id);
        values += static_cast<Health*>(value)->left;
    });
    store.on_remove(pair(owns, any), [&](Entity, ComponentId id, void* value) {
        CHECK(value == nullptr);
        seen.push_back(id);
    });
    store.on_add(pair(owns, b), [&](Entity) { seen.push_back(owns); });
    const Health one{1}, two{2};
    store.add(entity, pair(likes, a), AnyValue::of(one));
    store.add(entity, pair(likes, b), AnyValue::of(two));
    CHECK(seen == std::vector<ComponentId>{pair(likes, a), pair(likes, b)});
    CHECK(values == 3);
    seen.clear();
    store.add(entity, pair(owns, a));
    store.add(entity, pair(owns, b)); // replaces the one before
    CHECK(seen == std::vector<ComponentId>{pair(owns, a), owns});
    seen.clear();
    store.despawn(b); // a target that dies takes its pairs along
    CHECK(seen == std::vector<ComponentId>{pair(owns, b)});
    CHECK_FALSE(thrown_text<std::invalid_argument>([&] { store.on_add(pair(any, b), [](Entity) {}); }).empty());
    CHECK_FALSE(thrown_text<std::invalid_argument>([&] { store.on_add(ComponentId(), [](Entity) {}); }).empty());
}

TEST_CASE("ArchetypeStore hooks: components outside the tables have them too", "[ecs]") {
    Watched watched;
    ArchetypeStore& store = watched.store;
    struct Tag {};
    store.registry().add<std::string>({.sparse = true});
    store.registry().add<Tag>({.sparse = true});
    const auto say = [&](const char* what) {
        return [&watched, what](Entity, std::string& text) { watched.log.push_back(what + (" " + text)); };
    };
    store.on_add<std::string>(say("add"));
    store.on_remove<std::string>(say("remove"));
    store.on_set<std::string>(say("set"));
    store.on_remove<Tag>([&](Entity) { watched.log.push_back("untag"); });
    const Entity entity = store.spawn(std::string("a"), Health{1});
    CHECK(watched.take() == Log{"add 1", "add a"});
    store.set(entity, std::string("b"));
    CHECK(watched.take() == Log{"set b"});
    store.remove<std::string>(entity);
    CHECK(watched.take() == Log{"remove b"});
    store.set(entity, std::string("c"));
    CHECK(watched.take() == Log{"add c", "set c"});
    store.add(entity, Tag{});
    store.despawn(entity);
    CHECK(watched.take() == Log{"remove 1", "remove c", "untag"});
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore hooks: they may read and write values of the store", "[ecs]") {
    ArchetypeStore store;
    const Entity counter = store.spawn(Health{0});
    store.on_add<Position>([&](Entity entity, Position& position) {
        CHECK(store.get<Position>(entity) == &position); // its new place
        store.set(counter, Health{store.get<Health>(counter)->left + 1});
    });
    store.on_remove<Position>([&](Entity entity) {
        CHECK(store.has<Position>(entity));
        --store.get<Health>(counter)->left;
    });
    const Entity entity = store.spawn(Position{});
    store.spawn(Position{}, Marker{});
    CHECK(store.get<Health>(counter)->left == 2);
    store.despawn(entity);
    CHECK(store.get<Health>(counter)->left == 1);
}

TEST_CASE("ArchetypeStore hooks: what one throws reaches the caller, and the change stays", "[ecs]") {
    ArchetypeStore store;
    // What it throws is an error of the library's, so that the words are those of the failure hook where nothing can be thrown.
    const std::string refused = "open(time): time is \"never\", the lowest value of its type; give a later one";
    store.on_add<Health>([](Entity) { DeltaTracker<>().open(TimeTraits<std::int64_t>::never()); });
    const Entity entity = store.spawn(Position{});
    CHECK(thrown_text<std::invalid_argument>([&] { store.add(entity, Health{1}); }) == refused);
#if defined(__cpp_exceptions)
    CHECK(store.get<Health>(entity)->left == 1);
    CHECK(thrown_text<std::invalid_argument>([&] { store.spawn(Health{2}); }) == refused);
    CHECK(store.size() == 2);
    CHECK(store.add<Marker>(entity)); // the store is at rest
#endif
    CHECK(store.check_invariants());
}

#if SLOTWISE_CHECK_LEVEL >= 1
TEST_CASE("ArchetypeStore: a hook that changes the structure is refused by a text that names CommandBuffer", "[ecs][death]") {
    ArchetypeStore store;
    const Entity other = store.spawn();
    const auto refused = [&](auto&& change) {
        return death_of([&] {
                   store.on_add<Health>([&](Entity entity) { change(entity); });
                   store.spawn(Health{});
               }).find("CommandBuffer") != std::string::npos;
    };
    CHECK(refused([&](Entity) { store.spawn(); }));
    CHECK(refused([&](Entity entity) { store.despawn(entity); }));
    CHECK(refused([&](Entity) { store.add<Marker>(other); }));
    CHECK(refused([&](Entity) { store.add(other, store.registry().id<Marker>()); }));
    CHECK(refused([&](Entity entity) { store.remove<Health>(entity); }));
    CHECK(refused([&](Entity entity) { store.set(entity, Position{}); }));
    CHECK(refused([&](Entity) { static_cast<void>(store.spawn_n(3, Position{})); }));
    CHECK(refused([&](Entity) { store.spawn_at(Entity(50, 1)); }));
    CHECK(refused([&](Entity) { store.builder().spawn(); }));
    CHECK(refused([&](Entity) { store.clear(); }));
    CHECK(refused([&](Entity) { store.shrink_to_fit(); }));
    CHECK(refused([&](Entity) { store.reserve<Position>(10); }));
    CHECK_FALSE(refused([&](Entity entity) { store.set(entity, Health{1}); }));
    CHECK(death_of([&] {
              store.on_add<Health>([&](Entity) { store.on_add<Position>([](Entity) {}); });
              store.spawn(Health{});
          }).find("after the change") != std::string::npos);
}

TEST_CASE("ArchetypeStore: constructors and destructors of values that change its structure are refused", "[ecs][death]") {
    ArchetypeStore store;
    struct Spawner {
        ArchetypeStore* store = nullptr;
        explicit Spawner(ArchetypeStore& of) : store(&of) {}
        Spawner(Spawner&& other) noexcept : store(other.store) {
            if (store != nullptr) store->spawn();
        }
        Spawner& operator=(Spawner&&) = default;
    };
    CHECK(death_of([&] { store.spawn(Spawner(store)); }).find("CommandBuffer") != std::string::npos);
    const Entity entity = store.spawn(CallsOnDestroy(1, [&] { store.spawn(); }));
    CHECK(death_of([&] { store.despawn(entity); }).find("CommandBuffer") != std::string::npos);
    CHECK(death_of([&] { store.remove<CallsOnDestroy>(entity); }).find("CommandBuffer") != std::string::npos);
    CHECK(death_of([&] { store.set(entity, CallsOnDestroy(2)); }).find("CommandBuffer") != std::string::npos);
    ::new (static_cast<void*>(&store)) ArchetypeStore(std::move(store)); // its values are destroyed without a store to change
    inside(store).changing = false;
    store.get<CallsOnDestroy>(entity)->~CallsOnDestroy();
    ::new (static_cast<void*>(store.get<CallsOnDestroy>(entity))) CallsOnDestroy(0);
}

TEST_CASE("ArchetypeStore: no structure changes while a query walks", "[ecs][death]") {
    ArchetypeStore store;
    const Entity entity = store.spawn(Position{});
    inside(store).begin_walk();
    const auto refused = [&](auto&& change) {
        return death_of(change).find("a query is walking; record the change in a CommandBuffer") != std::string::npos;
    };
    CHECK(refused([&] { store.spawn(); }));
    CHECK(refused([&] { store.despawn(entity); }));
    CHECK(refused([&] { store.add<Marker>(entity); }));
    CHECK(refused([&] { store.remove<Position>(entity); }));
    CHECK(refused([&] { store.clear(); }));
    CHECK(store.set(entity, Position{1, 1})); // values may change
    CHECK(store.get<Position>(entity)->x == 1);
    inside(store).end_walk();
    CHECK(store.add<Marker>(entity));
    CHECK(store.check_invariants());
}
#endif

TEST_CASE("ArchetypeStore: on_remove sees the old target of a switched relation, and targets that are new", "[ecs][hooks]") {
    ArchetypeStore store;
    const ComponentId mood = store.registry().add_relation("mood", {.switched = true});
    std::vector<Entity> targets, sources;
    for (int i = 0; i != 40; ++i) targets.push_back(store.spawn());
    for (int i = 0; i != 10; ++i) {
        sources.push_back(store.spawn());
        store.relate(sources.back(), mood, targets[0]);
    }
    std::size_t calls = 0;
    bool sound = true;
    store.on_remove(pair(mood, any), [&](Entity entity, ComponentId id, void*) {
        ++calls;
        sound = sound && store.target(entity, mood) == id.target() && store.has(entity, id);
        std::size_t found = 0;
        for (const Entity source : store.sources(mood, id.target())) found += source == entity ? 1u : 0u;
        sound = sound && found == 1;
    });
    for (const Entity target : targets) // each gets its first source, then more of them than it has room for
        for (const Entity source : sources) {
            const bool same = store.target(source, mood) == target;
            const std::size_t before = calls;
            store.relate(source, mood, target);
            REQUIRE(calls == before + (same ? 0 : 1));
            REQUIRE(store.target(source, mood) == target);
            REQUIRE(store.check_invariants());
        }
    CHECK(sound);
    CHECK(calls == 390);
}

TEST_CASE("ArchetypeStore: what an on_remove hook disables and writes goes with the row", "[ecs][hooks]") {
    struct Switch {
        int value = 0;
    };
    struct Lost {
        int value = 0;
    };
    for (const bool before : {false, true})
        for (int count = 1; count != 20; ++count) {
            ArchetypeStore store;
            const ComponentId toggled = store.registry().add<Switch>({.toggle = true});
            std::vector<Entity> entities;
            for (int i = 0; i != count; ++i) entities.push_back(store.spawn(Switch{i}, Lost{}));
            const Entity other = store.spawn(Switch{});
            if (before) store.enable(other, toggled, false);
            store.on_remove<Lost>([&](Entity entity) {
                store.enable(entity, toggled, false);
                store.get<Switch>(entity)->value += 100;
                store.enable(other, toggled, before);
            });
            for (const Entity entity : entities) REQUIRE(store.remove<Lost>(entity));
            REQUIRE(store.check_invariants());
            for (std::size_t i = 0; i != entities.size(); ++i) {
                REQUIRE(!store.is_enabled(entities[i], toggled));
                REQUIRE(store.get<Switch>(entities[i])->value == 100 + static_cast<int>(i));
            }
            REQUIRE(store.is_enabled(other, toggled) == before);
        }
}
