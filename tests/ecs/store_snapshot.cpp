// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/command_buffer.hpp>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Name {
    std::string text{};
    friend bool operator==(const Name&, const Name&) = default;
};
struct Health {
    int left = 0;
};
struct Armour {
    int points = 0;
};
struct Hidden {};
struct Owns {
    int count = 0;
};

struct TrackedCodec {
    void write(const Tracked& value, ByteWriter& out) const { out.number(static_cast<std::uint32_t>(value.value())); }
    template <class T>
    T read(ByteReader& in) const {
        return T(static_cast<int>(in.number<std::uint32_t>()));
    }
};

/// Registers all kinds of components; in another order if `other`, so that numbers differ.
struct Kinds {
    ComponentId likes{}, child_of{}, mode{}, marked{}, health{}, armour{};
    explicit Kinds(ComponentRegistry& registry, bool other = false) {
        if (other) {
            registry.add_tag("an unrelated tag");
            add_relations(registry);
            add_types(registry);
        } else {
            add_types(registry);
            add_relations(registry);
        }
    }

private:
    void add_types(ComponentRegistry& registry) {
        registry.add<Name>("name", {.sparse = true});
        registry.add<Position>("position", {.tracked = true});
        health = registry.add<Health>("health", {.toggle = true});
        armour = registry.add<Armour>("armour", {.toggle = true, .tracked = true});
        marked = registry.add_tag("marked", {.sparse = true});
        registry.add<Hidden>("hidden");
    }
    void add_relations(ComponentRegistry& registry) {
        likes = registry.add_relation("likes");
        child_of = registry.add_relation("child of", {.exclusive = true, .on_target_despawn = OnTargetDespawn::despawn});
        mode = registry.add_relation("mode", {.switched = true});
        registry.relation<Owns>("owns");
    }
};
const AnyCodec& codec() {
    static const AnyCodec all = [] {
        AnyCodec made;
        made.add<Name>().add<Health>();
        return made;
    }();
    return all;
}

/// Some of everything, and dead ids in an order of their own.
std::vector<Entity> fill(ArchetypeStore& store, const Kinds& kinds) {
    std::vector<Entity> all;
    std::mt19937 generator(5);
    const auto random = [&](std::size_t below) { return static_cast<std::size_t>(generator() % below); };
    for (int i = 0; i != 60; ++i) {
        const Entity entity = store.spawn(Position{static_cast<float>(i), 1});
        if (i % 2 == 0) store.add(entity, Health{i});
        if (i % 3 == 0) store.add(entity, Name{"entity number " + std::to_string(i)});
        if (i % 5 == 0) store.add<Hidden>(entity);
        if (i % 7 == 0) store.add(entity, Armour{i});
        if (i % 4 == 0) store.add(entity, kinds.marked);
        if (i % 6 == 0) store.enable(entity, kinds.health, false);
        if (i % 14 == 0) store.enable(entity, kinds.armour, false);
        if (!all.empty()) {
            if (i % 3 == 1) store.relate(entity, kinds.likes, all[random(all.size())]);
            if (i % 4 == 1) store.relate(entity, kinds.child_of, all[random(all.size())]);
            if (i % 5 == 1) store.relate(entity, kinds.mode, all[random(all.size() < 3 ? 1 : 3)]);
            if (i % 6 == 1) store.relate(entity, all[random(all.size())], Owns{i});
        }
        all.push_back(entity);
        if (i % 10 == 0) store.advance();
    }
    for (const std::size_t gone : {31u, 7u, 50u, 22u, 8u})
        if (store.is_alive(all[gone])) store.despawn(all[gone]);
    for (std::size_t i = 40; i != 50; ++i) store.set(all[i], Position{9, 9});
    std::erase_if(all, [&](Entity each) { return !store.is_alive(each); });
    return all;
}

