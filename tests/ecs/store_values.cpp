// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Values that are written, built and taken where they are: patch, modified, emplace, take, and types that cannot be moved.
#include "ecs/inside.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/command_buffer.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
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
struct Companion {
    int value = 7;
};
struct Pinned { // counts those that live
    explicit Pinned(int& count, int of = 0) : living(&count), value(of) { ++count; }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    ~Pinned() { --*living; }
    int* living;
    int value;
};
using Owned = std::unique_ptr<int>;

/// Whether f throws std::invalid_argument with these words.
template <class F>
bool refused(const char* words, F&& f) {
    return thrown_text<std::invalid_argument>(f).find(words) != std::string::npos;
}

} // namespace

TEST_CASE("ArchetypeStore::patch: changes the value where it is, and counts as a change", "[ecs]") {
    ArchetypeStore store;
    const ComponentId id = store.registry().add<Position>({.toggle = true, .tracked = true});
    store.registry().add<Companion>({.sparse = true});
    const Entity entity = store.spawn(Position{1, 2}, Companion{}), bare = store.spawn(), dead = store.spawn();
    store.despawn(dead);
    const tick_t seen = store.advance();
    const Position* const before = std::as_const(store).get<Position>(entity);
    int calls = 0;
    const auto more = [&](Position& of) { of.x += 1, ++calls; };
    CHECK(store.patch<Position>(entity, more));
    CHECK(store.patch<Companion>(entity, [](Companion& of) { of.value = 8; }));
    CHECK_FALSE(store.patch<Position>(bare, more));
    CHECK_FALSE(store.patch<Position>(dead, more));
    CHECK_FALSE(store.patch<Position>(Entity(), more));
    CHECK_FALSE(store.patch<Crew>(entity, [](Crew&) {})); // not registered
    CHECK(store.registry().find<Crew>() == ComponentId());
    CHECK(calls == 1);
    CHECK(before->x == 2);
    CHECK(store.at<Companion>(entity).value == 8);
    CHECK(store.query<const Position>().changed<Position>(seen).first() == entity);
    CHECK(store.patch(entity, id, [](void* of) { static_cast<Position*>(of)->y = 9; }));
    CHECK(before->y == 9);
    CHECK_FALSE(store.patch(bare, id, [](void*) {}));
    store.disable<Position>(entity);
    CHECK(store.patch<Position>(entity, more)); // the value is there
    const ComponentId tag = store.registry().add_tag("tag");
    CHECK(refused("which has no value to be changed", [&] { store.patch(entity, tag, [](void*) {}); }));
    CHECK(refused("ArchetypeStore::patch", [&] { store.patch(entity, ComponentId(), [](void*) {}); }));
    for (auto [each, p] : store.query<const Companion>()) // in a walk: only values change
        CHECK(store.patch<Companion>(each, [](Companion& of) { ++of.value; }));
    CHECK(store.at<Companion>(entity).value == 9);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore::modified: a write through a reference counts as a change", "[ecs]") {
    ArchetypeStore store;
    const ComponentId id = store.registry().add<Position>({.tracked = true});
    store.registry().add<Hidden>({.tracked = true});
    const Entity entity = store.spawn(Position{}, Hidden{}), other = store.spawn(Position{}), dead = store.spawn(Position{});
    store.despawn(dead);
    const tick_t seen = store.advance();
    CHECK(store.modified<Position>(entity));
    CHECK(store.modified<Hidden>(entity));
    CHECK(store.query<>().changed<Position>(seen).size() == 1);
    CHECK(store.query<>().changed<Hidden>(seen).size() == 1);
    CHECK_FALSE(store.modified<Hidden>(other));
    CHECK_FALSE(store.modified<Position>(dead));
    CHECK_FALSE(store.modified<Crew>(entity));
    CHECK(store.modified(other, id));
    CHECK_FALSE(store.modified(dead, id));
    CHECK(store.query<>().changed<Position>(seen).size() == 2);
    CHECK(refused("ArchetypeStore::modified", [&] { store.modified(entity, pair(id, any)); }));
    CHECK(refused("ArchetypeStore::modified", [&] { store.modified(entity, ComponentId()); }));
}

TEST_CASE("ArchetypeStore::patch: structure does not change in it, and what throws in it stays", "[ecs]") {
    ArchetypeStore store;
    const Entity entity = store.spawn(Position{1, 2});
#if SLOTWISE_CHECK_LEVEL >= 1
    CHECK(dies_saying("a hook, a value's constructor or destructor, or a function given to patch or sort, changes the store",
                      [&] { store.patch<Position>(entity, [&](Position&) { store.despawn(entity); }); }));
#endif
    CommandBuffer buffer(store);
    store.patch<Position>(entity, [&](Position&) { buffer.add<Hidden>(entity); });
    store.apply(buffer);
    CHECK(store.has<Hidden>(entity));
#if SLOTWISE_EXCEPTIONS
    CHECK_THROWS_AS(store.patch<Position>(entity,
                                          [](Position& of) {
                                              of.x = 5;
                                              throw InjectedFailure();
                                          }),
                    InjectedFailure);
    CHECK(store.at<Position>(entity).x == 5);
    store.remove<Position>(entity); // structure may change again
    CHECK(store.check_invariants());
#endif
}

