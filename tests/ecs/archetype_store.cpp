// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "ecs/inside.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/archetype_store.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Position {
    float x = 0, y = 0, z = 0;
    friend bool operator==(const Position&, const Position&) = default;
};
struct Velocity {
    float x = 0, y = 0, z = 0;
    friend bool operator==(const Velocity&, const Velocity&) = default;
};
struct Health {
    int left = 0;
};
struct Name {
    std::string text;
};
struct Stunned {};
struct Hidden {};

} // namespace

TEST_CASE("ArchetypeStore: a mover gets a velocity and loses it, keeps its data, and a landmark is untouched", "[ecs]") {
    ArchetypeStore store;
    const Entity mover = store.spawn(Position{1, 2, 3});
    const Entity landmark = store.spawn(Position{7, 8, 9}, Hidden{});
    CHECK(store.add(mover, Velocity{4, 5, 6}));
    CHECK(store.check_invariants());
    CHECK(*store.get<Position>(mover) == Position{1, 2, 3});
    CHECK(*store.get<Velocity>(mover) == Velocity{4, 5, 6});
    CHECK(store.remove<Velocity>(mover));
    CHECK(store.check_invariants());
    CHECK(store.get<Velocity>(mover) == nullptr);
    CHECK(*store.get<Position>(mover) == Position{1, 2, 3});
    CHECK(*store.get<Position>(landmark) == Position{7, 8, 9});
    CHECK(store.has<Hidden>(landmark));
    CHECK(store.is_alive(mover));
    CHECK(store.is_alive(landmark));
    CHECK(store.size() == 2);
}

TEST_CASE("ArchetypeStore: add and remove return whether the entity lives, not whether something changed", "[ecs]") {
    ArchetypeStore store;
    const Entity entity = store.spawn(Position{1, 0, 0});
    CHECK(store.add(entity, Position{2, 0, 0}));
    CHECK(store.get<Position>(entity)->x == 1); // what it has keeps its value
    CHECK(store.remove<Velocity>(entity));
    CHECK(store.remove<Velocity, Position>(entity)); // a set that is absent in part
    CHECK_FALSE(store.has<Position>(entity));
    CHECK(store.add(entity, Velocity{}, Stunned{}));
    CHECK(store.add(entity, Velocity{1, 1, 1}, Health{3}));
    CHECK(*store.get<Velocity>(entity) == Velocity{});
    CHECK(store.get<Health>(entity)->left == 3);
    CHECK(store.despawn(entity));
    CHECK_FALSE(store.despawn(entity));
    CHECK_FALSE(store.add(entity, Health{}));
    CHECK_FALSE(store.add<Stunned>(entity));
    CHECK_FALSE(store.remove<Health>(entity));
    CHECK_FALSE(store.set(entity, Health{}));
    CHECK(store.empty());
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: set assigns where the component is, and adds where it is not, with one construct", "[ecs]") {
    const NothingLeaks leaks;
    ArchetypeStore store;
    using Value = Tracked;
    const Entity entity = store.spawn(Position{});
    CHECK(store.set(entity, Value(1)));
    CHECK(store.get<Value>(entity)->value() == 1);
    const Value* const before = store.get<Value>(entity);
    CHECK(store.set(entity, Value(2)));
    CHECK(store.get<Value>(entity) == before);
    CHECK(before->value() == 2);
    CHECK(store.set(entity, Value(3), Velocity{1, 0, 0})); // one of them is there: the place of the other is fetched anew
    CHECK(store.get<Value>(entity)->value() == 3);
    CHECK(*store.get<Velocity>(entity) == Velocity{1, 0, 0});
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: an id of another life never resolves", "[ecs]") {
    ArchetypeStore store;
    const Entity first = store.spawn(Position{1, 0, 0});
    CHECK(store.despawn(first));
    const Entity second = store.spawn(Position{2, 0, 0});
    REQUIRE(second.index() == first.index());
    CHECK_FALSE(store.is_alive(first));
    CHECK(store.get<Position>(first) == nullptr);
    CHECK_FALSE(store.has<Position>(first));
    CHECK_FALSE(store.set(first, Position{3, 0, 0}));
    CHECK(store.get<Position>(second)->x == 2);
}

