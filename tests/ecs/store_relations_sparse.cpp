// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Relations whose pairs are in no table, the order of sources, acyclic relations, and ancestors in all kinds of relations.
#include "ecs/inside.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/snapshots.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace slotwise;
using namespace test;
using Catch::Matchers::Contains;

namespace {

struct Number {
    int value = 0;
};
struct Owes {
    int amount = 0;
};
struct Marked {};
struct alignas(128) Wide {
    int value = 0;
};
template <class F>
std::string error_of(F&& f) {
    return test::thrown_text<std::invalid_argument>(f);
}
using List = std::vector<Entity>;
using Pairs = std::vector<std::pair<Entity, Entity>>;

template <class Range>
List list(const Range& range) {
    return {range.begin(), range.end()};
}
template <class Range>
List sized(const Range& range) {
    const List all = list(range);
    CHECK((range.size() == all.size() && range.empty() == all.empty()));
    return all;
}
template <class Query>
List walked(const Query& query) {
    List found;
    query.for_each([&](Entity entity, const Number&) { found.push_back(entity); });
    return found;
}
std::pair<slot_t, slot_t> place(const ArchetypeStore& store, Entity entity) {
    const EntityLocation at = *test::inside(store).location(entity);
    return {at.table(), at.row()};
}

/// What hooks of a relation heard.
struct Heard {
    Heard(ArchetypeStore& store, ComponentId relation) {
        store.on_add(pair(relation, any), [this](Entity entity, ComponentId id, void*) {
            added.push_back({entity, id.target()});
        });
        store.on_remove(pair(relation, any), [this, &store](Entity entity, ComponentId id, void*) {
            CHECK(store.has(entity, id));
            removed.push_back({entity, id.target()});
        });
        store.on_set(pair(relation, any), [this](Entity entity, ComponentId id, void*) {
            set.push_back({entity, id.target()});
        });
    }
    Pairs added{}, removed{}, set{};
};

/// Some entities in a table, and one relation of each kind.
struct World {
    ArchetypeStore store{};
    ComponentRegistry& registry = store.registry();
    ComponentId likes = registry.add_relation("likes", {.sparse = true});
    ComponentId owes = registry.relation<Owes>({.sparse = true});
    ComponentId child_of = registry.add_relation(
        "child of", {.sparse = true, .exclusive = true, .acyclic = true, .on_target_despawn = OnTargetDespawn::despawn});
    List e{};

    World() {
        registry.id<Marked>();
        for (int i = 0; i != 8; ++i) e.push_back(store.spawn(Number{i}));
    }
};

} // namespace

TEST_CASE("ArchetypeStore: pairs of a sparse relation are found from both sides, in the order of relate, and move no row",
          "[ecs]") {
    World w;
    const auto tables = test::tables_of(w.store).size();
    const auto before = place(w.store, w.e[0]);
    for (const int target : {5, 3, 7, 1}) REQUIRE(w.store.relate(w.e[0], w.likes, w.e[static_cast<std::size_t>(target)]));
    REQUIRE(w.store.relate(w.e[2], w.likes, w.e[3]));
    REQUIRE(w.store.relate(w.e[3], w.likes, w.e[3])); // itself
    REQUIRE(w.store.relate(w.e[0], w.likes, w.e[5])); // again: nothing happens
    CHECK(test::tables_of(w.store).size() == tables);
    CHECK(place(w.store, w.e[0]) == before);
    CHECK(sized(w.store.targets(w.e[0], w.likes)) == List{w.e[5], w.e[3], w.e[7], w.e[1]});
    CHECK(w.store.target(w.e[0], w.likes) == w.e[5]);
    CHECK(sized(w.store.sources(w.likes, w.e[3])) == List{w.e[0], w.e[2], w.e[3]});
    CHECK(sized(w.store.sources(w.likes, w.e[0])).empty());
    CHECK(sized(w.store.targets(w.e[4], w.likes)).empty());
    CHECK(w.store.target(w.e[4], w.likes) == Entity());
    CHECK((w.store.has(w.e[0], pair(w.likes, w.e[3])) && !w.store.has(w.e[0], pair(w.likes, w.e[2]))));
    CHECK((w.store.has(w.e[0], pair(w.likes, any)) && !w.store.has(w.e[4], pair(w.likes, any))));
    CHECK((w.store.has(w.e[2], pair(any, w.e[3])) && !w.store.has(w.e[2], pair(any, w.e[5]))));
    CHECK((w.store.has(w.e[2], pair(any, any)) && !w.store.has(w.e[4], pair(any, any))));
    CHECK((w.store.is_enabled(w.e[2], pair(w.likes, w.e[3])) && w.store.get(w.e[2], pair(w.likes, w.e[3])) == nullptr));
    CHECK(w.store.has(w.e[0].with_user_bits(9), pair(w.likes, w.e[3].with_user_bits(4)))); // user bits are no part of an id
    REQUIRE(w.store.relate(w.e[6].with_user_bits(2), w.likes, w.e[3].with_user_bits(3)));
    CHECK(sized(w.store.sources(w.likes, w.e[3].with_user_bits(1))) == List{w.e[0], w.e[2], w.e[3], w.e[6]});

    REQUIRE(w.store.unrelate(w.e[0], w.likes, w.e[3]));
    REQUIRE(w.store.unrelate(w.e[0], w.likes, w.e[2])); // not there
    CHECK(sized(w.store.targets(w.e[0], w.likes)) == List{w.e[5], w.e[7], w.e[1]});
    CHECK(sized(w.store.sources(w.likes, w.e[3])) == List{w.e[2], w.e[3], w.e[6]});
    REQUIRE(w.store.unrelate(w.e[0], w.likes));
    CHECK(w.store.targets(w.e[0], w.likes).empty());
    CHECK(sized(w.store.sources(w.likes, w.e[5])).empty());
    CHECK(w.store.check_invariants());

    const Entity dead = w.e[7];
    REQUIRE(w.store.despawn(dead));
    CHECK_THROWS_AS(w.store.relate(w.e[0], w.likes, dead), std::invalid_argument);
    CHECK_FALSE(w.store.relate(dead, w.likes, w.e[0]));
    CHECK_FALSE(w.store.unrelate(dead, w.likes, w.e[0]));
    CHECK_FALSE(w.store.unrelate(dead, w.likes));
    CHECK((!w.store.has(dead, pair(w.likes, any)) && w.store.targets(dead, w.likes).empty()));
    const Entity next = w.store.spawn(); // in the slot of the dead one
    CHECK((next.index() == dead.index() && w.store.targets(next, w.likes).empty() && w.store.sources(w.likes, next).empty()));
    CHECK(w.store.check_invariants());
}

