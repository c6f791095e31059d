// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ArchetypeStore::defer, and what a store keeps for the next walk and the next command buffer: a small world allocates nothing.
#include "query_support.hpp"
#include "support/death.hpp"
#include "support/thrown.hpp"

#include <slotwise/ecs/command_buffer.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace query_test;

namespace {

struct Marker {};

/// Whether f allocates nothing.
template <class F>
bool allocates_nothing(F&& f) {
    REQUIRE(test::operator_new_can_fail);
    const std::size_t before = test::HeapBudget::calls();
    f();
    return test::HeapBudget::calls() == before;
}

} // namespace

TEST_CASE("ArchetypeStore: defer() carries out what was recorded when the function returns", "[ecs]") {
    ArchetypeStore store;
    const Entity a = store.spawn(1), b = store.spawn(2);
    Entity spawned;
    const std::size_t dropped = store.defer([&](auto& commands) {
        for (auto [entity, number] : store.query<const int>())
            if (number == 1) commands.despawn(entity);
        spawned = commands.spawn(3);
        commands.set(b, 4);
        CHECK((store.is_alive(a) && !store.is_alive(spawned) && *store.get<int>(b) == 2));
    });
    CHECK(dropped == 0);
    CHECK((!store.is_alive(a) && *store.get<int>(b) == 4 && *store.get<int>(spawned) == 3));
    CHECK(store.defer([&](CommandBuffer& commands) { commands.set(a, 1); }) == 1);
    CHECK(store.defer([&](CommandBuffer& commands) { CHECK(commands.empty()); }) == 0);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: calls of defer() within another one record in its buffer, and it alone applies", "[ecs]") {
    ArchetypeStore store;
    const Entity a = store.spawn(1), dead = store.spawn(9);
    store.despawn(dead);
    const std::size_t dropped = store.defer([&](CommandBuffer& outer) {
        CHECK(store.defer([&](CommandBuffer& inner) {
            CHECK(&inner == &outer);
            inner.add<Marker>(a);
            inner.set(dead, 2);
        }) == 0);
        CHECK((!store.has<Marker>(a) && outer.size() == 2));
        store.query<int>().for_each([&](Entity entity, int&) {
            store.defer([&](CommandBuffer& inner) { inner.set(entity, 5.0); }); // while a query walks
        });
        outer.remove<int>(a);
    });
    CHECK(dropped == 1);
    CHECK((store.has<Marker>(a) && store.has<double>(a) && !store.has<int>(a)));
}

TEST_CASE("ArchetypeStore: what hooks record by defer() while the outermost call applies is carried out too", "[ecs]") {
    ArchetypeStore store;
    store.on_add<int>([&](Entity entity, int& left) {
        store.defer([&](CommandBuffer& commands) {
            commands.add<Marker>(entity);
            if (left != 0) commands.spawn(left - 1);
        });
    });
    store.defer([&](CommandBuffer& commands) { commands.spawn(3); });
    CHECK(store.query<const int>().with<Marker>().size() == 4);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: the outermost defer() is refused where structure must not change", "[ecs][death]") {
    ArchetypeStore store;
    store.spawn(1);
    const auto defer = [&] { store.defer([](CommandBuffer& commands) { commands.spawn(2); }); };
    CHECK(test::dies_saying("a query is walking", [&] { store.query<int>().for_each([&](int&) { defer(); }); }));
    store.on_add<double>([&](Entity) { defer(); });
    CHECK(test::dies_saying("CommandBuffer", [&] { store.spawn(1.0); }));
    defer();
    CHECK(store.size() == 2);
}

#if SLOTWISE_EXCEPTIONS

TEST_CASE("ArchetypeStore: an exception out of the outermost defer() drops all commands, and out of an inner one none",
          "[ecs][throws]") {
    ArchetypeStore store;
    const Entity a = store.spawn(1);
    Entity reserved;
    CHECK_THROWS_AS(store.defer([&](CommandBuffer& commands) {
        commands.set(a, 2);
        reserved = commands.spawn(std::string(100, 'x'));
        store.defer([&](CommandBuffer& inner) { inner.despawn(a); });
        throw std::length_error("of f");
    }),
                    std::length_error);
    CHECK((*store.get<int>(a) == 1 && !store.is_alive(reserved) && store.size() == 1));
    store.defer([&](CommandBuffer& commands) {
        CHECK(commands.empty());
        commands.set(a, 3);
        try {
            store.defer([&](CommandBuffer& inner) {
                inner.add<Marker>(a);
                throw std::length_error("of an inner f");
            });
        } catch (const std::length_error&) {}
    });
    CHECK((*store.get<int>(a) == 3 && store.has<Marker>(a)));
    CHECK(store.spawn(0) != reserved); // its id was given back, and is another one now
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: if a command of defer() throws, earlier changes stay and the rest is dropped", "[ecs][throws]") {
    ArchetypeStore store;
    const ComponentId owes = store.registry().add_relation("owes", {.on_target_despawn = OnTargetDespawn::refuse});
    const Entity a = store.spawn(1), b = store.spawn(2), c = store.spawn(3);
    store.relate(a, owes, b);
    CHECK_THROWS_AS(store.defer([&](CommandBuffer& commands) {
        commands.set(a, 10);
        commands.despawn(b); // refused
        commands.despawn(c);
        commands.set(c, 30);
    }),
                    std::invalid_argument);
    CHECK((*store.get<int>(a) == 10 && store.is_alive(b)));
    const std::size_t left = store.size();
    CHECK(store.defer([](CommandBuffer& commands) { CHECK(commands.empty()); }) == 0);
    CHECK(store.size() == left);
    CHECK(store.check_invariants());
}