TEST_CASE("ArchetypeStore: a builder spawns once, into the table of all its components", "[ecs]") {
    const NothingLeaks leaks;
    ArchetypeStore store;
    EntityBuilder builder = store.builder();
    builder.with(Position{1, 2, 3}).with(Tracked(7)).with<Stunned>();
    const std::size_t tables = 1; // the empty one
    CHECK(store.registry().size() == 3);
    const Entity entity = builder.spawn();
    CHECK(test::tables_of(store).size() == tables + 1);
    CHECK(store.get<Tracked>(entity)->value() == 7);
    CHECK(*store.get<Position>(entity) == Position{1, 2, 3});
    CHECK(store.has<Stunned>(entity));
    const Entity empty = builder.spawn();
    CHECK(store.is_alive(empty));
    CHECK_FALSE(store.has<Position>(empty));
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: spawn_n gives every entity copies of the values", "[ecs]") {
    ArchetypeStore store;
    const auto entities = store.spawn_n(1000, Position{1, 2, 3}, Name{"copied"}, Hidden{});
    REQUIRE(entities.size() == 1000);
    for (const Entity entity : entities) {
        CHECK(store.get<Name>(entity)->text == "copied");
        CHECK(store.has<Hidden>(entity));
    }
    CHECK(store.size() == 1000);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: sparse components come and go without a move, and are gone when the entity is", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<Name>({.sparse = true});
    store.registry().add<Stunned>({.sparse = true});
    const Entity entity = store.spawn(Position{1, 2, 3}, Name{"first"});
    const Name* const name = store.get<Name>(entity);
    REQUIRE(name != nullptr);
    CHECK(store.add(entity, Velocity{}));
    CHECK(store.get<Name>(entity) == name);
    const Position* const position = store.get<Position>(entity);
    CHECK(store.add<Stunned>(entity));
    CHECK(store.has<Stunned>(entity));
    CHECK(store.get<Position>(entity) == position); // no row moved
    CHECK(store.set(entity, Name{"second"}));
    CHECK(name->text == "second");
    CHECK(store.remove<Stunned>(entity));
    CHECK_FALSE(store.has<Stunned>(entity));
    store.despawn(entity);
    const Entity again = store.spawn(Position{});
    REQUIRE(again.index() == entity.index());
    CHECK_FALSE(store.has<Name>(again));
    CHECK(store.get<Name>(again) == nullptr);
    CHECK(store.check_invariants());
}

namespace {

ComponentId likes_of(ArchetypeStore& store) {
    const ComponentId known = store.registry().find("likes");
    return known ? known : store.registry().add_relation("likes");
}
auto& tables(ArchetypeStore& store) { return test::tables_of(store); }
Table& table_of(ArchetypeStore& store, Entity entity) {
    auto& core = test::inside(store);
    return core.table(*core.location(entity));
}
template <class T>
TickColumn& ticks(ArchetypeStore& store, Entity entity) {
    Table& table = table_of(store, entity);
    return *table.ticks(static_cast<std::size_t>(table.place_of(store.registry().id<T>())));
}
template <class T>
tick_t changed(ArchetypeStore& store, Entity entity) {
    return ticks<T>(store, entity).changed(test::inside(store).location(entity)->row());
}
template <class T>
tick_t added(ArchetypeStore& store, Entity entity) {
    return ticks<T>(store, entity).added(test::inside(store).location(entity)->row());
}
struct alignas(64) Wide {
    double values[8] = {};
};
struct Weight {
    int value = 0;
    friend bool operator==(Weight, Weight) = default;
};

} // namespace

TEST_CASE("ArchetypeStore: several components are added and removed in one move, without tables between", "[ecs]") {
    ArchetypeStore store;
    const Entity entity = store.spawn();
    CHECK(tables(store).size() == 1);
    store.add(entity, Position{1, 2, 3}, Velocity{4, 5, 6}, Health{7}, Stunned{});
    CHECK(tables(store).size() == 2);
    store.remove<Velocity, Stunned>(entity);
    CHECK(tables(store).size() == 3);
    CHECK(*store.get<Position>(entity) == Position{1, 2, 3});
    CHECK(store.get<Health>(entity)->left == 7);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: a change without effect makes no table and moves no row", "[ecs]") {
    ArchetypeStore store;
    const Entity entity = store.spawn(Position{});
    const Position* const before = store.get<Position>(entity);
    const std::size_t count = tables(store).size();
    CHECK(store.add(entity, Position{1, 1, 1}));
    CHECK(store.remove<Velocity>(entity));
    CHECK(store.remove<Velocity, Health>(entity));
    CHECK(store.add<Position>(entity));
    CHECK(store.get<Position>(entity) == before);
    CHECK(tables(store).size() == count);
}