/// Whether two stores say the same of everything. Their registries may differ.
void check_same(const ArchetypeStore& a, const Kinds& of_a, const ArchetypeStore& b, const Kinds& of_b,
                const std::vector<Entity>& entities) {
    REQUIRE(a.size() == b.size());
    CHECK(a.tick() == b.tick());
    for (const Entity each : entities) {
        REQUIRE(a.is_alive(each) == b.is_alive(each));
        const auto same = [&]<class T>(T, auto&& value) {
            const T* const in_a = a.get<T>(each);
            const T* const in_b = b.get<T>(each);
            CHECK((in_a == nullptr) == (in_b == nullptr));
            CHECK((in_a == nullptr || value(*in_a) == value(*in_b)));
        };
        same(Position{}, [](const Position& p) { return p.x * 1000 + p.y; });
        same(Name{}, [](const Name& n) { return n.text; });
        same(Health{}, [](const Health& h) { return h.left; });
        same(Armour{}, [](const Armour& h) { return h.points; });
        CHECK(a.has<Hidden>(each) == b.has<Hidden>(each));
        CHECK(a.has(each, of_a.marked) == b.has(each, of_b.marked));
        CHECK(a.is_enabled(each, of_a.health) == b.is_enabled(each, of_b.health));
        CHECK(a.is_enabled(each, of_a.armour) == b.is_enabled(each, of_b.armour));
        for (const auto& [in_a, in_b] :
             {std::pair(of_a.likes, of_b.likes), std::pair(of_a.child_of, of_b.child_of), std::pair(of_a.mode, of_b.mode)}) {
            const auto targets_a = a.targets(each, in_a), targets_b = b.targets(each, in_b);
            CHECK(std::vector<Entity>(targets_a.begin(), targets_a.end()) ==
                  std::vector<Entity>(targets_b.begin(), targets_b.end()));
            const auto sources_a = a.sources(in_a, each), sources_b = b.sources(in_b, each);
            CHECK(std::vector<Entity>(sources_a.begin(), sources_a.end()) ==
                  std::vector<Entity>(sources_b.begin(), sources_b.end()));
        }
    }
}

} // namespace

TEST_CASE("ArchetypeStore::snapshot: a store with the same components becomes the same store, whatever their numbers",
          "[ecs]") {
    ArchetypeStore store, other;
    const Kinds kinds(store.registry()), others(other.registry(), true);
    const auto all = fill(store, kinds);
    REQUIRE(store.check_invariants());
    const auto bytes = store.snapshot(codec());
    other.restore(bytes, codec());
    CHECK(other.check_invariants());
    check_same(store, kinds, other, others, all);
    const ComponentId owns = store.registry().find("owns"), others_owns = other.registry().find("owns");
    for (const Entity each : all)
        for (const Entity target : store.targets(each, owns))
            CHECK(static_cast<const Owns*>(store.get(each, pair(owns, target)))->count ==
                  static_cast<const Owns*>(other.get(each, pair(others_owns, target)))->count);
    CHECK((other.snapshot(codec()) == other.snapshot(codec())));
}

TEST_CASE("ArchetypeStore::snapshot: the same state gives the same bytes", "[ecs]") {
    ArchetypeStore store, other;
    const Kinds kinds(store.registry()), others(other.registry());
    fill(store, kinds);
    const auto bytes = store.snapshot(codec());
    CHECK((store.snapshot(codec()) == bytes));
    other.restore(bytes, codec());
    CHECK((other.snapshot(codec()) == bytes));
    store.restore(bytes, codec()); // into itself
    CHECK((store.snapshot(codec()) == bytes));
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore::snapshot: after a restore the next entities are those that the other store spawns", "[ecs]") {
    ArchetypeStore store, other;
    const Kinds kinds(store.registry()), others(other.registry());
    const auto all = fill(store, kinds);
    other.restore(store.snapshot(codec()), codec());
    for (int i = 0; i != 20; ++i) CHECK(store.spawn(Position{}) == other.spawn(Position{}));
    CHECK(store.despawn(all[3]) == other.despawn(all[3])); // with its children
    check_same(store, kinds, other, others, all);
    for (int i = 0; i != 20; ++i) CHECK(store.spawn(Position{}) == other.spawn(Position{}));
}

