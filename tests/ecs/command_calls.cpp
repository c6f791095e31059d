// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Functions that a CommandBuffer calls between its commands, values that it builds in place, and commands about what the same
// buffer has ended.
#include "ecs/inside.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/command_buffer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Hidden {};
struct Crew { // an aggregate
    std::string captain{};
    int hands = 0;
};

} // namespace

TEST_CASE("CommandBuffer::call: runs in its place among the commands of all entities", "[ecs]") {
    ArchetypeStore store;
    const ComponentId child_of = store.registry().add_relation("child of", {.on_target_despawn = OnTargetDespawn::despawn});
    const Entity old = store.spawn(1), parent = store.spawn(), child = store.spawn();
    store.relate(child, child_of, parent);
    CommandBuffer buffer(store);
    std::vector<std::string> seen;
    buffer.set(old, 2);
    const Entity fresh = buffer.spawn(3);
    buffer.despawn(parent);
    buffer.call([&](ArchetypeStore& same) {
        CHECK(&same == &store);
        CHECK((store.at<int>(old) == 2 && store.at<int>(fresh) == 3));
        CHECK((!store.is_alive(parent) && !store.is_alive(child))); // it does not come last here
        CHECK_FALSE(store.has<Hidden>(old));
        store.add(old, Position{}); // it may change structure
        store.set(old, 7);
        seen.push_back("first");
    });
    buffer.set(old, 4);
    buffer.add<Hidden>(old);
    buffer.despawn(fresh);
    buffer.set(old, 5);
    buffer.call([&, owned = std::make_unique<int>(6)] { // move-only, and without a parameter
        CHECK((store.at<int>(old) == 5 && store.has<Hidden>(old) && store.has<Position>(old)));
        CHECK_FALSE(store.is_alive(fresh));
        seen.push_back("second " + std::to_string(*owned));
    });
    buffer.call([&](auto& of) { of.spawn(Hidden{}); }); // takes anything: the store
    buffer.remove<Hidden>(old);
    CHECK(buffer.size() == 11);
    CHECK(seen.empty());
    CHECK(store.apply(buffer) == 0);
    CHECK(seen == std::vector<std::string>{"first", "second 6"});
    CHECK(buffer.empty());
    CHECK((store.query<>().with<Hidden>().size() == 1 && !store.has<Hidden>(old)));
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer::call: what it records comes after all that was recorded before", "[ecs]") {
    ArchetypeStore store;
    const Entity entity = store.spawn(0);
    std::vector<int> seen;
    const auto note = [&](int) { seen.push_back(store.at<int>(entity)); };
    for (const bool deferred : {false, true}) {
        seen.clear();
        store.set(entity, 0);
        Entity born;
        CommandBuffer own(store);
        const auto record = [&](CommandBuffer& commands) {
            commands.call([&] {
                commands.set(entity, 10);
                born = commands.spawn(Position{});
                if (deferred) store.defer([&](auto& inner) { inner.add(born, 5); });
                commands.call([&] { note(2); });
                CHECK_FALSE(store.is_alive(born));
            });
            commands.set(entity, 1);
            commands.call([&] { note(1); });
        };
        if (deferred)
            CHECK(store.defer(record) == 0);
        else {
            record(own);
            CHECK(store.apply(own) == 0);
        }
        CHECK(seen == std::vector<int>{1, 10});
        CHECK((store.is_alive(born) && store.has<int>(born) == deferred));
        CHECK(own.empty());
        CHECK(store.check_invariants());
    }
    CommandBuffer buffer(store);
    int calls = 0;
    std::function<void()> again = [&] {
        if (++calls != 5) buffer.call(again);
    };
    buffer.call(again);
    store.apply(buffer);
    CHECK((calls == 5 && buffer.empty()));
}