TEST_CASE("ArchetypeStore::take: returns the value and removes the component", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<std::string>({.sparse = true});
    store.registry().add<Companion>({.toggle = true, .tracked = true});
    const Entity entity = store.spawn(Owned(new int(5)), std::string("a text that is not short"), Companion{3}, Position{});
    const Entity last = store.spawn(Owned(new int(6)), Position{});
    std::string seen;
    store.on_remove<std::string>([&](Entity, std::string& of) { seen += of; });
    const HookId hook = store.on_remove<Owned>([&](Entity each, Owned& of) {
        CHECK(store.has<Owned>(each));
        seen += std::to_string(*of);
    });
    std::optional<Owned> owned = store.take<Owned>(entity);
    CHECK((owned && **owned == 5));
    CHECK_FALSE(store.has<Owned>(entity));
    CHECK_FALSE(store.take<Owned>(entity));
    CHECK(store.take<std::string>(entity) == "a text that is not short");
    CHECK(seen == "5a text that is not short");
    CHECK_FALSE(store.take<std::string>(entity));
    store.disable<Companion>(entity);
    CHECK(store.take<Companion>(entity)->value == 3);
    CHECK(store.off(hook));
    CHECK(**store.take<Owned>(last) == 6);
    CHECK_FALSE(store.take<Crew>(last)); // not registered
    CHECK_FALSE(store.take<Position>(Entity()));
    CHECK(store.take<Position>(last));
    store.despawn(last);
    CHECK_FALSE(store.take<Position>(last));
    CHECK(store.has<Position>(entity));
    CHECK(store.check_invariants());
#if SLOTWISE_CHECK_LEVEL >= 1
    CHECK(dies_saying("a query is walking",
                      [&] { store.query<Position>().for_each([&](Entity each, Position&) { store.take<Position>(each); }); }));
#endif
}