TEST_CASE("ArchetypeStore::snapshot: ticks are restored, so that what changed is the same", "[ecs]") {
    ArchetypeStore store, other;
    const Kinds kinds(store.registry()), others(other.registry());
    fill(store, kinds);
    const tick_t since = store.advance();
    store.advance();
    const Entity changed = store.spawn(Position{1, 1});
    other.restore(store.snapshot(codec()), codec());
    const auto changes = [&](ArchetypeStore& in) {
        std::vector<Entity> entities;
        in.query<const Position>().changed<Position>(since).for_each(
            [&](Entity entity, const Position&) { entities.push_back(entity); });
        return entities;
    };
    CHECK(changes(store) == std::vector{changed});
    CHECK(changes(other) == std::vector{changed});
}

TEST_CASE("ArchetypeStore::snapshot: a query that was made before a restore finds what is there after it", "[ecs]") {
    ArchetypeStore store, other;
    const Kinds kinds(store.registry()), others(other.registry());
    auto query = other.query<Position, Health>();
    other.spawn(Position{}, Health{1});
    CHECK(query.size() == 1);
    fill(store, kinds);
    const std::size_t expected = store.query<Position, Health>().size();
    REQUIRE(expected > 10);
    other.restore(store.snapshot(codec()), codec());
    CHECK(query.size() == expected);
    ArchetypeStore empty;
    other.restore(empty.snapshot(), codec());
    CHECK(query.size() == 0);
    CHECK(other.empty());
    CHECK(other.check_invariants());
}

TEST_CASE("ArchetypeStore::snapshot: back and forth in time, a store does the same again", "[ecs]") {
    ArchetypeStore store;
    const Kinds kinds(store.registry());
    auto all = fill(store, kinds);
    const auto frame = [&](std::vector<Entity>& entities) {
        entities.push_back(store.spawn(Position{5, 5}, Armour{1}, Hidden{}));
        store.relate(entities.back(), kinds.likes, entities[2]);
        store.add(entities[4], Armour{7});
        store.despawn(entities[5]); // erases tables for pairs with it, which then are made again
        entities.erase(entities.begin() + 5);
        store.advance();
        std::vector<float> walk;
        store.query<const Position>().for_each([&](const Position& p) { walk.push_back(p.x); });
        return walk;
    };
    const auto bytes = store.snapshot(codec());
    auto entities = all;
    std::vector<std::vector<float>> first, second;
    for (int i = 0; i != 3; ++i) first.push_back(frame(entities));
    const auto later = store.snapshot(codec());
    store.restore(bytes, codec());
    CHECK((store.snapshot(codec()) == bytes));
    entities = all;
    for (int i = 0; i != 3; ++i) second.push_back(frame(entities));
    CHECK(first == second); // in the same order
    CHECK((store.snapshot(codec()) == later));
}

TEST_CASE("ArchetypeStore::snapshot: values are destroyed once, those of the old contents too", "[ecs]") {
    const NothingLeaks leaks;
    AnyCodec tracked;
    tracked.add<Tracked, TrackedCodec>();
    ArchetypeStore store, other;
    for (int i = 0; i != 20; ++i) store.spawn(Tracked(i), Health{i});
    other.spawn(Tracked(100), Health{1});
    const auto bytes = store.snapshot(tracked);
    other.restore(bytes, tracked);
    std::size_t sum = 0;
    other.query<const Tracked>().for_each([&](const Tracked& value) { sum += static_cast<std::size_t>(value.value()); });
    CHECK(sum == 190);
    for (std::size_t size = 0; size < bytes.size(); size += 3)
        CHECK(other.try_restore(std::span(bytes).first(size), tracked) != nullptr);
    CHECK(other.size() == 20);
}