TEST_CASE("CommandBuffer::call: it may apply other buffers, defer, walk, clear the store and restore it", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<int>("int");
    const Entity entity = store.spawn(1);
    const auto bytes = store.snapshot();
    CommandBuffer buffer(store), other(store);
    const Entity elsewhere = other.spawn(2);
    buffer.call([&] {
        CHECK(store.apply(other) == 0);
        int sum = 0;
        store.query<const int>().for_each([&](const int& each) { sum += each; });
        CHECK(sum == 3);
        store.defer([&](auto& commands) { commands.set(elsewhere, 3); });
        CHECK(store.at<int>(elsewhere) == 3); // it was the outermost
    });
    store.apply(buffer);
    for (const bool restores : {false, true}) {
        const Entity before = buffer.spawn(4);
        buffer.call([&] {
            CHECK(store.is_alive(before));
            if (restores)
                store.restore(bytes);
            else
                store.clear();
            buffer.spawn(std::string("of the new epoch"));
        });
        buffer.set(before, 5); // void
        const Entity pending = buffer.spawn(6);
        buffer.add<Hidden>(pending);
        CHECK(store.apply(buffer) == 3);
        CHECK(store.size() == (restores ? 2 : 1));
        CHECK(store.is_alive(entity) == restores);
        CHECK(store.query<const std::string>().size() == 1);
        CHECK((buffer.empty() && store.check_invariants()));
    }
#if SLOTWISE_CHECK_LEVEL >= 1
    buffer.call([&] { buffer.clear(); });
    CHECK(dies_saying("changes the buffer that is being applied", [&] { store.apply(buffer); }));
    buffer.clear();
#endif
}

TEST_CASE("CommandBuffer::call: a function is destroyed once, called or not", "[ecs]") {
    const auto counter = std::make_shared<int>(0);
    ArchetypeStore store;
    {
        CommandBuffer buffer(store);
        buffer.call([counter] { ++*counter; });
        buffer.clear();
        CHECK((counter.use_count() == 1 && *counter == 0));
        buffer.call([counter] { ++*counter; });
        CommandBuffer moved(std::move(buffer));
        store.apply(moved);
        CHECK((counter.use_count() == 1 && *counter == 1));
        struct alignas(128) Wide {
            std::shared_ptr<int> counter;
            void operator()() { *counter += reinterpret_cast<std::uintptr_t>(this) % 128 == 0; }
        };
        moved.call(Wide{counter});
        store.apply(moved);
        CHECK(*counter == 2);
        moved.call([counter] { ++*counter; });
    } // the buffer dies with a call
    CHECK((counter.use_count() == 1 && *counter == 2));
}

TEST_CASE("CommandBuffer::call: if it throws, what came before stays and the rest waits", "[ecs][throws]") {
#if SLOTWISE_EXCEPTIONS
    ArchetypeStore store;
    const Entity entity = store.spawn(0), other = store.spawn(0);
    CommandBuffer buffer(store);
    int calls = 0;
    buffer.set(entity, 1);
    buffer.call([&] {
        ++calls;
        store.set(other, 1);
        throw InjectedFailure();
    });
    buffer.set(entity, 2);
    buffer.call([&] { ++calls; });
    const Entity fresh = buffer.spawn();
    CHECK_THROWS_AS(store.apply(buffer), InjectedFailure);
    CHECK((calls == 1 && store.at<int>(entity) == 1 && store.at<int>(other) == 1));
    CHECK(buffer.size() == 3);
    CHECK(store.apply(buffer) == 0);
    CHECK((calls == 2 && store.at<int>(entity) == 2 && store.is_alive(fresh)));
    CHECK_THROWS_AS(store.defer([&](auto& commands) {
        commands.set(entity, 3);
        commands.call([] { throw InjectedFailure(); });
        commands.set(entity, 4); // dropped
    }),
                    InjectedFailure);
    CHECK(store.at<int>(entity) == 3);
    // The last one throws, and its buffer is used again.
    buffer.set(entity, 5);
    buffer.call([] { throw InjectedFailure(); });
    CHECK_THROWS_AS(store.apply(buffer), InjectedFailure);
    CHECK(buffer.empty());
    buffer.call([&] { buffer.set(entity, 6); });
    store.apply(buffer);
    CHECK((store.at<int>(entity) == 6 && buffer.empty() && store.check_invariants()));
#endif
}

TEST_CASE("CommandBuffer: what a hook records after an apply() that threw is not lost", "[ecs][throws]") {
#if SLOTWISE_EXCEPTIONS
    ArchetypeStore store;
    const Entity first = store.spawn(1), second = store.spawn(2);
    CommandBuffer buffer(store);
    bool throws = true;
    store.on_set<int>([&](Entity entity) {
        if (std::exchange(throws, false)) throw InjectedFailure();
        if (entity == second) buffer.add<Hidden>(first); // which the buffer knows from before
    });
    buffer.set(first, 3); // the last command: nothing is left
    CHECK_THROWS_AS(store.apply(buffer), InjectedFailure);
    buffer.set(second, 4);
    store.apply(buffer);
    CHECK(buffer.size() == 1);
    store.apply(buffer);
    CHECK(store.has<Hidden>(first));
#endif
}