TEST_CASE("ArchetypeStore::emplace: builds the value in place, and keeps one that is there", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<std::string>({.sparse = true});
    store.registry().add<Companion>({.sparse = true});
    struct Brings {
        explicit Brings(int of) : value(of) {}
        int value;
    };
    store.registry().add<Brings>({.with = {store.registry().id<Companion>()}});
    const Entity entity = store.spawn(Position{1, 2}), dead = store.spawn();
    store.despawn(dead);
    Crew* const crew = store.emplace<Crew>(entity, "Ahab", 30);
    REQUIRE(crew != nullptr);
    CHECK((crew->captain == "Ahab" && crew->hands == 30));
    CHECK(store.emplace<Crew>(entity, "Ishmael", 1)->captain == "Ahab");
    CHECK(*store.emplace<std::string>(entity, std::size_t{3}, 'x') == "xxx");
    CHECK(*store.emplace<std::string>(entity, "other") == "xxx");
    CHECK(store.emplace<Brings>(entity, 4)->value == 4);
    CHECK(store.at<Companion>(entity).value == 7); // came along
    CHECK(store.emplace<Position>(entity)->x == 1);
    CHECK(**store.emplace<Owned>(entity, new int(8)) == 8);
    std::string text = "moved only where it is needed, so not here";
    CHECK(store.emplace<std::string>(dead, std::move(text)) == nullptr);
    CHECK(!text.empty());
    const Entity second = store.spawn();
    CHECK(store.emplace<Crew>(second, store.get<Crew>(entity)->captain, 2)->captain == "Ahab"); // of the store
    int added = 0;
    store.on_add<Crew>([&](Entity, Crew& of) { added += of.hands; });
    store.emplace<Crew>(store.spawn(), "Starbuck", 5);
    CHECK(added == 5);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: a sparse component may be of a type that can be neither copied nor moved", "[ecs]") {
    int living = 0;
    {
        ArchetypeStore store;
        store.registry().add<Pinned>("pinned", {.sparse = true});
        store.registry().add<std::mutex>({.sparse = true});
        store.registry().add<std::atomic<int>>("counter", {.sparse = true});
        const Entity entity = store.spawn(Position{});
        Pinned* const pinned = store.emplace<Pinned>(entity, living, 3);
        CHECK(store.emplace<std::atomic<int>>(entity, 5)->load() == 5);
        CHECK(store.add<std::mutex>(entity)); // a default value
        const std::scoped_lock lock(store.at<std::mutex>(entity));
        for (int i = 0; i != 1000; ++i) store.emplace<Pinned>(store.spawn(Position{}), living, i);
        store.add<Hidden>(entity); // the row moves
        store.shrink_to_fit();
        CHECK(store.get<Pinned>(entity) == pinned);
        CHECK(store.accessor<Pinned>().get(entity)->value == 3);
        int sum = 0;
        for (auto [each, p, counter] : store.query<const Pinned, std::atomic<int>>()) sum += p.value + counter++;
        CHECK(sum == 8);
        CHECK(store.patch<std::atomic<int>>(entity, [](std::atomic<int>& of) { of = 9; }));
        int removed = 0;
        const HookToken token = store.scoped(store.on_remove<Pinned>([&](Entity, Pinned& of) { removed = of.value; }));
        CHECK(store.remove<Pinned>(entity));
        CHECK((removed == 3 && living == 1000));
        CommandBuffer buffer(store);
        const Entity later = buffer.spawn(Position{});
        buffer.add<std::mutex>(later);
        buffer.call([&] { store.emplace<Pinned>(later, living, 4); });
        CHECK(store.apply(buffer) == 0);
        CHECK((store.has<std::mutex>(later) && store.at<Pinned>(later).value == 4));
        EntityBuilder builder = store.builder();
        CHECK(store.has<std::mutex>(builder.with<std::mutex>().with(Position{}).spawn()));
        store.despawn(later);
        CHECK(living == 1000);

        // what needs a copy or a move is refused, and nothing has happened
        const Entity full = store.spawn();
        store.emplace<Pinned>(full, living, 6);
        removed = 0;
        CHECK(refused("can be neither copied nor moved; remove it before",
                      [&] { static_cast<void>(store.extract_reserved(full)); }));
        CHECK((store.is_alive(full) && removed == 0));
        CHECK(refused("ArchetypeStore::snapshot", [&] { static_cast<void>(store.snapshot()); }));
        CHECK(store.erase_reserved(full));
        CHECK(store.check_invariants());
        store.clear();
        CHECK(living == 0);
        store.emplace<Pinned>(store.spawn(), living, 1);
    }
    CHECK(living == 0);
    ArchetypeStore store;
    const Entity entity = store.spawn();
    CHECK(refused("register it with {.sparse = true}",
                  [&] { store.emplace<Pinned>(entity, living, 1); })); // registered as one of a table
    CHECK(refused("register it with {.sparse = true}", [&] { store.registry().add<std::mutex>({.toggle = true}); }));
    CHECK(refused("can be neither copied nor moved", [&] { store.registry().relation<std::mutex>(); }));
    CHECK((living == 0 && store.registry().empty()));
    const ComponentId likes = store.registry().add_relation("likes");
    const ComponentId lock = store.registry().add<std::mutex>({.sparse = true});
    CHECK(refused("move", [&] { store.add(entity, pair(likes, lock)); })); // whose value would be in a table
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: patch, take and emplace do nothing by halves when something throws", "[ecs][throws]") {
    struct Value {
        ThrowingCopy of{1};
    };
    struct Aside {
        explicit Aside(int value) : of(value) {}
        ThrowingCopy of;
    };
    struct Row { // in a table, with a value from an argument
        explicit Row(int value) : of(value) {}
        ThrowingCopy of;
    };
    const auto scenario = [&](auto&& attempt, int which) {
        ArchetypeStore store;
        store.registry().add<Aside>({.sparse = true});
        const Entity entity = store.spawn(Value{}, Position{3, 4}), other = store.spawn(Value{});
        store.emplace<Aside>(other, 5);
        if (which == 5) store.on_set<Value>([](Entity, Value& of) { static_cast<void>(ThrowingCopy(of.of)); });
        std::optional<Value> taken;
        std::optional<Aside> aside;
        const bool threw = attempt([&] {
            if (which == 0) taken = store.take<Value>(entity);
            if (which == 1) aside = store.take<Aside>(other);
            if (which == 2) store.emplace<Aside>(entity, 6);
            if (which == 3) store.emplace<Row>(entity, 6);
            if (which == 4) store.patch<Value>(entity, [](Value& of) { of.of = ThrowingCopy(7); });
            if (which == 5) store.modified<Value>(entity);
        });
        INFO(which);
        if (threw) {
            CHECK(store.at<Value>(entity).of.value() == 1);
            CHECK(store.at<Aside>(other).of.value() == 5);
            CHECK_FALSE(store.has<Aside>(entity));
            CHECK_FALSE(store.has<Row>(entity));
        } else {
            if (which == 0) CHECK((taken->of.value() == 1 && !store.has<Value>(entity)));
            if (which == 1) CHECK((aside->of.value() == 5 && !store.has<Aside>(other)));
            if (which == 2) CHECK(store.at<Aside>(entity).of.value() == 6);
            if (which == 3) CHECK(store.at<Row>(entity).of.value() == 6);
            if (which == 4) CHECK(store.at<Value>(entity).of.value() == 7);
        }
        CHECK(store.at<Position>(entity).x == 3);
        CHECK(store.check_invariants());
    };
    const char* const names[] = {"take", "take", "emplace", "emplace", "patch", "modified"};
    for (int which = 0; which != 6; ++which) {
        const auto of = [&](auto&& attempt) { scenario(attempt, which); };
        report_sweep(swept<ArchetypeStore>(names[which]), fail_at_every_step(of) + run_out_of_memory(of));
    }
}
