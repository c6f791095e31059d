// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Hooks of a store, and what may not change it: hooks, constructors and destructors of values, and walks.
#include "ecs/inside.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/command_buffer.hpp>
#include <slotwise/series/delta_tracker.hpp>

#include <optional>
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
struct Velocity {
    float x = 0;
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
    store.registry().add<Marker>("marker");
    store.registry().add<Velocity>("velocity");
    const auto refused = [&](const std::string& what, auto&& change) {
        const std::string words = "ArchetypeStore::" + what + ": a query is walking; record the change in a CommandBuffer";
        return death_of(change).find(words) != std::string::npos;
    };
    const std::string of = " (entity " + to_string(entity);
    CHECK(refused("spawn", [&] { store.spawn(); }));
    CHECK(refused("spawn (velocity)", [&] { store.spawn(Velocity{}); }));
    CHECK(refused("despawn" + of + ")", [&] { store.despawn(entity); }));
    CHECK(refused("add" + of + ", marker)", [&] { store.add<Marker>(entity); }));
    CHECK(refused("add" + of + ", velocity, marker)", [&] { store.add(entity, Velocity{}, Marker{}); }));
    CHECK(refused("set" + of + ", velocity)", [&] { store.set(entity, Velocity{}); }));
    CHECK(refused("remove" + of + ", velocity)", [&] { store.remove<Velocity>(entity); }));
    CHECK(refused("remove", [&] { store.remove<Velocity>(store.query<Position>()); }));
    CHECK(refused("clear", [&] { store.clear(); }));
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

TEST_CASE("ArchetypeStore: on_replace is called with the old value before it is assigned, and on_set after it",
          "[ecs][hooks]") {
    struct Level {
        int number = 0;
    };
    ArchetypeStore store;
    store.registry().add<Position>({.sparse = true});
    store.registry().add<Level>({.toggle = true, .tracked = true});
    const ComponentId debt = store.registry().relation<Health>();
    const Entity other = store.spawn();
    Log log;
    const auto say = [&](const char* what, int value) { log.push_back(what + (" " + std::to_string(value))); };
    const auto take = [&] { return std::exchange(log, {}); };
    store.on_replace<Position>([&](Entity, Position& of) { say("replace p", static_cast<int>(of.x)); });
    store.on_set<Position>([&](Entity, Position& of) { say("set p", static_cast<int>(of.x)); });
    store.on_replace<Level>([&](Entity, Level& of) { say("replace l", of.number); });
    store.on_set<Level>([&](Entity, Level& of) { say("set l", of.number); });
    store.on_replace<Marker>([&](Entity, Marker&) { log.push_back("replace m"); });
    store.on_set<Marker>([&](Entity) { log.push_back("set m"); });
    store.on_replace(pair(debt, any), [&](Entity, ComponentId, void* of) { say("replace d", static_cast<Health*>(of)->left); });
    store.on_set(pair(debt, any), [&](Entity, ComponentId, void* of) { say("set d", static_cast<Health*>(of)->left); });

    const Entity entity = store.spawn(Position{1, 0});
    CHECK(take().empty());
    store.set(entity, Level{1}, Marker{}); // nothing is replaced
    CHECK(take() == Log{"set l 1", "set m"});
    store.disable<Level>(entity);
    const tick_t seen = store.advance();
    store.set(entity, Level{2}, Position{2, 0}); // all on_replace before the first value is assigned
    CHECK(take() == Log{"replace l 1", "replace p 1", "set l 2", "set p 2"});
    CHECK(store.query<>().changed<Level>(seen).size() == 0); // it is disabled
    store.enable<Level>(entity);
    CHECK(store.query<>().changed<Level>(seen).size() == 1);
    store.set(entity, Marker{});
    CHECK(take() == Log{"replace m", "set m"});
    store.set(entity, Position{3, 0});
    CHECK(take() == Log{"replace p 2", "set p 3"});
    const Level three{3};
    store.set(entity, store.registry().id<Level>(), AnyValue::of(three));
    CHECK(take() == Log{"replace l 2", "set l 3"});
    store.add(entity, Level{4}, Position{}); // keeps both
    store.remove<Level>(entity);
    CHECK(take().empty());
    store.relate(entity, other, Health{1});
    CHECK(take() == Log{"set d 1"});
    store.relate(entity, other, Health{2});
    CHECK(take() == Log{"replace d 1", "set d 2"});

    store.patch<Position>(entity, [&](Position& of) { of.x += 1, log.push_back("patch"); });
    CHECK(take() == Log{"replace p 3", "patch", "set p 4"});
    store.patch(entity, pair(debt, other), [](void* of) { ++static_cast<Health*>(of)->left; });
    CHECK(take() == Log{"replace d 2", "set d 3"});
    store.get<Position>(entity)->x = 9;
    CHECK(store.modified<Position>(entity));
    CHECK(store.modified(entity, pair(debt, other)));
    CHECK(store.modified<Marker>(entity));
    CHECK(take() == Log{"set p 9", "set d 3", "set m"});
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: of several values in a command buffer on_replace is called once, with the one before",
          "[ecs][hooks]") {
    ArchetypeStore store;
    Log log;
    const auto say = [&](const char* what, const Health& of) { log.push_back(what + (" " + std::to_string(of.left))); };
    store.on_add<Health>([&](Entity, Health& of) { say("add", of); });
    store.on_remove<Health>([&](Entity, Health& of) { say("remove", of); });
    store.on_replace<Health>([&](Entity, Health& of) { say("replace", of); });
    store.on_set<Health>([&](Entity, Health& of) { say("set", of); });
    const Entity entity = store.spawn(Health{1}), none = store.spawn();
    log.clear();
    CommandBuffer buffer(store);
    buffer.set(entity, Health{2});
    buffer.add(entity, Health{3});
    buffer.set(entity, Health{4}, Position{});
    buffer.set(none, Health{5});
    buffer.set(none, Health{6}); // it has none before
    store.apply(buffer);
    CHECK(std::exchange(log, {}) == Log{"replace 1", "set 4", "add 6", "set 6"});
    buffer.set(entity, Health{7});
    buffer.remove<Health>(entity);
    store.apply(buffer);
    CHECK(std::exchange(log, {}) == Log{"replace 4", "set 7", "remove 7"}); // as the calls one after the other
    buffer.set(none, Health{8});
    buffer.despawn(none);
    store.apply(buffer);
    CHECK(std::exchange(log, {}) == Log{"remove 6"}); // it is not assigned
}

TEST_CASE("HookToken: the hook is taken off with it, whichever of the token and the store goes first", "[ecs][hooks]") {
    int calls = 0;
    HookToken outlives;
    CHECK_FALSE(outlives.attached());
    {
        ArchetypeStore store;
        const auto count = [&](Entity) { ++calls; };
        {
            const HookToken token = store.scoped(store.on_add<Health>(count));
            CHECK(token.attached());
            store.spawn(Health{});
        }
        CHECK(calls == 1);
        store.spawn(Health{});
        CHECK(calls == 1);
        outlives = store.scoped(store.on_add<Health>(count));
        HookToken second = store.scoped(store.on_add<Health>(count)), third(std::move(second));
        CHECK_FALSE(second.attached());
        store.spawn(Health{});
        CHECK(calls == 3);
        third = HookToken(); // takes it off
        store.spawn(Health{});
        CHECK(calls == 4);
        third = store.scoped(store.on_remove<Health>(count));
        const HookId kept = third.release();
        CHECK_FALSE(third.attached());
        CHECK(third.release() == HookId());
        CHECK(store.off(kept));
        const HookId own = store.on_add<Health>(count);
        const HookToken by_hand = store.scoped(own);
        CHECK(store.off(own)); // taken off otherwise
        CHECK_FALSE(by_hand.attached());
        ArchetypeStore moved(std::move(store));
        CHECK(outlives.attached());
        moved.spawn(Health{});
        CHECK(calls == 5);
        swap(outlives, third);
        outlives.swap(third);
    }
    CHECK_FALSE(outlives.attached()); // nothing is there to take it off
    outlives.detach();
}

TEST_CASE("ArchetypeStore: after on_replace comes on_set, also if another hook throws", "[ecs][hooks][throws]") {
#if SLOTWISE_EXCEPTIONS
    struct First {
        int value = 0;
    };
    struct Second {
        int value = 0;
    };
    for (const bool sparse : {false, true})
        for (const bool buffered : {false, true})
            for (const HookKind thrower : {HookKind::add, HookKind::set, HookKind::replace}) {
                ArchetypeStore store;
                store.registry().add<Second>({.sparse = sparse});
                const Entity entity = store.spawn(First{1}, Second{1});
                int first = 1, second = 1; // what an index has; 0: nothing
                const auto fail = [&](HookKind of) {
                    if (of == thrower) throw InjectedFailure();
                };
                store.on_replace<First>([&](Entity, First& of) { first = first == of.value ? 0 : -1; });
                store.on_replace<Second>([&](Entity, Second& of) {
                    fail(HookKind::replace);
                    second = second == of.value ? 0 : -1;
                });
                store.on_add<Health>([&](Entity) { fail(HookKind::add); });
                store.on_set<First>([&](Entity, First& of) {
                    first = of.value;
                    fail(HookKind::set);
                });
                store.on_set<Second>([&](Entity, Second& of) { second = of.value; });
                bool threw = false;
                try {
                    CommandBuffer buffer(store);
                    if (buffered) {
                        buffer.set(entity, First{2}, Second{2}, Health{2});
                        store.apply(buffer);
                    } else
                        store.set(entity, First{2}, Second{2}, Health{2});
                } catch (const InjectedFailure&) {
                    threw = true;
                } // of on_set as well: it is the change of its entity that stays
                INFO("sparse " << sparse << ", buffered " << buffered << ", kind " << static_cast<int>(thrower));
                CHECK(threw);
                const int now = thrower == HookKind::replace ? 1 : 2; // nothing has changed
                CHECK(store.at<First>(entity).value == now);
                CHECK(first == now);
                CHECK(second == now);
                CHECK(store.has<Health>(entity) == (now == 2));
                CHECK(store.check_invariants());
            }
#endif
}

TEST_CASE("ArchetypeStore: of a component whose hook throws the others are called back, or are not called",
          "[ecs][hooks][throws]") {
#if SLOTWISE_EXCEPTIONS
    struct Body {
        int value = 0;
    };
    const auto throws = [](auto&& change) {
        try {
            change();
            return false;
        } catch (const InjectedFailure&) {
            return true;
        }
    };
    for (const bool sparse : {false, true})
        for (const bool first : {false, true}) { // whether the hook that throws is before the index's
            INFO("sparse " << sparse << ", first " << first);
            ArchetypeStore store;
            store.registry().add<Body>({.sparse = sparse});
            int key = 0;                     // what an index has of the one entity; 0: nothing
            std::optional<HookKind> thrower; // of Body
            const auto fail = [&](HookKind of) {
                if (of == thrower) throw InjectedFailure();
            };
            const auto add_throwers = [&] {
                store.on_add<Body>([&](Entity) { fail(HookKind::add); });
                store.on_set<Body>([&](Entity) { fail(HookKind::set); });
                store.on_remove<Body>([&](Entity) { fail(HookKind::remove); });
                store.on_replace<Body>([&](Entity) { fail(HookKind::replace); });
            };
            if (first) add_throwers();
            store.on_add<Body>([&](Entity, Body& of) { key = of.value; });
            store.on_set<Body>([&](Entity, Body& of) { key = of.value; });
            store.on_remove<Body>([&](Entity) { key = 0; });
            store.on_replace<Body>([&](Entity) { key = 0; });
            if (!first) add_throwers();
            const Entity entity = store.spawn(Body{5});
            thrower = HookKind::replace;
            CHECK(throws([&] { store.set(entity, Body{6}); }));
            CHECK(key == 5);
            CHECK(throws([&] { store.patch<Body>(entity, [](Body& of) { of.value = 6; }); }));
            CHECK(key == 5);
            CHECK(store.at<Body>(entity).value == 5);
            thrower = HookKind::remove;
            CHECK(throws([&] { store.remove<Body>(entity); }));
            CHECK(throws([&] { static_cast<void>(store.take<Body>(entity)); }));
            CHECK(throws([&] { store.despawn(entity); }));
            CHECK(throws([&] { store.remove_all<Body>(); }));
            CHECK(key == 5);
            thrower = HookKind::set; // the change stays, and hooks that come after are not called
            CHECK(throws([&] { store.set(entity, Body{6}); }));
            CHECK(store.at<Body>(entity).value == 6);
            CHECK(key == (first ? 0 : 6));
            thrower.reset();
            CHECK(store.modified<Body>(entity)); // tells them
            CHECK(key == 6);
            store.remove<Body>(entity);
            thrower = HookKind::add;
            CHECK(throws([&] { store.add(entity, Body{7}); }));
            CHECK(store.at<Body>(entity).value == 7);
            CHECK(key == (first ? 0 : 7));
            CHECK(store.check_invariants());
        }
#endif
}