TEST_CASE("ArchetypeStore: arguments may be values of the store, also when the table grows or the row moves", "[ecs]") {
    const NothingLeaks leaks;
    ArchetypeStore store;
    const std::string text = "long enough not to fit into the string itself";
    const Entity first = store.spawn(Name{text}, Tracked(1));
    for (int i = 0; i != 100; ++i) store.spawn(Name(*store.get<Name>(first)), Tracked(*store.get<Tracked>(first)));
    for (int i = 0; i != 100; ++i) {
        const Entity copy = store.spawn(*store.get<Name>(first), *store.get<Tracked>(first));
        CHECK(store.get<Name>(copy)->text == text);
        CHECK(store.get<Tracked>(copy)->value() == 1);
    }
    const Entity other = store.spawn(Position{});
    CHECK(store.set(other, *store.get<Name>(first)));
    CHECK(store.get<Name>(other)->text == text);
    CHECK(store.set(other, *store.get<Name>(other), Weight{2})); // its own value, and a move
    CHECK(store.get<Name>(other)->text == text);
    for (int i = 0; i != 40; ++i) {
        const Entity each = store.spawn(Position{});
        CHECK(store.add(each, *store.get<Name>(first), *store.get<Tracked>(first)));
        CHECK(store.get<Name>(each)->text == text);
    }
    CHECK(store.spawn_n(300, *store.get<Name>(first), *store.get<Tracked>(first)).size() == 300);
    CHECK(store.get<Name>(first)->text == text);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: locations stay right through any order of changes", "[ecs]") {
    ArchetypeStore store;
    struct Expected {
        Entity entity;
        int weight, health;
        bool stunned;
    };
    std::vector<Expected> expected;
    std::uint32_t random = 1;
    const auto next = [&](std::uint32_t below) { return (random = random * 1664525u + 1013904223u) / 65536u % below; };
    for (int step = 0; step != 3000; ++step) {
        const auto kind = next(8);
        if (kind < 2 || expected.empty()) {
            expected.push_back({store.spawn(Weight{step}), step, -1, false});
            continue;
        }
        Expected& each = expected[next(static_cast<std::uint32_t>(expected.size()))];
        if (kind == 2) {
            CHECK(store.despawn(each.entity));
            each = expected.back();
            expected.pop_back();
        } else if (kind < 5) {
            CHECK(store.set(each.entity, Health{step}));
            each.health = step;
        } else if (kind == 5) {
            CHECK(store.remove<Health>(each.entity));
            each.health = -1;
        } else {
            each.stunned = !each.stunned;
            CHECK((each.stunned ? store.add<Stunned>(each.entity) : store.remove<Stunned>(each.entity)));
        }
        if (step % 100 == 0) REQUIRE(store.check_invariants());
    }
    CHECK(store.size() == expected.size());
    for (const Expected& each : expected) {
        REQUIRE(store.get<Weight>(each.entity)->value == each.weight);
        REQUIRE(store.has<Health>(each.entity) == (each.health >= 0));
        if (each.health >= 0) REQUIRE(store.get<Health>(each.entity)->left == each.health);
        REQUIRE(store.has<Stunned>(each.entity) == each.stunned);
    }
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: a move stamps only what it added", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<Position>({.tracked = true});
    store.registry().add<Velocity>({.tracked = true});
    const Entity entity = store.spawn(Position{});
    const tick_t spawned = store.tick();
    CHECK(store.advance() == spawned);
    CHECK(store.tick() == spawned + 1);
    store.add(entity, Velocity{});
    CHECK(added<Position>(store, entity) == spawned);
    CHECK(changed<Position>(store, entity) == spawned);
    CHECK(added<Velocity>(store, entity) == spawned + 1);
    store.advance();
    store.add<Stunned>(entity);
    CHECK(changed<Velocity>(store, entity) == spawned + 1);
    store.remove<Velocity>(entity);
    store.advance();
    store.add(entity, Velocity{});
    CHECK(added<Velocity>(store, entity) == spawned + 3);
    CHECK(changed<Position>(store, entity) == spawned);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: set, builder and mutable access stamp, const access does not", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<Position>({.tracked = true});
    store.advance();
    const Entity entity = store.builder().with(Position{}).spawn();
    const tick_t begin = store.tick();
    CHECK(changed<Position>(store, entity) == begin);
    store.advance();
    const ComponentId position = store.registry().id<Position>();
    CHECK(store.get<const Position>(entity) != nullptr);
    CHECK(std::as_const(store).get<Position>(entity) != nullptr);
    CHECK(std::as_const(store).get(entity, position) != nullptr);
    CHECK(std::as_const(store).at<Position>(entity) == Position{});
    CHECK(store.has<Position>(entity));
    CHECK(changed<Position>(store, entity) == begin);
    const auto stamps = [&](auto&& use) {
        store.advance();
        use();
        return changed<Position>(store, entity) == store.tick() && added<Position>(store, entity) == begin;
    };
    CHECK(stamps([&] { store.set(entity, Position{1, 1, 1}); }));
    CHECK(stamps([&] { store.get<Position>(entity)->x = 2; }));
    CHECK(stamps([&] { store.at<Position>(entity).x = 2; }));
    CHECK(stamps([&] { static_cast<void>(store.get(entity, position)); }));
    const Position value{3, 3, 3};
    CHECK(stamps([&] { store.set(entity, position, AnyValue::of(value)); }));
    CHECK(stamps([&] { store.set(entity, Position{}, Weight{}); }));
}

TEST_CASE("ArchetypeStore: advance makes old stamps comparable again in time", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<Position>({.tracked = true});
    const Entity entity = store.spawn(Position{});
    auto& core = test::inside(store);
    core.tick = 2 * max_tick_age - 1;
    CHECK(store.advance() == 2 * max_tick_age - 1);
    CHECK(changed<Position>(store, entity) == max_tick_age);
    core.tick = 3 * max_tick_age - 2;
    store.advance();
    CHECK(changed<Position>(store, entity) == max_tick_age); // only once in so many ticks
    store.advance();
    CHECK(changed<Position>(store, entity) == 2 * max_tick_age);
    core.tick = ~tick_t{0};
    CHECK(store.advance() == ~tick_t{0});
    CHECK(store.tick() == 0);
    CHECK(changed<Position>(store, entity) == 3 * max_tick_age);
    CHECK(is_newer(store.tick(), changed<Position>(store, entity)));
}