TEST_CASE("ArchetypeStore: values of pairs of a sparse relation are read and written by id, and their addresses stay",
          "[ecs]") {
    World w;
    REQUIRE(w.store.relate(w.e[0], w.e[1], Owes{5}));
    const ComponentId id = pair(w.owes, w.e[1]);
    void* const address = w.store.get(w.e[0], id);
    REQUIRE(address != nullptr);
    CHECK(static_cast<Owes*>(address)->amount == 5);
    for (std::size_t i = 2; i != 8; ++i) REQUIRE(w.store.relate(w.e[0], w.owes, w.e[i], AnyValue::of(Owes{int(i)})));
    for (int i = 0; i != 1000; ++i) w.store.relate(w.store.spawn(), w.e[1], Owes{i});
    CHECK(w.store.get(w.e[0], id) == address);
    REQUIRE(w.store.relate(w.e[0], w.e[1], Owes{6})); // is assigned
    CHECK((w.store.get(w.e[0], id) == address && static_cast<Owes*>(address)->amount == 6));
    REQUIRE(w.store.set(w.e[0], id, AnyValue::of(Owes{7})));
    REQUIRE(w.store.add(w.e[0], id, AnyValue::of(Owes{8}))); // it has one
    CHECK(static_cast<const Owes*>(std::as_const(w.store).get(w.e[0], id))->amount == 7);
    REQUIRE(w.store.relate(w.e[2], w.owes, w.e[1])); // by default
    CHECK(static_cast<Owes*>(w.store.get(w.e[2], id))->amount == 0);
    CHECK((w.store.get(w.e[3], id) == nullptr && w.store.get(w.e[0], pair(w.owes, any)) == nullptr));
    CHECK_THROWS_AS(w.store.relate(w.e[0], w.likes, w.e[1], AnyValue::of(Owes{})), std::invalid_argument); // it has no values
    CHECK_THROWS_AS(w.store.relate(w.e[3], w.owes, w.e[1], AnyValue::of(1.5)), std::invalid_argument);
    CHECK_FALSE(w.store.has(w.e[3], pair(w.owes, any)));
    std::vector<std::pair<Entity, int>> found;
    w.store.query<Number>().for_each_pair(pair(w.owes, any), [&](Entity entity, auto match, Number&) {
        if (entity == w.e[0]) found.push_back({match.target(), match.template get<Owes>().amount});
        if constexpr (!std::is_const_v<std::remove_pointer_t<decltype(match.value())>>) ++match.template get<Owes>().amount;
    });
    CHECK(found == std::vector<std::pair<Entity, int>>{
                       {w.e[1], 7}, {w.e[2], 2}, {w.e[3], 3}, {w.e[4], 4}, {w.e[5], 5}, {w.e[6], 6}, {w.e[7], 7}});
    CHECK(static_cast<Owes*>(address)->amount == 8);
    w.store.clear();
    CHECK((w.store.check_invariants() && w.store.empty()));
}

TEST_CASE("ArchetypeStore: each value of a sparse pair is destroyed once, whatever ends it", "[ecs]") {
    const NothingLeaks leaks;
    for (int way = 0; way != 8; ++way) {
        ArchetypeStore store;
        const ComponentId owns =
            store.registry().add_relation("owns", TypeDescriptor::of<ThrowingCopy>(), {.sparse = true, .exclusive = way == 6});
        const ComponentId wide = store.registry().relation<Wide>({.sparse = true});
        List all;
        for (int i = 0; i != 100; ++i) all.push_back(store.spawn());
        for (std::size_t i = 1; i != all.size(); ++i) {
            store.relate(all[i], owns, all[i / 2], AnyValue::of(ThrowingCopy(int(i))));
            store.relate(all[i], all[0], Wide{int(i)});
            CHECK(reinterpret_cast<std::uintptr_t>(store.get(all[i], pair(wide, all[0]))) % 128 == 0);
        }
        if (way == 1) store.despawn(all[0]);
        if (way == 2)
            for (const Entity each : all) store.despawn(each);
        if (way == 3) store.clear();
        if (way == 4)
            for (const Entity each : all) store.unrelate(each, owns);
        if (way == 5) store.remove(all[7], std::array{pair(owns, all[3]), pair(wide, all[0])});
        if (way == 6)
            for (std::size_t i = 2; i != all.size(); ++i) store.relate(all[i], owns, all[1], AnyValue::of(ThrowingCopy(1)));
        if (way == 7) {
            ArchetypeStore other(std::move(store));
            CHECK(other.check_invariants());
            store = std::move(other);
        }
        CHECK(store.check_invariants());
        for (std::size_t i = 2; i != all.size(); ++i)
            if (const void* const value = store.get(all[i], pair(owns, all[i / 2])))
                CHECK((way == 6 || static_cast<const ThrowingCopy*>(value)->value() == int(i)));
    }
}

