// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"
#include "support/thrown.hpp"

#include <slotwise/ecs/component_registry.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace slotwise;
using Catch::Matchers::Contains;

namespace game {
struct Position {
    float x = 0, y = 0;
};
struct Stunned {};
struct Likes {};
struct Owes {
    int amount = 0;
};
template <class T>
struct Box {
    T value;
};
} // namespace game
using namespace game;

namespace {

template <int I>
struct Numbered {
    int value;
};
template <int... Is>
std::vector<ComponentId> register_all(ComponentRegistry& registry, std::integer_sequence<int, Is...>) {
    return {registry.id<Numbered<Is>>()...};
}
template <class F>
std::string error_of(F&& f) {
    return test::thrown_text<std::invalid_argument>(f);
}
std::vector<ComponentId> list(std::span<const ComponentId> ids) { return {ids.begin(), ids.end()}; }

} // namespace

TEST_CASE("ComponentRegistry: a type is registered on first use, and has one id", "[ecs]") {
    ComponentRegistry registry;
    CHECK(registry.find<Position>() == ComponentId());
    const ComponentId id = registry.id<Position>();
    CHECK((id && registry.contains(id) && registry.size() == 1));
    CHECK(registry.id<const Position&>() == id);
    CHECK(registry.find<volatile Position>() == id);
    CHECK(std::as_const(registry).find<Position>() == id);
    CHECK(registry.id<Stunned>() != id);
    CHECK(registry.type(id) == &TypeDescriptor::of<Position>());
    CHECK(registry.size() == 2);
    CHECK(registry.id(2) == registry.id<Stunned>());
    CHECK(registry.id(3) == ComponentId());
    CHECK(registry.id(0) == ComponentId());
}

TEST_CASE("ComponentRegistry: hundreds of types are found, also after the registry moved", "[ecs]") {
    ComponentRegistry first;
    const auto ids = register_all(first, std::make_integer_sequence<int, 300>());
    CHECK(first.size() == 300);
    ComponentRegistry second = std::move(first);
    CHECK(register_all(second, std::make_integer_sequence<int, 300>()) == ids);
    CHECK(second.size() == 300);
    CHECK(first.empty()); // NOLINT(bugprone-use-after-move): it is empty
    CHECK(first.id<Position>() != second.id<Position>());
    second = std::move(first);
    CHECK(second.size() == 1);
    CHECK_FALSE(second.contains(ids[0]));
}

TEST_CASE("ComponentRegistry: a switched relation without a target is refused, also after the registry moved", "[ecs]") {
    ComponentRegistry first;
    const auto state = first.add_relation("state", {.switched = true});
    ComponentRegistry second = std::move(first);
    CHECK(second.is_switched_alone(state));
    first = std::move(second);
    CHECK(first.is_switched_alone(state));
    CHECK_THROWS_AS(first.expect(state, "here"), std::invalid_argument);
}

TEST_CASE("ComponentRegistry: a component is called as its type is, and no two are called the same", "[ecs]") {
    ComponentRegistry registry;
    CHECK(registry.name(registry.id<Position>()) == "game::Position");
    CHECK(registry.name(registry.id<double>()) == "double");
    CHECK(registry.name(registry.id<Box<double>>()) == "game::Box<double>");
    CHECK(registry.find("game::Position") == registry.id<Position>());
    CHECK(registry.find("Position") == ComponentId());
    registry.add_tag("int");
    CHECK(registry.name(registry.id<int>()) == "int #2");
    CHECK(registry.name(registry.add<long>("number")) == "number");
    CHECK(registry.id<long>() == registry.find("number"));
    CHECK_THAT(error_of([&] { registry.add_tag("number"); }), Contains("number: a component has this name"));
    CHECK_THAT(error_of([&] { registry.add<char>("number"); }), Contains("has this name"));
    CHECK(registry.find<char>() == ComponentId());
}