TEST_CASE("ArchetypeStore: companions come along in one move, and stay when the cause is removed", "[ecs]") {
    ArchetypeStore store;
    const ComponentId name = store.registry().add<Name>({.sparse = true});
    const ComponentId weight = store.registry().add<Weight>({.with = {name}});
    store.registry().add<Health>({.with = {weight}});
    const Entity entity = store.spawn(Position{});
    CHECK(store.add(entity, Health{3}));
    CHECK(*store.get<Weight>(entity) == Weight{});
    CHECK(store.get<Name>(entity)->text.empty());
    store.set(entity, Weight{5}, Name{"five"});
    CHECK(store.remove<Health>(entity));
    CHECK(store.get<Weight>(entity)->value == 5);
    CHECK(store.get<Name>(entity)->text == "five");
    CHECK(store.add(entity, Health{4}));
    CHECK(store.get<Weight>(entity)->value == 5); // what it has stays
    const Entity spawned = store.spawn(Health{1}, Weight{2});
    CHECK(store.get<Weight>(spawned)->value == 2);
    CHECK(store.has<Name>(spawned));
    for (const Entity each : store.spawn_n(3, Health{1})) CHECK(store.has<Name>(each));
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: a target of an exclusive relation replaces the one before in one move", "[ecs]") {
    ArchetypeStore store;
    const ComponentId child_of = store.registry().add_relation("child of", {.exclusive = true});
    const Entity parents[] = {store.spawn(), store.spawn()};
    const Entity child = store.spawn(Position{1, 2, 3});
    CHECK(store.add(child, pair(child_of, parents[0])));
    CHECK(store.add(child, pair(child_of, parents[1])));
    CHECK_FALSE(store.has(child, pair(child_of, parents[0])));
    CHECK(store.has(child, pair(child_of, parents[1])));
    CHECK(store.has(child, pair(child_of, any)));
    CHECK(store.remove(child, pair(child_of, parents[1])));
    CHECK_FALSE(store.has(child, pair(child_of, any)));
    const ComponentId both[] = {pair(child_of, parents[1]), pair(child_of, parents[0])};
    CHECK(store.add(child, both));
    CHECK(store.has(child, pair(child_of, parents[0])) != store.has(child, pair(child_of, parents[1])));
    CHECK(*store.get<Position>(child) == Position{1, 2, 3});
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: components of run time are added, set and read by their ids", "[ecs]") {
    ArchetypeStore store;
    auto& registry = store.registry();
    const ComponentId mass = registry.add("mass", TypeDescriptor::of<double>());
    const ComponentId title = registry.add("title", TypeDescriptor::of<std::string>());
    const ComponentId frozen = registry.add_tag("frozen");
    const Entity entity = store.spawn(Position{});
    const double heavy = 7.5;
    CHECK(store.add(entity, mass, AnyValue::of(heavy)));
    CHECK(*static_cast<const double*>(store.get(entity, mass)) == 7.5);
    const double light = 1;
    CHECK(store.add(entity, mass, AnyValue::of(light))); // what it has stays
    CHECK(*static_cast<const double*>(store.get(entity, mass)) == 7.5);
    CHECK(store.set(entity, mass, AnyValue::of(light)));
    CHECK(*static_cast<const double*>(store.get(entity, mass)) == 1);
    CHECK(store.set(entity, mass, AnyValue())); // the default value
    CHECK(*static_cast<const double*>(store.get(entity, mass)) == 0);
    CHECK(store.set(entity, title, AnyValue::of(std::string("a title that needs memory of its own"))));
    CHECK(store.set(entity, title, AnyValue()));
    CHECK(static_cast<const std::string*>(store.get(entity, title))->empty());
    const ComponentId some[] = {frozen, title, frozen, mass}; // in any order, more than once
    CHECK(store.remove(entity, some));
    CHECK_FALSE(store.has(entity, mass));
    CHECK(store.add(entity, some));
    CHECK(store.has(entity, frozen));
    CHECK(store.get(entity, frozen) == nullptr);
    CHECK(*static_cast<const double*>(store.get(entity, mass)) == 0);
    const Entity built = store.builder().with(mass, AnyValue::of(heavy)).with(frozen).with(title).spawn();
    CHECK(*static_cast<const double*>(store.get(built, mass)) == 7.5);
    CHECK(store.has(built, frozen));
    std::vector<ComponentId> seen;
    store.for_each_component(built, [&](ComponentId id, const void* value) {
        seen.push_back(id);
        CHECK((value != nullptr) == (id != frozen));
    });
    CHECK(seen == std::vector<ComponentId>{mass, title, frozen});
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: a disabled component keeps its value and its place, and the bit goes where the row goes", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<Health>({.toggle = true});
    const Entity entity = store.spawn(Health{3}), other = store.spawn(Health{4});
    const Health* const before = store.get<Health>(entity);
    CHECK(store.is_enabled<Health>(entity));
    CHECK(store.disable<Health>(entity));
    CHECK(store.get<Health>(entity) == before);
    CHECK(store.has<Health>(entity));
    CHECK_FALSE(store.is_enabled<Health>(entity));
    CHECK(store.is_enabled<Health>(other));
    store.add(entity, Position{});
    CHECK_FALSE(store.is_enabled<Health>(entity));
    CHECK(store.get<Health>(entity)->left == 3);
    CHECK(store.is_enabled<Health>(other));
    CHECK(store.enable<Health>(entity));
    CHECK(store.is_enabled<Health>(entity));
    CHECK_FALSE(store.enable<Health>(Entity()));
    store.remove<Health>(entity);
    CHECK_FALSE(store.enable<Health>(entity));
    CHECK_FALSE(store.is_enabled<Health>(entity));
    CHECK_FALSE(store.is_enabled<Weight>(entity));
    CHECK(thrown_text<std::invalid_argument>([&] { store.disable<Position>(entity); }).find("trait toggle") !=
          std::string::npos);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: exactly the given entity is spawned, or none", "[ecs]") {
    ArchetypeStore store;
    const auto remote = store.add_range(1000, 2000);
    const Entity given(1500, 7);
    CHECK(store.spawn_at(given, Position{1, 2, 3}));
    CHECK(*store.get<Position>(given) == Position{1, 2, 3});
    CHECK_FALSE(store.spawn_at(given, Position{}));           // it lives
    CHECK_FALSE(store.spawn_at(Entity(1500, 5), Position{})); // an older life of it
    CHECK_FALSE(store.spawn_at(Entity(1500, 8), Position{})); // no version of a living one
    CHECK(store.entities(remote).size() == 1);
    CHECK(store.entities().empty());
    CHECK(store.despawn(given));
    CHECK_FALSE(store.spawn_at(given, Position{}));
    CHECK(store.spawn_at(Entity(1500, 9), Position{}, Hidden{}));
    CHECK(store.spawn().index() == 0); // a range of its own
    CHECK(store.size() == 2);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: errors are words", "[ecs]") {
    ArchetypeStore store, other;
    const Entity entity = store.spawn(Position{}), gone = store.spawn();
    store.despawn(gone);
    const auto says = [](auto&& act, const char* words) {
        const std::string text = thrown_text<std::invalid_argument>(act);
        INFO(text);
        return text.find(words) != std::string::npos;
    };
    other.registry().id<Health>();
    CHECK(says([&] { store.add(entity, other.registry().id<Health>()); }, "another registry"));
    CHECK(says([&] { store.remove(entity, other.registry().id<Health>()); }, "another registry"));
    CHECK(says([&] { store.remove(entity, pair(likes_of(store), any)); }, "wildcard"));
    CHECK(says([&] { store.add(entity, ComponentId()); }, "null"));
    CHECK(says([&] { store.add(entity, pair(store.registry().id<Position>(), entity)); }, "without a relation"));
    const ComponentId likes = likes_of(store);
    CHECK(says([&] { store.add(entity, pair(likes, gone)); }, "was despawned"));
    CHECK(says([&] { store.add(entity, pair(likes, any)); }, "wildcard"));
    const int value = 1;
    CHECK(says([&] { store.set(entity, store.registry().id<Hidden>(), AnyValue::of(value)); }, "tag"));
    CHECK(says([&] { store.set(entity, store.registry().id<Position>(), AnyValue::of(value)); }, "another type"));
    const auto missing = [&](auto&& act) { return thrown_text<std::out_of_range>(act); };
    CHECK(missing([&] { store.at<Position>(gone); }).find("was despawned") != std::string::npos);
    CHECK(missing([&] { store.at<Position>(Entity()); }).find("is null") != std::string::npos);
    CHECK(missing([&] { store.at<Position>(Entity(77, 1)); }).find("never spawned") != std::string::npos);
    CHECK(missing([&] { std::as_const(store).at<Velocity>(entity); }).find("does not have") != std::string::npos);
    CHECK(missing([&] { static_cast<void>(store.registry().id<Velocity>(), store.at<Velocity>(entity)); }).find("Velocity") !=
          std::string::npos);
    CHECK_FALSE(store.has(entity, other.registry().id<Health>()));
    CHECK(store.get(entity, other.registry().id<Health>()) == nullptr);
    CHECK(store.size() == 1);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: a store that is moved keeps entities, addresses and queries", "[ecs]") {
    ArchetypeStore store;
    const Entity entity = store.spawn(Position{1, 2, 3});
    Position* const position = store.get<Position>(entity);
    auto query = store.query<Position>();
    ArchetypeStore moved(std::move(store));
    CHECK(moved.get<Position>(entity) == position);
    moved.spawn(Position{}, Velocity{});
    std::size_t met = 0;
    query.for_each([&](Position&) { ++met; });
    CHECK(met == 2);
    ArchetypeStore target;
    const Entity old = target.spawn();
    target = std::move(moved);
    CHECK(target.get<Position>(entity) == position);
    CHECK(target.size() == 2);
    ArchetypeStore third;
    swap(target, third);
    CHECK(third.get<Position>(entity) == position);
    CHECK(target.empty());
    static_cast<void>(old);
    CHECK(third.check_invariants());
}