TEST_CASE("ArchetypeStore::snapshot: what cannot be written, or not be found, is said in words", "[ecs]") {
    ArchetypeStore store, other;
    const auto text = [](auto&& act) { return thrown_text<std::invalid_argument>(act); };
    store.registry().add<Name>("name");
    store.spawn(Name{"one"});
    CHECK(text([&] { static_cast<void>(store.snapshot()); }).find("name are not their bytes") != std::string::npos);
    const auto bytes = store.snapshot(codec());
    CHECK(text([&] {
              other.restore(bytes, codec());
          }).find("the component name, which the registry does not know; register it first, by store.registry().add<T>(") !=
          std::string::npos);
    other.registry().add<Name>("name", {.sparse = true});
    CHECK(text([&] {
              other.restore(bytes, codec());
          }).find("component name has other traits here: in one place only it is sparse") != std::string::npos);
    ArchetypeStore third;
    third.registry().add<Name>("name");
    CHECK(text([&] { third.restore(bytes); }).find("codec covers its type in one place only: that of the component name") !=
          std::string::npos);
    ArchetypeStore small, large;
    small.registry().add<Health>("value");
    large.registry().add<Position>("value");
    small.spawn(Health{1});
    CHECK(text([&] {
              large.restore(small.snapshot());
          }).find("component value has values of another size: 4 bytes there, 8 here") != std::string::npos);
    const std::vector<std::byte> zeros(40);
    CHECK(text([&] { large.restore(zeros); }).find("not a slotwise snapshot") != std::string::npos);
}

TEST_CASE("ArchetypeStore::snapshot: hostile bytes are refused, or give a sound store; a refusal changes nothing", "[ecs]") {
    ArchetypeStore store;
    const Kinds kinds(store.registry());
    const auto all = fill(store, kinds);
    const auto bytes = store.snapshot(codec());
    ArchetypeStore other;
    const Kinds others(other.registry());
    const Entity kept = other.spawn(Position{1, 2}, Name{"kept"});
    const auto before = other.snapshot(codec());
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
        REQUIRE(other.try_restore(std::span(bytes).first(size), codec()) != nullptr);
        REQUIRE(other.get<Name>(kept)->text == "kept");
    }
    const auto more = test::forged(bytes, [](auto& state) { state.push_back(std::byte{0}); });
    CHECK(other.try_restore(more, codec()) != nullptr);
    CHECK(other.snapshot(codec()).size() >= before.size());
    std::mt19937 generator(1);
    std::size_t refused = 0, accepted = 0;
    for (int i = 0; i != 3000; ++i) {
        auto wrong = bytes;
        const std::size_t at = static_cast<std::size_t>(generator()) % wrong.size();
        wrong[at] ^= static_cast<std::byte>(1u << generator() % 8);
        wrong = test::reseal(wrong);
        ArchetypeStore fresh;
        const Kinds again(fresh.registry());
        if (fresh.try_restore(wrong, codec()) != nullptr) {
            ++refused;
            REQUIRE(fresh.empty());
        } else {
            ++accepted; // a value, a tick or a version is another one
            REQUIRE(fresh.check_invariants());
            REQUIRE((fresh.snapshot(codec()) == wrong));
        }
    }
    CHECK(refused > 1000);
    CHECK(accepted > 100);
    other.restore(bytes, codec());
    check_same(store, kinds, other, others, all);
}

TEST_CASE("ArchetypeStore ranges: ids of a range are issued by spawn_in and spawn_at only, and restored", "[ecs]") {
    ArchetypeStore server, client;
    const auto replicas = server.add_range(1000, 2000);
    const Entity own = server.spawn(Health{1});
    const Entity replica = server.spawn_in(replicas, Health{2}, Hidden{});
    CHECK(own.index() == 0);
    CHECK(replica.index() == 1000);
    CHECK(server.range_of(replica) == replicas);
    CHECK(server.range_of(own) == ArchetypeStore::Range());
    CHECK(server.size() == 2);
    CHECK(server.check_invariants());
    client.registry().id<Health>();
    client.registry().id<Hidden>();
    client.restore(server.snapshot());
    CHECK(client.range_of(replica) == server.range_of(replica));
    CHECK(client.spawn_at(Entity(1500, 5), Health{3})); // a server's choice
    CHECK_FALSE(client.spawn_at(Entity(1500, 5), Health{4}));
    CHECK_FALSE(client.spawn_at(Entity(1500, 3), Health{4}));
    CHECK(client.get<Health>(Entity(1500, 5))->left == 3);
    CHECK(client.spawn().index() == 1);
    CHECK(client.spawn_in(client.range_of(replica)) == server.spawn_in(replicas));
    CHECK(server.despawn(replica));
    CHECK(server.spawn_in(replicas) == Entity(1000, 3)); // recycled among themselves
    CHECK(thrown_text<std::invalid_argument>([&] { server.add_range(1500, 3000); }).find("overlaps") != std::string::npos);
    int removed = 0;
    client.on_remove<Health>([&](Entity, Health&) { ++removed; });
    client.clear();
    CHECK(removed == 3);
    CHECK(client.empty());
    CHECK(client.check_invariants());
}