TEST_CASE("ArchetypeStore: sparse pairs come and go with builders, lists of ids, and are listed with all an entity has",
          "[ecs]") {
    World w;
    const Entity made = w.store.builder()
                            .with(Number{1})
                            .relate(w.likes, w.e[1])
                            .relate(w.likes, w.e[0])
                            .relate(w.owes, w.e[2], AnyValue::of(Owes{4}))
                            .relate(w.child_of, w.e[3])
                            .spawn();
    CHECK(sized(w.store.targets(made, w.likes)) == List{w.e[0], w.e[1]}); // in the order of ids: they come at once
    CHECK(w.store.target(made, w.child_of) == w.e[3]);
    CHECK(static_cast<Owes*>(w.store.get(made, pair(w.owes, w.e[2])))->amount == 4);
    REQUIRE(w.store.add(w.e[4], std::array{pair(w.likes, w.e[5]), pair(w.owes, w.e[5]), pair(w.child_of, w.e[6]),
                                           pair(w.child_of, w.e[7]), w.registry.id<Marked>()}));
    CHECK(w.store.target(w.e[4], w.child_of) == w.e[7]); // of several targets the last one stays
    CHECK((w.store.has<Marked>(w.e[4]) && w.store.has(w.e[4], pair(w.owes, w.e[5]))));
    std::vector<ComponentId> ids;
    int amount = -1;
    w.store.for_each_component(made, [&](ComponentId id, const void* value) {
        ids.push_back(id);
        if (id == pair(w.owes, w.e[2])) amount = static_cast<const Owes*>(value)->amount;
    });
    CHECK(amount == 4);
    CHECK(ids == std::vector{w.registry.id<Number>(), pair(w.likes, w.e[0]), pair(w.likes, w.e[1]), pair(w.owes, w.e[2]),
                             pair(w.child_of, w.e[3])});
    REQUIRE(w.store.remove(made, std::array{pair(w.likes, w.e[1]), pair(w.likes, w.e[7]), w.registry.id<Number>()}));
    CHECK(sized(w.store.targets(made, w.likes)) == List{w.e[0]});
    CHECK(w.store.check_invariants());

    const ComponentId tagged = w.registry.add_relation("tagged", {.sparse = true, .with = {w.registry.id<Marked>()}});
    REQUIRE(w.store.relate(w.e[0], tagged, w.e[1]));
    CHECK(w.store.has<Marked>(w.e[0])); // its companion
}

TEST_CASE("ArchetypeStore: hooks of a sparse pair and of any pair of its relation are called for each way it comes and goes",
          "[ecs]") {
    World w;
    Heard likes(w.store, w.likes), owes(w.store, w.owes), child_of(w.store, w.child_of);
    int exact = 0;
    w.store.on_add(pair(w.likes, w.e[1]), [&](Entity) { ++exact; });
    w.store.relate(w.e[0], w.likes, w.e[1]), w.store.relate(w.e[0], w.likes, w.e[2]), w.store.relate(w.e[3], w.likes, w.e[1]);
    CHECK((exact == 2 && likes.added == Pairs{{w.e[0], w.e[1]}, {w.e[0], w.e[2]}, {w.e[3], w.e[1]}}));
    w.store.unrelate(w.e[0], w.likes, w.e[1]);
    CHECK(likes.removed == Pairs{{w.e[0], w.e[1]}});
    w.store.despawn(w.e[1]); // as the target
    CHECK(likes.removed == Pairs{{w.e[0], w.e[1]}, {w.e[3], w.e[1]}});
    w.store.despawn(w.e[0]); // as the source
    CHECK(likes.removed == Pairs{{w.e[0], w.e[1]}, {w.e[3], w.e[1]}, {w.e[0], w.e[2]}});
    w.store.relate(w.e[2], w.e[3], Owes{1}), w.store.relate(w.e[2], w.e[3], Owes{2});
    CHECK((owes.added == Pairs{{w.e[2], w.e[3]}} && owes.set == Pairs{{w.e[2], w.e[3]}, {w.e[2], w.e[3]}}));
    w.store.relate(w.e[4], w.child_of, w.e[5]), w.store.relate(w.e[4], w.child_of, w.e[6]); // it replaces the other one
    CHECK((child_of.added == Pairs{{w.e[4], w.e[5]}, {w.e[4], w.e[6]}} && child_of.removed == Pairs{{w.e[4], w.e[5]}}));
    w.store.despawn(w.e[6]); // the child goes along
    CHECK((child_of.removed == Pairs{{w.e[4], w.e[5]}, {w.e[4], w.e[6]}} && !w.store.is_alive(w.e[4])));
    w.store.clear();
    CHECK(owes.removed == Pairs{{w.e[2], w.e[3]}});
    CHECK(w.store.check_invariants());
}