TEST_CASE("ArchetypeStore: clear ends all entities for ever, and keeps components, hooks and queries", "[ecs]") {
    const NothingLeaks leaks;
    ArchetypeStore store;
    store.registry().add<Name>({.sparse = true});
    const Entity entity = store.spawn(Tracked(1), Name{"sparse"});
    const Entity far(5000, 3);
    store.add_range(4000, 6000);
    REQUIRE(store.spawn_at(far, Tracked(2)));
    int removed = 0;
    store.on_remove<Tracked>([&](Entity each, Tracked& value) {
        CHECK(value.value() == (each == far ? 2 : 1));
        ++removed;
    });
    auto query = store.query<Tracked>();
    store.clear();
    CHECK(removed == 2);
    CHECK(store.empty());
    CHECK_FALSE(store.is_alive(entity));
    CHECK(query.empty());
    const Entity next = store.spawn(Tracked(3));
    CHECK(next != entity);
    CHECK_FALSE(store.has<Name>(next));
    CHECK_FALSE(query.empty());
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: tables that were erased are found anew", "[ecs]") {
    ArchetypeStore store;
    auto query = store.query<Velocity>();
    const Entity entity = store.spawn(Position{}, Velocity{1, 1, 1});
    store.remove<Velocity>(entity);
    const std::size_t before = tables(store).size();
    store.shrink_to_fit();
    CHECK(tables(store).size() < before);
    CHECK(query.empty());
    store.spawn(Weight{1}); // takes the number of an erased table
    store.add(entity, Velocity{2, 2, 2});
    const Entity again = store.spawn(Position{}, Velocity{3, 3, 3});
    CHECK(store.get<Velocity>(again)->x == 3);
    CHECK(store.get<Velocity>(entity)->x == 2);
    std::size_t met = 0;
    query.for_each([&](Velocity&) { ++met; });
    CHECK(met == 2);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: values that only move, and values of any alignment, are components", "[ecs]") {
    const NothingLeaks leaks;
    ArchetypeStore store;
    std::vector<Entity> entities;
    for (int i = 0; i != 50; ++i) entities.push_back(store.spawn(MoveOnly(i), std::make_unique<int>(i), Wide{}));
    for (int i = 0; i != 50; i += 2) store.remove<Wide>(entities[static_cast<std::size_t>(i)]);
    for (int i = 0; i != 50; ++i) {
        const Entity entity = entities[static_cast<std::size_t>(i)];
        CHECK(store.get<MoveOnly>(entity)->value() == i);
        CHECK(**store.get<std::unique_ptr<int>>(entity) == i);
        if (const Wide* wide = store.get<Wide>(entity)) CHECK(reinterpret_cast<std::uintptr_t>(wide) % 64 == 0);
    }
    CHECK(store.set(entities[0], MoveOnly(100)));
    CHECK(store.get<MoveOnly>(entities[0])->value() == 100);
    for (const Entity entity : entities) store.despawn(entity);
    CHECK(leaks.alive() == 0);
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: stores of one program know the same types by traits of their own", "[ecs]") {
    ArchetypeStore one, two;
    two.registry().id<Velocity>();
    two.registry().add<Position>({.sparse = true});
    const Entity a = one.spawn(Position{1, 0, 0}), b = two.spawn(Position{2, 0, 0});
    CHECK(one.get<Position>(a)->x == 1);
    CHECK(two.get<Position>(b)->x == 2);
    CHECK(one.registry().id<Position>() != two.registry().id<Position>());
    CHECK(one.has(a, one.registry().id<Position>()));
    CHECK_FALSE(two.has(b, one.registry().id<Position>()));
    ComponentRegistry prepared;
    const ComponentId weight = prepared.add<Weight>({.tracked = true});
    ArchetypeStore three(std::move(prepared));
    CHECK(three.registry().id<Weight>() == weight);
    CHECK(three.has(three.spawn(Weight{}), weight));
}