TEST_CASE("ArchetypeStore::snapshot: a restore that runs out of memory changes nothing", "[ecs]") {
    ArchetypeStore store;
    const Kinds kinds(store.registry());
    fill(store, kinds);
    const auto bytes = store.snapshot(codec());
    const std::size_t failures = run_out_of_memory([&](auto&& attempt) {
        ArchetypeStore other;
        const Kinds others(other.registry());
        const Entity kept = other.spawn(Position{1, 2}, Name{"kept"});
        other.relate(kept, others.mode, kept);
        const bool failed = attempt([&] { other.restore(bytes, codec()); });
        REQUIRE(other.check_invariants());
        if (!failed) return;
        REQUIRE(other.size() == 1);
        REQUIRE(other.get<Name>(kept)->text == "kept");
        REQUIRE(other.target(kept, others.mode) == kept);
    });
    CHECK(failures > 100);
}

TEST_CASE("ArchetypeStore::snapshot: ids that command buffers have taken are no part of it", "[ecs]") {
    ArchetypeStore store, other;
    const Kinds kinds(store.registry()), others(other.registry());
    const auto all = fill(store, kinds);
    CommandBuffer buffer(store), second(store);
    const Entity pending = buffer.spawn(Position{});
    second.relate(all[0], kinds.likes, pending);
    CHECK(store.apply(second) == 1);
    CHECK_THROWS_AS(store.relate(all[0], kinds.likes, pending), std::invalid_argument);
    other.restore(store.snapshot(codec()), codec());
    CHECK(other.check_invariants());
    CHECK(other.size() == store.size());
    check_same(store, kinds, other, others, all);
}

// After an apply() that threw, an entity may be related to what its buffer has yet to spawn.
TEST_CASE("ArchetypeStore::snapshot: a pair with what is not spawned yet is refused in words, a table without rows left out",
          "[ecs]") {
    for (const bool switched : {false, true}) {
        ArchetypeStore store, other;
        const Kinds kinds(store.registry()), others(other.registry());
        const auto all = fill(store, kinds);
        const ComponentId relation = switched ? kinds.mode : kinds.likes;
        store.remove(all[0], kinds.health);
        const HookId hook = store.on_add<Health>([](Entity, Health&) { throw std::runtime_error("a hook"); });
        CommandBuffer buffer(store);
        buffer.add(all[0], Health{1}); // its group is the first one
        const Entity pending = buffer.spawn(Position{});
        buffer.relate(all[0], relation, pending);
        CHECK_THROWS_AS(store.apply(buffer), std::runtime_error);
        REQUIRE(store.target(all[0], relation) == pending);
        REQUIRE_FALSE(store.is_alive(pending));
        const std::string text = thrown_text<std::invalid_argument>([&] { static_cast<void>(store.snapshot(codec())); });
        CHECK(text.find("snapshot: apply or clear the buffer first") != std::string::npos);
        CHECK(text.find("taken by a CommandBuffer") != std::string::npos);
        store.unrelate(all[0], relation); // its table is empty now
        other.restore(store.snapshot(codec()), codec());
        CHECK(other.check_invariants());
        check_same(store, kinds, other, others, all);
        store.off(hook);
        CHECK(store.apply(buffer) == 0);
        CHECK(store.is_alive(pending));
        store.relate(all[0], relation, pending);
        other.restore(store.snapshot(codec()), codec());
        check_same(store, kinds, other, others, all);
        CHECK(store.check_invariants());
    }
}