TEST_CASE("ComponentRegistry: types, tags and relations are described at run time", "[ecs]") {
    ComponentRegistry registry;
    TypeDescriptor record;
    record.size = 24;
    record.align = 8;
    record.trivial = true;
    const ComponentId script = registry.add("script", record), tag = registry.add_tag("tag");
    CHECK(registry.type(script) == &record);
    CHECK(registry.type(tag) == nullptr);
    const ComponentId twin = registry.add("velocity", TypeDescriptor::of<Position>());
    CHECK(registry.find<Position>() == ComponentId()); // several components may have this type
    CHECK(registry.id<Position>() != twin);
    CHECK(registry.type(registry.id<Stunned>()) == nullptr); // a type without state is a tag
    CHECK_FALSE(registry.is_relation(tag));
    CHECK(registry.is_relation(registry.add_relation("likes")));
    CHECK(registry.is_relation(registry.add_relation("has", record)));
}

TEST_CASE("ComponentRegistry: a pair has the type of its relation, else that of its target, else none", "[ecs]") {
    ComponentRegistry registry;
    const ComponentId likes = registry.relation<Likes>(), owes = registry.relation<Owes>(), position = registry.id<Position>();
    const Entity bob(4, 1);
    CHECK(registry.type(pair(owes, bob)) == &TypeDescriptor::of<Owes>());
    CHECK(registry.type(pair(owes, position)) == &TypeDescriptor::of<Owes>());
    CHECK(registry.type(pair(likes, position)) == &TypeDescriptor::of<Position>());
    CHECK(registry.type(pair(likes, bob)) == nullptr);
    CHECK(registry.type(pair(likes, any)) == nullptr);
    CHECK(registry.type(pair(likes, registry.id<Stunned>())) == nullptr);
    CHECK_THAT(error_of([&] { registry.type(pair(any, bob)); }), Contains("name the relation"));
    CHECK_THAT(error_of([&] { registry.has_column(ComponentId()); }), Contains("null"));
    CHECK((registry.has_column(position) && registry.has_column(pair(owes, bob)) && !registry.has_column(likes)));
    CHECK_FALSE(registry.has_column(registry.add<float>({.sparse = true})));
    CHECK(registry.relation<Likes>() == likes);
    CHECK(registry.id<Likes>() == likes);
    CHECK_THAT(error_of([&] { registry.relation<Position>(); }), Contains("no relation") && Contains("game::Position"));
    CHECK_THAT(error_of([&] { registry.add<Likes>(); }), Contains("is a relation"));
}

TEST_CASE("ComponentRegistry: pairs have names, and so has what is unknown", "[ecs]") {
    ComponentRegistry registry;
    const ComponentId likes = registry.add_relation("likes"), apple = registry.add_tag("apple");
    CHECK(registry.name(pair(likes, Entity(42, 3))) == "likes(42v3)");
    CHECK(registry.name(pair(likes, any)) == "likes(*)");
    CHECK(registry.name(pair(any, Entity(42, 3))) == "*(42v3)");
    CHECK(registry.name(pair(any, any)) == "*(*)");
    CHECK(registry.name(pair(likes, apple)) == "likes(apple)");
    CHECK(registry.name(ComponentId()) == "#0");
    CHECK(registry.name(pair(likes, Entity())) == "likes(#0)");
}

TEST_CASE("ComponentRegistry: what is wrong with an id is said in words", "[ecs]") {
    ComponentRegistry registry, other;
    const ComponentId likes = registry.add_relation("likes"), apple = registry.add_tag("apple");
    other.add_tag("pear");
    const auto error = [&](ComponentId id) { return error_of([&] { registry.expect(id, "Store::add"); }); };
    CHECK(error(apple) == "");
    CHECK(error(pair(likes, Entity(1, 1))) == "");
    CHECK(error(pair(likes, apple)) == "");
    CHECK_THAT(error(ComponentId()), Contains("Store::add: the id is null"));
    CHECK_THAT(error(other.id(1)), Contains("another registry"));
    CHECK_THAT(error(ComponentId::from_bits(apple.bits() + 1)), Contains("unknown"));
    CHECK_THAT(error(pair(apple, Entity(1, 1))), Contains("without a relation") && Contains("apple(1v1)"));
    CHECK_THAT(error(pair(ComponentId(), Entity(1, 1))), Contains("without a relation"));
    CHECK_THAT(error(pair(likes, Entity())), Contains("without a target"));
    CHECK_THAT(error(pair(likes, ComponentId::from_bits(9))), Contains("without a target"));
    CHECK_THAT(error(pair(likes, Entity(1, 2))), Contains("never an entity"));
    CHECK_THAT(error(pair(likes, any)), Contains("wildcard"));
    CHECK(error_of([&] { registry.expect_term(pair(likes, any), "query"); }) == "");
    CHECK(error_of([&] { registry.expect_term(pair(any, apple), "query"); }) == "");
    CHECK_THAT(error_of([&] { registry.expect_term(pair(apple, any), "query"); }), Contains("query: the pair is without"));
    CHECK_THAT(error_of([&] { registry.traits(other.id(1)); }), Contains("ComponentRegistry::traits: "));
    CHECK_THAT(error_of([&] { registry.with_closure(other.id(1)); }), Contains("ComponentRegistry::with_closure: "));
}