TEST_CASE("ArchetypeStore: room that was reserved is used, and rows do not move until it is full", "[ecs]") {
    ArchetypeStore store;
    store.reserve<Position, Velocity>(100);
    const Entity first = store.spawn(Position{}, Velocity{});
    const Position* const before = store.get<Position>(first);
    for (int i = 1; i != 100; ++i) store.spawn(Velocity{}, Position{});
    CHECK(store.get<Position>(first) == before);
    CHECK(table_of(store, first).size() == 100); // the order of the types does not matter
    if constexpr (sizeof(std::size_t) > 4)       // with 32 bits memory ends before indices do
        CHECK_FALSE(thrown_text<std::length_error>([&] { store.reserve<Position>(~std::size_t{0} / 2); }).empty());
}

TEST_CASE("ArchetypeStore: a builder keeps the last value of a component and can be used under conditions", "[ecs]") {
    const NothingLeaks leaks;
    ArchetypeStore store;
    const ComponentId likes = store.registry().relation<Weight>();
    const Entity target = store.spawn();
    EntityBuilder builder = store.builder();
    builder.with(Tracked(1)).with(Position{});
    builder.with(Tracked(2)).with<Health>();
    const Weight weight{9};
    builder.relate(likes, target, AnyValue::of(weight));
    EntityBuilder moved(std::move(builder));
    const Entity entity = moved.spawn();
    CHECK(store.get<Tracked>(entity)->value() == 2);
    CHECK(store.has<Health>(entity));
    CHECK(*static_cast<const Weight*>(store.get(entity, pair(likes, target))) == weight);
    EntityBuilder dropped = store.builder();
    dropped.with(Tracked(3)); // is destroyed with it
    const auto says = [](auto&& act, const char* words) {
        return thrown_text<std::invalid_argument>(act).find(words) != std::string::npos;
    };
    CHECK(says([&] { dropped.with(ComponentId()); }, "null"));
    CHECK(says([&] { dropped.relate(store.registry().id<Position>(), target); }, "without a relation"));
    CHECK(says([&] { dropped.relate(store.registry().add_relation("owns"), target, AnyValue::of(weight)); }, "is a tag"));
    CHECK(says([&] { dropped.with(store.registry().id<Health>(), AnyValue::of(weight)); }, "another type"));
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: an accessor finds what get, at and has find, whatever the store does meanwhile", "[ecs]") {
    const NothingLeaks leaks;
    ArchetypeStore store;
    store.registry().add<Name>({.sparse = true});
    store.registry().add<Weight>({.toggle = true, .tracked = true});
    const auto positions = store.accessor<Position>();
    const auto weights = store.accessor<const Weight>();
    const auto names = store.accessor<Name>();
    const auto values = store.accessor<Tracked>();
    const auto hidden = store.accessor<Hidden>();
    std::vector<Entity> entities; // living ones and dead ones
    std::uint32_t random = 7;
    const auto next = [&](std::uint32_t below) { return (random = random * 1664525u + 1013904223u) / 65536u % below; };
    std::size_t found = 0, missing = 0;
    for (int step = 0; step != 4000; ++step) {
        const Entity one = entities.empty() ? Entity() : entities[next(static_cast<std::uint32_t>(entities.size()))];
        const auto number = static_cast<float>(step);
        switch (next(12)) {
        case 0:
        case 1:
            entities.push_back(store.spawn(Position{number, 0, 0}, Tracked(step)));
            break;
        case 2:
            store.despawn(one);
            break;
        case 3:
            store.add(one, Position{number, 1, 0}, Hidden{});
            break;
        case 4:
            store.remove<Position>(one);
            break;
        case 5:
            store.set(one, Name{"a name that is longer than what fits into a string"}, Weight{step});
            break;
        case 6:
            store.remove<Name, Hidden>(one);
            break;
        case 7:
            store.add(one, Tracked(step));
            break;
        case 8:
            store.remove<Tracked, Weight>(one);
            break;
        case 9: // a table that was not there before
            if (store.is_alive(one)) store.add(one, store.registry().add_tag("tag " + std::to_string(step)));
            break;
        case 10:
            if (store.has<Weight>(one)) store.enable<Weight>(one, step % 2 == 0);
            break;
        case 11:
            if (step % 16 == 0) store.shrink_to_fit(); // erases tables
            break;
        }
        for (int i = 0; i != 4 && !entities.empty(); ++i) {
            const Entity each = entities[next(static_cast<std::uint32_t>(entities.size()))];
            REQUIRE(positions.get(each) == store.get<Position>(each));
            REQUIRE(weights.get(each) == std::as_const(store).get<Weight>(each));
            REQUIRE(names.get(each) == store.get<Name>(each));
            REQUIRE(values.get(each) == store.get<Tracked>(each));
            REQUIRE(positions.has(each) == store.has<Position>(each));
            REQUIRE(weights.has(each) == store.has<Weight>(each));
            REQUIRE(names.has(each) == store.has<Name>(each));
            REQUIRE(hidden.has(each) == store.has<Hidden>(each));
            found += positions.has(each);
            missing += !store.is_alive(each);
        }
    }
    CHECK(found > 1000);
    CHECK(missing > 1000);
    for (const Entity none : {Entity(), Entity::from_bits(~std::uint64_t{0}), Entity(1u << 30, 1)}) {
        CHECK(positions.get(none) == nullptr);
        CHECK(names.get(none) == nullptr);
        CHECK_FALSE(hidden.has(none));
    }
    CHECK(store.check_invariants());
}