TEST_CASE("ArchetypeStore: what relates to a dead target by a sparse relation loses the pair, dies too, or refuses", "[ecs]") {
    for (const bool hooked : {false, true}) {
        World w;
        const ComponentId needs =
            w.registry.add_relation("needs", {.sparse = true, .on_target_despawn = OnTargetDespawn::refuse});
        Pairs removed;
        if (hooked)
            w.store.on_remove(pair(w.likes, any), [&](Entity entity, ComponentId id, void*) {
                removed.push_back({entity, id.target()});
            });
        for (const int i : {1, 2, 3}) w.store.relate(w.e[static_cast<std::size_t>(i)], w.likes, w.e[0]);
        w.store.relate(w.e[1], w.likes, w.e[2]);
        w.store.relate(w.e[3], w.child_of, w.e[0]), w.store.relate(w.e[4], w.child_of, w.e[3]);
        w.store.relate(w.e[4], needs, w.e[3]);
        REQUIRE(w.store.despawn(w.e[3]));
        CHECK((!w.store.is_alive(w.e[3]) && !w.store.is_alive(w.e[4]))); // the one that refuses went along
        const Entity x = w.store.spawn(), y = w.store.spawn();
        w.store.relate(x, needs, y);
        CHECK_THROWS_AS(w.store.despawn(y), std::invalid_argument);
        CHECK((w.store.is_alive(y) && w.store.has(x, pair(needs, y))));
        REQUIRE(w.store.despawn(w.e[0]));
        CHECK((!w.store.has(w.e[1], pair(w.likes, w.e[0])) && w.store.has(w.e[1], pair(w.likes, w.e[2]))));
        CHECK_FALSE(w.store.has(w.e[2], pair(w.likes, any)));
        if (hooked) CHECK(removed == Pairs{{w.e[3], w.e[0]}, {w.e[1], w.e[0]}, {w.e[2], w.e[0]}});
        CHECK(w.store.check_invariants());
    }
}

TEST_CASE("ArchetypeStore: a buffer relates by sparse relations as direct calls do", "[ecs]") {
    World w;
    w.store.relate(w.e[0], w.likes, w.e[7]), w.store.relate(w.e[1], w.likes, w.e[7]);
    w.store.relate(w.e[2], w.child_of, w.e[3]);
    CommandBuffer later(w.store);
    const Entity born = later.spawn(Number{9});
    for (const int i : {3, 1, 5}) later.relate(born, w.likes, w.e[static_cast<std::size_t>(i)]);
    later.relate(w.e[4], w.likes, born);
    later.relate(w.e[4], born, Owes{1}), later.relate(w.e[4], born, Owes{2});
    later.unrelate(w.e[0], w.likes);
    later.unrelate(w.e[1], w.likes, w.e[7]);
    later.relate(w.e[2], w.child_of, w.e[5]), later.relate(w.e[2], w.child_of, w.e[6]);
    later.relate(w.e[5], w.likes, w.e[6]), later.despawn(w.e[6]);
    later.relate(w.e[1], w.likes, w.e[6]); // dropped: it is despawned before
    CHECK(w.store.apply(later) == 1);
    CHECK(w.store.is_alive(born));
    List targets = list(w.store.targets(born, w.likes));
    std::sort(targets.begin(), targets.end()); // one move: in the order of ids
    CHECK(targets == List{w.e[1], w.e[3], w.e[5]});
    CHECK(static_cast<Owes*>(w.store.get(w.e[4], pair(w.owes, born)))->amount == 2);
    CHECK((!w.store.has(w.e[0], pair(w.likes, any)) && !w.store.has(w.e[1], pair(w.likes, any))));
    CHECK((!w.store.is_alive(w.e[2]) && !w.store.is_alive(w.e[6]))); // its last parent died
    CHECK(w.store.targets(w.e[5], w.likes).empty());
    CHECK(w.store.check_invariants());
    {
        CommandBuffer dropped(w.store);
        dropped.relate(dropped.spawn(), w.likes, w.e[1]);
        dropped.clear();
    }
    CHECK(w.store.sources(w.likes, w.e[1]).size() == 1);
}

TEST_CASE("ArchetypeStore: an entity that is taken out and put back has its sparse pairs with their values", "[ecs]") {
    World w;
    w.store.relate(w.e[0], w.likes, w.e[1]), w.store.relate(w.e[0], w.likes, w.e[2]), w.store.relate(w.e[3], w.likes, w.e[0]);
    w.store.relate(w.e[0], w.e[4], Owes{6}), w.store.relate(w.e[0], w.child_of, w.e[5]);
    auto away = w.store.extract_reserved(w.e[0]);
    REQUIRE(away.has_value());
    CHECK(away->has(pair(w.likes, w.e[2])));
    CHECK(static_cast<const Owes*>(away->get(pair(w.owes, w.e[4])))->amount == 6);
    CHECK(w.store.sources(w.likes, w.e[1]).empty());
    CHECK(w.store.targets(w.e[3], w.likes).empty()); // its target went
    w.store.despawn(w.e[2]);
    REQUIRE(w.store.fulfill(w.e[0], std::move(*away)));
    CHECK(sized(w.store.targets(w.e[0], w.likes)) == List{w.e[1]}); // the other target is gone for good
    CHECK(static_cast<Owes*>(w.store.get(w.e[0], pair(w.owes, w.e[4])))->amount == 6);
    CHECK(w.store.target(w.e[0], w.child_of) == w.e[5]);
    CHECK(w.store.check_invariants());
    auto child = w.store.extract_reserved(w.e[0]);
    static_cast<void>(w.store.erase_reserved(w.e[5]));
    CHECK_THROWS_AS(w.store.fulfill(w.e[0], std::move(*child)), std::invalid_argument); // its parent is away
    CHECK_THAT(error_of([&] { w.store.fulfill(w.e[5], std::move(*child)); }), Contains("child of") && Contains("itself"));
    REQUIRE(w.store.fulfill(w.e[5]));
    REQUIRE(w.store.fulfill(w.e[0], std::move(*child)));
    CHECK(w.store.check_invariants());
}