#endif

TEST_CASE("Query: to make the same one again and to walk it allocates nothing, in whatever form", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<V>({.toggle = true});
    store.registry().add<long>({.sparse = true});
    store.registry().add<double>({.tracked = true});
    for (int i = 0; i != 5; ++i) {
        const Entity entity = store.spawn(P{1, 2}, V{}, i, 1.0);
        if (i % 2 == 0) store.disable<V>(entity);
        if (i % 3 == 0) store.add(entity, long{7});
    }
    int sum = 0;
    const auto use = [&] {
        store.query<P, const int>().for_each([&](P& p, const int& i) { sum += i + static_cast<int>(p.x); });
        for (auto [entity, p] : store.query<P>()) sum += static_cast<int>(p.x);
        for (auto [p, i] : store.query<P, const int>().rows()) sum += i;
        for (auto [p] : store.query<const P>().exclude<Marker>().rows()) sum += static_cast<int>(p.x);
        for (auto [entity, p, v] : store.query<P, const V>()) // rows are checked
            for (auto [other, i] : store.query<const int>().with<V>()) sum += i + static_cast<int>(p.x);
        for (auto [entity, value] : store.query<const long>()) sum += static_cast<int>(value);
        for (auto [entity, value] : store.query<double>().with<V>()) value += 1;
        store.query<const P>().optional<const V>().for_each([&](const P&, const V* v) { sum += v != nullptr; });
        sum += static_cast<int>(store.query<>().with<V>().size()) + static_cast<int>(store.query<const P>().first().index());
        const ArchetypeStore& reader = store;
        reader.query<const P, const int>().for_each([&](const P&, const int& i) { sum += i; });
    };
    use();
    CHECK(allocates_nothing(use));
}