TEST_CASE("ArchetypeStore: an accessor stays valid when the store is moved, cleared or restored", "[ecs]") {
    ArchetypeStore store;
    const Entity old = store.spawn(Position{1, 0, 0}, Health{5});
    const std::vector<std::byte> bytes = store.snapshot();
    const auto positions = store.accessor<Position>();
    const auto health = std::as_const(store).accessor<Health>();
    ArchetypeStore moved(std::move(store));
    CHECK(positions.at(old).x == 1);
    positions.at(old).x = 2;
    CHECK(moved.get<Position>(old)->x == 2);
    moved.clear();
    CHECK(positions.get(old) == nullptr);
    CHECK(thrown_text<std::out_of_range>([&] { positions.at(old); }) ==
          thrown_text<std::out_of_range>([&] { moved.at<Position>(old); }));
    const Entity fresh = moved.spawn(Health{7});
    CHECK(health.at(fresh).left == 7);
    CHECK_FALSE(positions.has(fresh));
    CHECK(thrown_text<std::out_of_range>([&] { positions.at(fresh); }).find("Position") != std::string::npos);
    moved.restore(bytes);
    CHECK(positions.at(old).x == 1);
    CHECK(health.get(old)->left == 5);
    CHECK_FALSE(positions.has(fresh));
}