TEST_CASE("Query: terms of sparse relations agree with has() in all walks, and follow the fewer", "[ecs]") {
    World w;
    for (int i = 0; i != 500; ++i) w.e.push_back(i % 3 == 0 ? w.store.spawn(Number{i}, Marked()) : w.store.spawn(Number{i}));
    const ComponentId table = w.registry.add_relation("table"), state = w.registry.add_relation("state", {.switched = true});
    for (std::size_t i = 0; i != w.e.size(); ++i) {
        if (i % 5 == 0) w.store.relate(w.e[i], w.likes, w.e[1]);
        if (i % 7 == 0) w.store.relate(w.e[i], w.likes, w.e[2]);
        if (i % 11 == 0) w.store.relate(w.e[i], table, w.e[1]);
        if (i % 13 == 0) w.store.relate(w.e[i], state, w.e[2]);
        if (i % 50 == 0) w.store.relate(w.e[i], w.e[2], Owes{int(i)});
    }
    const auto agrees = [&](const auto& store, const auto& query, auto&& wanted) {
        List expected;
        for (const Entity each : store.entities())
            if (store.template has<Number>(each) && wanted(each)) expected.push_back(each);
        std::sort(expected.begin(), expected.end());
        List found[5];
        query.for_each([&](Entity entity, const Number&) { found[0].push_back(entity); });
        for (auto [entity, number] : query) found[1].push_back(entity);
        query.for_each_chunk([&](std::span<const Entity> entities, std::span<const Number>) {
            found[2].insert(found[2].end(), entities.begin(), entities.end());
        });
        for (const auto& chunk : query.chunks())
            found[3].insert(found[3].end(), chunk.entities().begin(), chunk.entities().end());
        std::thread other([&] { query.for_each([&](Entity entity, const Number&) { found[4].push_back(entity); }); });
        CHECK(query.size() == expected.size());
        other.join();
        CHECK(query.empty() == expected.empty());
        if (!expected.empty()) CHECK(query.first() == found[0].front());
        for (List& each : found) {
            std::sort(each.begin(), each.end());
            CHECK(each == expected);
        }
    };
    const auto all = [&](const auto& store) {
        const auto query = store.template query<const Number>();
        const auto has = [&](ComponentId id) { return [&store, id](Entity each) { return store.has(each, id); }; };
        for (const ComponentId id :
             {pair(w.likes, w.e[1]), pair(w.likes, w.e[2]), pair(w.likes, any), pair(w.likes, w.e[3]), pair(w.owes, any),
              pair(w.child_of, any), pair(any, w.e[1]), pair(any, w.e[2]), pair(any, any)}) {
            agrees(store, query.with(id), has(id));
            agrees(store, query.exclude(id), [&](Entity each) { return !store.has(each, id); });
            agrees(store, query.with(id).template with<Marked>(),
                   [&](Entity each) { return store.has(each, id) && store.template has<Marked>(each); });
            agrees(store, query.with(id).with(w.likes, any).exclude(w.likes, w.e[2]), [&](Entity each) {
                return store.has(each, id) && store.has(each, pair(w.likes, any)) && !store.has(each, pair(w.likes, w.e[2]));
            });
        }
        Pairs found, expected;
        for (const ComponentId asked : {pair(any, any), pair(any, w.e[1]), pair(w.likes, any), pair(w.likes, w.e[2])}) {
            found.clear(), expected.clear();
            query.for_each_pair(asked, [&](Entity entity, auto match, const Number&) {
                found.push_back({entity, match.target()});
                CHECK(store.has(entity, match.id()));
            });
            for (const Entity each : store.entities())
                store.for_each_component(each, [&](ComponentId id, const void*) {
                    if (id.is_pair() && (asked.has_any_target() || id.target() == asked.target()) &&
                        (asked.has_any_relation() || id.relation_number() == asked.relation_number()))
                        expected.push_back({each, id.target()});
                });
            std::sort(found.begin(), found.end()), std::sort(expected.begin(), expected.end());
            CHECK(found == expected);
        }
    };
    all(w.store);
    all(std::as_const(w.store));
    // The fewer: the sources of a target, in their order, and not the tables.
    w.store.relate(w.e[400], w.child_of, w.e[0]), w.store.relate(w.e[9], w.child_of, w.e[0]);
    w.store.relate(w.e[333], w.child_of, w.e[0]);
    CHECK(walked(w.store.query<const Number>().with(w.child_of, w.e[0])) == List{w.e[400], w.e[9], w.e[333]});
    CHECK(w.store.check_invariants());
}