TEST_CASE("ComponentRegistry: ids of hostile bits are refused or of this registry", "[ecs]") {
    ComponentRegistry registry;
    const ComponentId likes = registry.add_relation("likes");
    registry.id<Position>();
    std::mt19937_64 random(7);
    std::size_t known = 0;
    for (int i = 0; i != 20'000; ++i) {
        std::uint64_t bits = random();
        if (i % 2 != 0) bits = likes.bits() ^ (std::uint64_t{1} << (random() % 64)) ^ (random() % 4); // near what is there
        const ComponentId id = ComponentId::from_bits(bits);
        known += registry.contains(id);
        CHECK(registry.contains(id) == (error_of([&] { registry.expect(id, "test"); }) == ""));
        CHECK_FALSE(registry.name(id).empty());
        if (registry.contains(id)) CHECK_FALSE(registry.traits(id).switched);
    }
    CHECK(known != 0);
}

TEST_CASE("ComponentRegistry: a type has the traits it was registered with, and no others later", "[ecs]") {
    ComponentRegistry registry;
    const ComponentId id = registry.add<Position>({.tracked = true});
    CHECK(registry.id<Position>() == id);
    CHECK(registry.traits(id).tracked);
    CHECK(registry.add<Position>({.tracked = true}) == id);
    CHECK_THAT(error_of([&] { registry.add<Position>({.sparse = true}); }), Contains("other traits") && Contains("Position"));
    CHECK_THAT(error_of([&] { registry.add<Position>("place", {.tracked = true}); }), Contains("another name"));
    const ComponentId likes = registry.relation<Likes>({.switched = true});
    CHECK((registry.traits(likes).switched && registry.traits(likes).exclusive));
    CHECK(registry.relation<Likes>({.switched = true}) == likes);
    CHECK(&registry.traits(pair(likes, Entity(1, 1))) == &registry.traits(likes));
}

TEST_CASE("ComponentRegistry: traits that contradict each other are refused", "[ecs]") {
    ComponentRegistry registry;
    const auto of_tag = [&](ComponentTraits traits) { return error_of([&] { registry.add_tag("x", std::move(traits)); }); };
    const auto of_relation = [&](ComponentTraits traits) {
        return error_of([&] { registry.add_relation("x", std::move(traits)); });
    };
    CHECK_THAT(of_tag({.switched = true}), Contains("x: switched is a trait of relations"));
    CHECK_THAT(of_tag({.exclusive = true}), Contains("exclusive is a trait of relations"));
    CHECK_THAT(of_tag({.on_target_despawn = OnTargetDespawn::refuse}), Contains("on_target_despawn is a trait"));
    CHECK_THAT(of_tag({.sparse = true, .toggle = true}), Contains("leave out toggle"));
    CHECK_THAT(of_tag({.sparse = true, .tracked = true}), Contains("leave out tracked"));
    CHECK_THAT(of_relation({.sparse = true, .switched = true}), Contains("leave out switched or sparse"));
    CHECK_THAT(of_relation({.sparse = true, .toggle = true}), Contains("leave out toggle"));
    CHECK_THAT(of_relation({.sparse = true, .tracked = true}), Contains("leave out tracked"));
    CHECK_THAT(of_tag({.acyclic = true}), Contains("acyclic is a trait of relations"));
    CHECK_THAT(of_relation({.toggle = true, .switched = true}), Contains("leave out toggle"));
    CHECK_THAT(error_of([&] { registry.relation<Owes>({.switched = true}); }), Contains("no values"));
    CHECK_THAT(error_of([&] { registry.add_relation("x", TypeDescriptor::of<int>(), {.switched = true}); }),
               Contains("no values"));
    CHECK(registry.empty());
    CHECK(registry.find<Owes>() == ComponentId());
}