TEST_CASE("ArchetypeStore: an accessor marks changes as get does, and one of const marks none", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<Position>({.tracked = true});
    const Entity entity = store.spawn(Position{});
    const auto writes = store.accessor<Position>();
    const auto reads = store.accessor<const Position>();
    const auto of_const = std::as_const(store).accessor<Position>();
    static_assert(std::is_same_v<decltype(of_const.get(entity)), const Position*>);
    static_assert(std::is_same_v<decltype(reads.at(entity)), const Position&>);
    tick_t seen = store.advance();
    const auto changed = [&] { return store.query<const Position>().changed<Position>(seen).size(); };
    CHECK(reads.get(entity) == of_const.get(entity));
    CHECK((reads.has(entity) && writes.has(entity)));
    CHECK(changed() == 0);
    writes.get(entity)->x = 1;
    CHECK(changed() == 1);
    seen = store.advance();
    writes.at(entity).x = 2;
    CHECK(changed() == 1);
}

TEST_CASE("ArchetypeStore: an accessor of a const store finds a component that the store knows later", "[ecs]") {
    ArchetypeStore store;
    const auto stunned = std::as_const(store).accessor<Stunned>();
    const auto health = std::as_const(store).accessor<Health>();
    CHECK(store.registry().empty());
    const Entity entity = store.spawn(Health{3}, Stunned{}), other = store.spawn();
    CHECK(stunned.has(entity));
    CHECK(health.at(entity).left == 3);
    CHECK_FALSE((stunned.has(other) || health.has(other)));
    const auto made = store.accessor<Velocity>(); // registers it
    CHECK(store.registry().find<Velocity>());
    CHECK(made.get(entity) == nullptr);
}

TEST_CASE("ArchetypeStore: components of every number are found, near ones and late ones", "[ecs]") {
    ArchetypeStore store;
    ComponentRegistry& registry = store.registry();
    const auto add = [&](int to) {
        while (registry.size() != static_cast<std::size_t>(to))
            registry.add("component " + std::to_string(registry.size()), TypeDescriptor::of<int>());
    };
    const ComponentId first = registry.id<Position>();
    add(62);
    const ComponentId last_near = registry.id<Velocity>(); // 63
    const ComponentId late = registry.id<Health>();        // 64
    add(254);
    const ComponentId low = registry.id<Weight>();  // 255
    const ComponentId far = registry.id<Tracked>(); // 256
    const ComponentId tag = registry.id<Hidden>();
    REQUIRE((last_near.number() == 63 && late.number() == 64 && low.number() == 255 && far.number() == 256));
    const Entity all = store.spawn(Position{1, 0, 0}, Velocity{2, 0, 0}, Health{3}, Weight{4}, Tracked(5), Hidden{});
    const Entity none = store.spawn();
    CHECK(store.at<Position>(all).x == 1);
    CHECK(store.at<Velocity>(all).x == 2);
    CHECK(store.at<Health>(all).left == 3);
    CHECK(store.get<Weight>(all) == store.accessor<Weight>().get(all));
    CHECK(store.at<Tracked>(all).value() == 5);
    CHECK((store.has<Hidden>(all) && store.accessor<Tracked>().has(all)));
    for (const ComponentId id : {first, last_near, late, low, far, tag}) {
        CHECK(store.has(all, id));
        CHECK_FALSE(store.has(none, id));
        CHECK((store.get(all, id) == nullptr) == (id == tag));
    }
    CHECK_FALSE((store.has<Velocity>(none) || store.has<Health>(none) || store.has<Weight>(none) || store.has<Tracked>(none)));
    store.remove<Position, Health, Tracked>(all);
    CHECK((store.get<Health>(all) == nullptr && store.get<Tracked>(all) == nullptr && store.at<Velocity>(all).x == 2));
    CHECK(store.check_invariants());
}