TEST_CASE("ArchetypeStore::ancestors: from the parent upwards, each once, in each kind of relation", "[ecs]") {
    for (const ComponentTraits& traits :
         {ComponentTraits{}, ComponentTraits{.exclusive = true}, ComponentTraits{.switched = true},
          ComponentTraits{.sparse = true}, ComponentTraits{.sparse = true, .exclusive = true}, ComponentTraits{.acyclic = true},
          ComponentTraits{.switched = true, .acyclic = true}, ComponentTraits{.sparse = true, .acyclic = true}}) {
        ArchetypeStore store;
        const ComponentId up = store.registry().add_relation("up", traits);
        List e;
        for (int i = 0; i != 40; ++i) e.push_back(store.spawn());
        CHECK(store.ancestors(e[0], up).empty());
        for (std::size_t i = 0; i + 1 != e.size(); ++i) store.relate(e[i], up, e[i + 1]);
        CHECK(list(store.ancestors(e[0], up)) == List(e.begin() + 1, e.end()));
        CHECK(list(store.ancestors(e[37].with_user_bits(3), up)) == List{e[38], e[39]});
        CHECK(store.ancestors(Entity(), up).empty());
        CHECK(store.ancestors(Entity(999, 1), up).empty());
        if (!traits.acyclic)
            for (std::size_t loop = 0; loop != e.size(); ++loop) { // back to an entity, also to itself
                store.relate(e.back(), up, e[loop]);
                for (const std::size_t from : {std::size_t{0}, std::size_t{5}, std::size_t{20}, std::size_t{39}}) {
                    List expected;
                    std::vector<bool> met(e.size());
                    met[from] = true;
                    for (std::size_t i = from; !met[i = i + 1 == e.size() ? loop : i + 1];) {
                        met[i] = true;
                        expected.push_back(e[i]);
                    }
                    CHECK(list(store.ancestors(e[from], up)) == expected);
                }
                store.unrelate(e.back(), up);
            }
        const auto all = store.ancestors(e[0], up);
        CHECK(std::distance(all.begin(), all.end()) == 39);
        CHECK_THROWS_AS(store.ancestors(e[0], store.registry().id<Marked>()), std::invalid_argument);
    }
}

TEST_CASE("ArchetypeStore::relate_before: children have an order, which survives all that comes and goes", "[ecs]") {
    World w;
    const Entity parent = w.e[0];
    const auto children = [&](const ArchetypeStore& store) { return list(store.sources(w.child_of, parent)); };
    for (const int i : {1, 2, 3}) w.store.relate(w.e[static_cast<std::size_t>(i)], w.child_of, parent);
    REQUIRE(w.store.relate_before(w.e[4], w.child_of, parent, w.e[1])); // the first
    REQUIRE(w.store.relate_before(w.e[5], w.child_of, parent, w.e[3]));
    REQUIRE(w.store.relate_before(w.e[6], w.child_of, parent, Entity())); // the last
    CHECK(children(w.store) == List{w.e[4], w.e[1], w.e[2], w.e[5], w.e[3], w.e[6]});
    REQUIRE(w.store.relate_before(w.e[6], w.child_of, parent, w.e[4])); // changes its place
    REQUIRE(w.store.relate_before(w.e[1], w.child_of, parent, Entity()));
    REQUIRE(w.store.relate_before(w.e[2], w.child_of, parent, w.e[2])); // before itself: it stays
    REQUIRE(w.store.relate_before(w.e[2], w.child_of, parent, w.e[5])); // where it is
    CHECK(children(w.store) == List{w.e[6], w.e[4], w.e[2], w.e[5], w.e[3], w.e[1]});
    w.store.add(w.e[4], Marked()), w.store.remove<Number>(w.e[5]);
    w.store.despawn(w.e[2]);
    CHECK(children(w.store) == List{w.e[6], w.e[4], w.e[5], w.e[3], w.e[1]});
    List walk;
    w.store.for_each_descendant(parent, w.child_of, [&](Entity each, std::size_t) { walk.push_back(each); });
    CHECK(walk == children(w.store));
    REQUIRE(w.store.relate_before(w.e[7].with_user_bits(5), w.child_of, parent, w.e[3].with_user_bits(6)));
    CHECK(children(w.store) == List{w.e[6], w.e[4], w.e[5], w.e[7], w.e[3], w.e[1]});
    AnyCodec codec;
    const auto bytes = w.store.snapshot(codec);
    World other;
    other.store.restore(bytes, codec);
    CHECK(list(other.store.sources(other.child_of, parent)) == children(w.store));
    CHECK(other.store.snapshot(codec) == bytes);
    CHECK(other.store.check_invariants());

    CHECK_THAT(error_of([&] { w.store.relate_before(w.e[1], w.child_of, w.e[3], w.e[4]); }),
               Contains("sibling is not related"));
    CHECK_THROWS_AS(w.store.relate_before(w.e[1], w.child_of, parent, w.e[2]), std::invalid_argument); // a dead one
    CHECK_FALSE(w.store.relate_before(w.e[2], w.child_of, parent, w.e[1]));
    const ComponentId table = w.registry.add_relation("table");
    CHECK_THAT(error_of([&] { w.store.relate_before(w.e[1], table, parent, Entity()); }), Contains("trait sparse"));
    // Of another parent.
    REQUIRE(w.store.relate_before(w.e[1], w.child_of, w.e[3], Entity()));
    CHECK(children(w.store) == List{w.e[6], w.e[4], w.e[5], w.e[7], w.e[3]});
    CHECK_THROWS_AS(w.store.relate_before(parent, w.child_of, w.e[1], Entity()), std::invalid_argument); // a cycle
    CHECK(w.store.check_invariants());
    // Several targets, with values: each target has an order of its own.
    for (const int i : {1, 3, 4}) w.store.relate(w.e[static_cast<std::size_t>(i)], w.e[5], Owes{i});
    w.store.relate(w.e[4], w.e[6], Owes{1}), w.store.relate(w.e[1], w.e[6], Owes{2});
    REQUIRE(w.store.relate_before(w.e[7], w.owes, w.e[5], w.e[3]));
    CHECK(list(w.store.sources(w.owes, w.e[5])) == List{w.e[1], w.e[7], w.e[3], w.e[4]});
    CHECK(list(w.store.sources(w.owes, w.e[6])) == List{w.e[4], w.e[1]});
    CHECK(static_cast<Owes*>(w.store.get(w.e[3], pair(w.owes, w.e[5])))->amount == 3);
    bool heard = false;
    w.store.on_add(pair(w.owes, w.e[5]), [&](Entity) { // it is in its place then
        heard = list(w.store.sources(w.owes, w.e[5])) == List{w.e[6], w.e[1], w.e[7], w.e[3], w.e[4]};
    });
    REQUIRE(w.store.relate_before(w.e[6], w.owes, w.e[5], w.e[1]));
    CHECK(heard);
}