TEST_CASE("CommandBuffer: one after another takes the memory of the one before, which the store counts and frees", "[ecs]") {
    ArchetypeStore store;
    const Entity a = store.spawn(1), b = store.spawn(2);
    const std::size_t before = store.memory_usage();
    const auto use = [&] {
        CommandBuffer commands(store);
        commands.set(a, 3);
        commands.add<Marker>(b);
        store.apply(commands);
        store.defer([&](CommandBuffer& deferred) { deferred.remove<Marker>(b); });
    };
    use();
    use(); // two buffers lived at once, and each has got the commands of the other now
    CHECK(store.memory_usage() > before);
    CHECK(allocates_nothing(use));
    CommandBuffer none(store);
    CHECK(none.memory_usage() == 0);
    none.clear();
    none.shrink_to_fit();
    store.shrink_to_fit();
    CHECK(!allocates_nothing(use));
    {
        CommandBuffer large(store);
        for (int i = 0; i != 10'000; ++i) large.spawn(std::string(10, 'x'));
    }
    store.shrink_to_fit(); // ends the ids
    const std::size_t small = store.memory_usage();
    {
        CommandBuffer large(store);
        for (int i = 0; i != 10'000; ++i) large.set(a, i);
        store.apply(large);
    }
    CHECK(store.memory_usage() < small + (std::size_t{1} << 17)); // a large one keeps its memory to itself
}

TEST_CASE("CommandBuffer: the memory of one about a store that was cleared serves the next", "[ecs]") {
    ArchetypeStore store;
    {
        CommandBuffer commands(store);
        static_cast<void>(commands.spawn(1));
        store.clear();
    }
    Entity second;
    {
        CommandBuffer commands(store);
        second = commands.spawn(2);
        CHECK(store.apply(commands) == 0);
    }
    CHECK((store.size() == 1 && *store.get<int>(second) == 2));
    CommandBuffer moved(store);
    moved.set(second, 3);
    CommandBuffer to(std::move(moved));
    CHECK((moved.empty() && to.size() == 1));
    moved.set(second, 4); // a new one
    CHECK((store.apply(to) == 0 && *store.get<int>(second) == 3));
    CHECK((store.apply(moved) == 0 && *store.get<int>(second) == 4));
}

TEST_CASE("Query: a copy shares the plan, whoever owns it, and each may go first", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<int>({.tracked = true});
    store.spawn(1);
    const tick_t seen = store.advance();
    store.spawn(2);
    using Numbers = Query<ArchetypeStore, const int>;
    std::optional<Numbers> recent(store.query<const int>().changed<int>(seen)); // of nobody else: it names a tick
    Numbers copy = *recent, all = store.query<const int>();
    recent.reset();
    CHECK((copy.size() == 1 && all.size() == 2));
    all = copy;
    CHECK(all.size() == 1);
    Numbers moved = std::move(copy);
    copy = store.query<const int>();
    CHECK((moved.size() == 1 && copy.size() == 2));
    moved = std::move(all);
    const auto sharper = moved.exclude<Marker>().added<int>(seen);
    CHECK((sharper.size() == 1 && moved.size() == 1));
}

namespace {

struct Loot {};
/// Records two spawns when it is copied, then throws.
struct Recording {
    static inline CommandBuffer* into = nullptr;
    static inline Entity made[2] = {};
    Recording() = default;
    Recording(const Recording&) {
        if (into == nullptr) return;
        for (Entity& each : made) each = into->spawn(Loot{});
        throw std::runtime_error("recorded");
    }
    Recording(Recording&&) noexcept {}
    Recording& operator=(Recording&&) noexcept { return *this; }
    int value = 0;
};

} // namespace

TEST_CASE("CommandBuffer: what hooks spawn while an entity ends has ids that nobody else has", "[ecs]") {
    ArchetypeStore store;
    CommandBuffer later(store), other(store);
    std::vector<Entity> ids;
    const auto record = [&](Entity) {
        ids.push_back(later.spawn(Loot{}));
        ids.push_back(other.spawn(Loot{}));
        store.defer([&](auto& commands) { ids.push_back(commands.spawn(Loot{})); });
    };
    store.on_remove<int>(record);
    const Entity victim = store.spawn(1), kept = store.spawn(2);
    store.defer([&](CommandBuffer&) { // a hook may defer only within
        SECTION("by despawn") { store.despawn(victim); }
        SECTION("by erase_reserved") {
            CHECK(store.erase_reserved(victim));
            CHECK(store.cancel(victim));
        }
        SECTION("by a removal beside it") {
            store.remove<int>(kept);
            store.despawn(victim);
        }
    });
    for (int i = 0; i != 3; ++i) ids.push_back(later.spawn(Loot{}));
    ids.push_back(store.spawn(Loot{}));
    CHECK((store.apply(later) == 0 && store.apply(other) == 0 && store.check_invariants()));
    std::sort(ids.begin(), ids.end());
    CHECK(std::unique(ids.begin(), ids.end()) == ids.end());
    for (const Entity id : ids) CHECK((store.is_alive(id) && store.has<Loot>(id)));
    CHECK((store.size() == ids.size() + 1 && store.query<>().with<Loot>().size() == ids.size()));
}

TEST_CASE("CommandBuffer: what a value spawns before its construction fails has ids that nobody else has", "[ecs]") {
    ArchetypeStore store;
    CommandBuffer later(store);
    const Recording value;
    store.spawn(Loot{});
    for (int way = 0; way != 3; ++way) {
        Recording::into = &later;
        if (way == 0) CHECK_THROWS_AS(store.spawn(value), std::runtime_error);
        if (way == 1) CHECK_THROWS_AS(store.spawn_n(3, value), std::runtime_error);
        if (way == 2) CHECK_THROWS_AS(store.builder().with(value).spawn(), std::runtime_error);
        Recording::into = nullptr;
        const Entity next = later.spawn(Loot{});
        CHECK((next != Recording::made[0] && next != Recording::made[1]));
        const std::size_t before = store.size();
        CHECK((store.apply(later) == 0 && store.size() == before + 3 && store.check_invariants()));
        CHECK((store.is_alive(next) && store.is_alive(Recording::made[0]) && store.is_alive(Recording::made[1])));
    }
}

TEST_CASE("ArchetypeStore: spawn_n gives its entities, although hooks record spawns meanwhile", "[ecs]") {
    ArchetypeStore store;
    CommandBuffer later(store);
    std::vector<Entity> ids, heard;
    store.on_add<int>([&](Entity entity) {
        heard.push_back(entity);
        for (int i = 0; i != 70; ++i) ids.push_back(later.spawn(Loot{})); // the arrays of ids grow
    });
    const auto spawned = store.spawn_n(9, 5);
    CHECK(std::vector<Entity>(spawned.begin(), spawned.end()) == heard);
    CHECK((store.apply(later) == 0 && store.size() == 9 + 9 * 70 && store.check_invariants()));
}

TEST_CASE("ArchetypeStore::defer: a spawn that a buffer takes back ends behind what hooks spawn", "[ecs]") {
    ArchetypeStore store;
    std::vector<Entity> promised;
    store.on_add<int>([&](Entity) {
        store.defer([&](auto& commands) {
            promised.push_back(commands.spawn(Loot{}));
            promised.push_back(commands.spawn(Loot{}));
        });
    });
    store.on_add<Loot>([&](Entity) {
        if (promised.size() == 2) store.defer([&](auto& commands) { promised.push_back(commands.spawn()); });
    });
    const Entity entity = store.spawn();
    CHECK(store.defer([&](auto& commands) {
        commands.add(entity, 1);
        commands.despawn(commands.spawn(Loot{}));
    }) == 0);
    CHECK((promised.size() == 3 && store.size() == 4));
    for (const Entity each : promised) CHECK(store.is_alive(each));
}