TEST_CASE("CommandBuffer::call: many calls take time in proportion", "[ecs]") {
    ArchetypeStore store;
    const ComponentId likes = store.registry().add_relation("likes");
    constexpr int count = 20'000;
    std::vector<Entity> entities;
    for (int i = 0; i != count; ++i) entities.push_back(store.spawn(i));
    store.relate(entities[0], likes, entities[1]); // despawns are barriers where others relate
    CommandBuffer buffer(store);
    int calls = 0;
    for (int i = 0; i != count; ++i) { // quadratic, this takes minutes
        buffer.set(entities[0], i);
        buffer.call([&] { ++calls; });
        if (i > 1) buffer.despawn(entities[static_cast<std::size_t>(i)]);
    }
    CHECK(store.apply(buffer) == 0);
    CHECK((calls == count && store.size() == 2 && store.at<int>(entities[0]) == count - 1));
}

TEST_CASE("CommandBuffer::emplace: builds the value in the buffer, and keeps one that is there", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<std::string>({.sparse = true});
    const Entity entity = store.spawn(), dead = store.spawn();
    store.despawn(dead);
    CommandBuffer buffer(store);
    buffer.emplace<Crew>(entity, "Ahab", 30);
    buffer.emplace<Crew>(entity, "Ishmael", 1);
    buffer.emplace<std::string>(entity, std::size_t{3}, 'x');
    buffer.emplace<std::unique_ptr<int>>(entity, new int(4));
    buffer.emplace<Crew>(dead, "Nemo", 1);
    CHECK(store.apply(buffer) == 1);
    CHECK((store.at<Crew>(entity).captain == "Ahab" && store.at<std::string>(entity) == "xxx"));
    CHECK(*store.at<std::unique_ptr<int>>(entity) == 4);
    CHECK(store.check_invariants());
}

TEST_CASE("CommandBuffer: a child of a parent that the buffer ended before is as with direct calls", "[ecs]") {
    // Directly the call throws and changes nothing; in a buffer it is dropped, counted, and changes nothing.
    for (const OnTargetDespawn rule : {OnTargetDespawn::remove, OnTargetDespawn::despawn, OnTargetDespawn::refuse})
        for (const bool exclusive : {false, true})
            for (int how = 0; how != 7; ++how) {
                ArchetypeStore store;
                ComponentRegistry& registry = store.registry();
                const ComponentId child_of = registry.add_relation("child of", TypeDescriptor::of<int>(),
                                                                   {.exclusive = exclusive, .on_target_despawn = rule});
                const ComponentId tag = registry.add_tag("tag");
                const Entity old = store.spawn(), parent = store.spawn(), grand = store.spawn(), child = store.spawn();
                store.relate(child, child_of, old);
                if (how == 6) store.relate(parent, child_of, grand); // it goes with the one that is ended
                if (how == 6 && rule != OnTargetDespawn::despawn) continue;
                INFO("rule " << static_cast<int>(rule) << ", exclusive " << exclusive << ", how " << how);
                CommandBuffer buffer(store);
                buffer.despawn(how == 6 ? grand : parent);
                const ComponentId ids[] = {tag, pair(child_of, parent)};
                Entity subject = child;
                std::size_t dropped = 1;
                if (how == 0) buffer.relate(child, child_of, parent);
                if (how == 1) buffer.relate(child, child_of, parent, AnyValue::of(5));
                if (how == 2) buffer.add(child, pair(child_of, parent), AnyValue::of(5));
                if (how == 3) buffer.add(child, ids); // the whole command
                if (how == 4) {
                    subject = buffer.spawn(3);
                    buffer.relate(subject, child_of, parent); // spawned without
                }
                if (how == 5) {
                    buffer.add(child, pair(child_of, parent));
                    buffer.relate(child, child_of, parent, AnyValue::of(5));
                    dropped = 2;
                }
                if (how == 6) buffer.relate(child, child_of, parent);
                CHECK(store.apply(buffer) == dropped);
                CHECK_FALSE(store.is_alive(parent));
                CHECK(store.is_alive(subject));
                CHECK_FALSE(store.has(subject, pair(child_of, parent)));
                CHECK_FALSE(store.has(subject, tag));
                CHECK(store.target(child, child_of) == old); // it keeps the one that it has
                if (how == 4) CHECK(store.at<int>(subject) == 3);
                CHECK(store.check_invariants());
            }
}