TEST_CASE("ArchetypeStore: an acyclic relation refuses a pair that would close a cycle, in words, and nothing changes",
          "[ecs]") {
    for (const ComponentTraits& traits :
         {ComponentTraits{.acyclic = true}, ComponentTraits{.exclusive = true, .acyclic = true},
          ComponentTraits{.switched = true, .acyclic = true}, ComponentTraits{.sparse = true, .acyclic = true},
          ComponentTraits{.sparse = true, .exclusive = true, .acyclic = true}}) {
        ArchetypeStore store;
        const ComponentId above = store.registry().add_relation("above", traits);
        const bool single = store.registry().traits(above).exclusive;
        List e;
        for (int i = 0; i != 5; ++i) e.push_back(store.spawn(Number{i}));
        for (std::size_t i = 0; i != 4; ++i) REQUIRE(store.relate(e[i], above, e[i + 1]));
        const auto before = store.snapshot();
        const auto text = error_of([&] { store.relate(e[4], above, e[0]); });
        CHECK_THAT(text,
                   Contains("above(" + to_string(e[0]) + ")") && Contains("(" + to_string(e[4]) + ")") && Contains("acyclic"));
        CHECK_THROWS_AS(store.relate(e[2], above, e[2]), std::invalid_argument);
        CHECK_THROWS_AS(store.relate(e[3], above, e[1]), std::invalid_argument); // also in place of its target
        CHECK_THROWS_AS(store.add(e[4], pair(above, e[2])), std::invalid_argument);
        CHECK_THROWS_AS(store.add(e[4], std::array{store.registry().id<Marked>(), pair(above, e[2])}), std::invalid_argument);
        CHECK(store.snapshot() == before);
        REQUIRE(store.relate(e[0], above, e[4])); // no cycle
        if (!single) CHECK_THROWS_AS(store.relate(e[4], above, e[1]), std::invalid_argument);
        REQUIRE(store.unrelate(e[1], above));
        if (single)
            REQUIRE(store.relate(e[4], above, e[1])); // what led there is gone
        else
            CHECK_THROWS_AS(store.relate(e[4], above, e[0]), std::invalid_argument);

        // A buffer refuses it where the change is carried out. What came before stays, what comes after waits.
        CommandBuffer later(store);
        const Entity a = later.spawn(), b = later.spawn(), c = later.spawn(Number{7});
        later.relate(a, above, b), later.relate(b, above, a), later.relate(c, above, a);
        CHECK_THROWS_AS(store.apply(later), std::invalid_argument);
        CHECK((store.is_alive(a) && !store.is_alive(b)));
        CHECK(store.apply(later) == 0);
        CHECK((store.has(c, pair(above, a)) && store.targets(a, above).empty())); // b ended
        CHECK(store.check_invariants());

        // A store that refuses nothing writes a cycle; one that refuses it does not read it.
        ArchetypeStore free;
        ComponentTraits loose = traits;
        loose.acyclic = false;
        const ComponentId same = free.registry().add_relation("above", loose);
        const Entity x = free.spawn(), y = free.spawn(), z = free.spawn();
        free.relate(x, same, y), free.relate(y, same, z);
        ArchetypeStore reader;
        reader.registry().add_relation("above", traits);
        CHECK(reader.try_restore(free.snapshot()) == nullptr);
        free.relate(z, same, x);
        const char* const error = reader.try_restore(free.snapshot());
        REQUIRE(error != nullptr);
        CHECK_THAT(error, Contains("cycle"));
        CHECK(reader.targets(z, reader.registry().find("above")).empty());
    }
}