TEST_CASE("ComponentRegistry: companions come with their own companions, each once and in order", "[ecs]") {
    ComponentRegistry registry;
    const ComponentId likes = registry.add_relation("likes"), a = registry.add_tag("a");
    const ComponentId b = registry.add_tag("b", {.with = {a}}), c = registry.add_tag("c", {.with = {a, pair(likes, a)}});
    const ComponentId d = registry.add_tag("d", {.with = {c, b, b}});
    CHECK(list(registry.with_closure(a)).empty());
    const auto of_d = registry.with_closure(d);
    for (int i = 0; i != 100; ++i) registry.add_tag(std::to_string(i)); // the span stays
    CHECK(list(of_d) == std::vector<ComponentId>{a, b, c, pair(likes, a)});
    const ComponentId owns = registry.add_relation("owns", {.with = {b}});
    CHECK(list(registry.with_closure(pair(owns, Entity(1, 1)))) == std::vector<ComponentId>{a, b});
    ComponentRegistry other;
    other.add_relation("x");
    const auto with = [&](ComponentId id) { return error_of([&] { registry.add_tag("e", {.with = {id}}); }); };
    CHECK_THAT(with(other.id(1)), Contains("e: `with` names what this registry does not know"));
    CHECK_THAT(with(pair(likes, any)), Contains("does not know"));
    CHECK_THAT(with(likes), Contains("without a target"));
    const ComponentId one = registry.add_relation("one", {.exclusive = true});
    CHECK_THAT(error_of([&] { registry.add_tag("e", {.with = {pair(one, a), pair(one, b)}}); }), Contains("two targets"));
    const ComponentId in = registry.add_relation("in", {.switched = true});
    CHECK_THAT(with(pair(in, a)), Contains("switched"));
    const ComponentId apart = registry.add_relation("apart", {.sparse = true});
    CHECK_THAT(with(pair(apart, a)), Contains("does not know")); // its targets are entities
    CHECK_FALSE(registry.contains(pair(apart, a)));
    CHECK((registry.contains(pair(apart, Entity(1, 1))) && registry.needs_target(apart) && !registry.needs_target(likes)));
    CHECK(registry.find("e") == ComponentId());
}

TEST_CASE("ComponentRegistry: a pair with an entity, which may die, is no companion", "[ecs]") {
    ComponentRegistry registry;
    const ComponentId likes = registry.add_relation("likes");
    const std::size_t before = registry.size();
    CHECK_THAT(error_of([&] { registry.add_tag("e", {.with = {pair(likes, Entity(1, 1))}}); }),
               Contains("pair with an entity"));
    CHECK(registry.size() == before);
}

TEST_CASE("ComponentRegistry: relations have numbers of 15 bits, components have more", "[ecs]") {
    ComponentRegistry registry;
    for (std::uint32_t i = 1; i != ComponentId::max_relation; ++i) registry.add_tag(std::to_string(i));
    const ComponentId last = registry.add_relation("last");
    CHECK(pair(last, Entity(1, 1)).relation_number() == ComponentId::max_relation);
    CHECK(registry.contains(pair(last, Entity(1, 1))));
    CHECK_THAT(error_of([&] { registry.add_relation("one more"); }), Contains("one more: there are too many relations"));
    const ComponentId tag = registry.add_tag("a tag more");
    CHECK((registry.contains(tag) && registry.contains(pair(last, tag))));
    CHECK_FALSE(registry.contains(pair(tag, Entity(1, 1))));
    CHECK(registry.find("777") == registry.id(777));
}