TEST_CASE("ArchetypeStore::snapshot: bytes of sparse relations follow from the state, and hostile ones are refused", "[ecs]") {
    const auto fill = [](World& w, bool detour) {
        if (detour) { // another history of the same state
            for (std::size_t i = 0; i != 8; ++i)
                w.store.relate(w.e[i], w.likes, w.e[7 - i]), w.store.relate(w.e[i], w.e[0], Owes{1});
            for (std::size_t i = 0; i != 8; ++i) w.store.unrelate(w.e[7 - i], w.likes), w.store.unrelate(w.e[i], w.owes);
        }
        for (std::size_t i = 1; i != 8; ++i)
            w.store.relate(w.e[i], w.likes, w.e[0]), w.store.relate(w.e[i], w.likes, w.e[i / 2]);
        for (const int i : {6, 2, 4}) w.store.relate(w.e[static_cast<std::size_t>(i)], w.e[1], Owes{i});
        w.store.relate(w.e[3], w.child_of, w.e[1]), w.store.relate(w.e[2], w.child_of, w.e[1]);
    };
    World w, same;
    fill(w, false), fill(same, true);
    {
        const auto bytes = w.store.snapshot();
        CHECK(same.store.snapshot() == bytes);
        World other;
        other.store.restore(bytes);
        CHECK(other.store.check_invariants());
        CHECK(other.store.snapshot() == bytes);
        for (const Entity each : w.e)
            for (const auto& relation : {&World::likes, &World::owes, &World::child_of}) {
                CHECK(list(other.store.targets(each, other.*relation)) == list(w.store.targets(each, w.*relation)));
                CHECK(list(other.store.sources(other.*relation, each)) == list(w.store.sources(w.*relation, each)));
            }
        CHECK(static_cast<Owes*>(other.store.get(w.e[4], pair(other.owes, w.e[1])))->amount == 4);
        // Each bit gone bad is refused, or is another state.
        std::size_t refused = 0, accepted = 0;
        for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 3) {
            auto wrong = bytes;
            wrong[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
            wrong = test::reseal(wrong);
            World fresh;
            const auto before = fresh.store.snapshot();
            if (fresh.store.try_restore(wrong) != nullptr) {
                ++refused;
                REQUIRE(fresh.store.snapshot() == before);
            } else {
                ++accepted;
                REQUIRE((fresh.store.check_invariants() && fresh.store.snapshot() == wrong));
            }
        }
        CHECK((refused > 1000 && accepted > 100));
        for (std::size_t size = 0; size < bytes.size(); size += 5)
            REQUIRE(other.store.try_restore(std::span(bytes).first(size)) != nullptr);
        // A program where the relation is kept otherwise refuses the bytes.
        ArchetypeStore tables;
        tables.registry().add_relation("likes");
        CHECK(tables.try_restore(bytes) != nullptr);
    }
}

TEST_CASE("ArchetypeStore: a sparse relation says what it does not support", "[ecs]") {
    World w;
    const ComponentId apple = w.registry.add_tag("apple");
    CHECK_THAT(error_of([&] { w.store.add(w.e[0], pair(w.likes, apple)); }), Contains("targets of a sparse relation"));
    CHECK_THAT(error_of([&] { w.store.add(w.e[0], w.likes); }), Contains("no meaning without a target"));
    CHECK_THAT(error_of([&] { w.store.add(w.e[0], Owes{1}); }), Contains("no meaning without a target"));
    CHECK_THAT(error_of([&] { w.store.remove<Owes>(w.e[0]); }), Contains("no meaning without a target"));
    CHECK_THAT(error_of([&] { w.store.set(w.e[0], Owes{1}); }), Contains("no meaning without a target"));
    CHECK_THAT(error_of([&] { static_cast<void>(w.store.query<>().with<Owes>()); }), Contains("without a target"));
    CommandBuffer later(w.store);
    CHECK_THAT(error_of([&] { later.add(w.e[0], Owes{1}); }), Contains("without a target"));
    CHECK_FALSE(w.store.has(w.e[0], w.likes));
    CHECK((w.store.get<Owes>(w.e[0]) == nullptr && !w.store.has<Owes>(w.e[0])));
    CHECK(w.store.check_invariants());
}

#if SLOTWISE_CHECK_LEVEL >= 1
TEST_CASE("ArchetypeStore: sparse pairs do not change while a query walks, or by a hook", "[ecs]") {
    World w;
    for (const std::size_t i : {1u, 2u}) w.store.relate(w.e[i], w.child_of, w.e[0]);
    const auto all_die = [&](const char* words) {
        CHECK(test::dies_saying(words, [&] { w.store.relate(w.e[3], w.child_of, w.e[0]); }));
        CHECK(test::dies_saying(words, [&] { w.store.relate(w.e[2], w.child_of, w.e[3]); }));
        CHECK(test::dies_saying(words, [&] { w.store.relate(w.e[3], w.e[0], Owes{1}); }));
        CHECK(test::dies_saying(words, [&] { w.store.relate_before(w.e[2], w.child_of, w.e[0], w.e[1]); }));
        CHECK(test::dies_saying(words, [&] { w.store.unrelate(w.e[2], w.child_of, w.e[0]); }));
        CHECK(test::dies_saying(words, [&] { w.store.unrelate(w.e[2], w.child_of); }));
    };
    bool walked_once = false;
    w.store.query<const Number>().for_each([&](const Number&) {
        if (!std::exchange(walked_once, true)) all_die("a query is walking");
    });
    w.store.on_add<Marked>([&](Entity) { all_die("or a function given to patch or sort, changes the store"); });
    w.store.add<Marked>(w.e[4]);
    CHECK((walked_once && list(w.store.sources(w.child_of, w.e[0])) == List{w.e[1], w.e[2]}));
}
#endif

TEST_CASE("ArchetypeStore: memory of sparse pairs is that of pairs, and is given back", "[ecs]") {
    World w;
    w.store.shrink_to_fit();
    const std::size_t before = w.store.memory_usage();
    List others;
    for (int i = 0; i != 2000; ++i) others.push_back(w.store.spawn());
    for (const Entity each : others) w.store.relate(w.e[0], each, Owes{1});
    const std::size_t full = w.store.memory_usage();
    CHECK(full - before < 2000 * 200);
    for (std::size_t i = 0; i != 1990; ++i) w.store.unrelate(w.e[0], w.owes, others[i]); // those that stay have high numbers
    w.store.shrink_to_fit();
    CHECK(w.store.check_invariants());
    CHECK(list(w.store.targets(w.e[0], w.owes)) == List(others.begin() + 1990, others.end()));
    for (const Entity each : others) w.store.despawn(each);
    w.store.shrink_to_fit();
    CHECK((w.store.check_invariants() && w.store.memory_usage() < full / 2));
    REQUIRE(w.store.relate(w.e[0], w.e[1], Owes{1}));
    CHECK(w.store.check_invariants());
}
