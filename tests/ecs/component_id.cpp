// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "ecs/inside.hpp"
#include "support/catch.hpp"

#include <slotwise/ecs/component_id.hpp>

#include <algorithm>
#include <random>
#include <vector>

using namespace slotwise;

namespace {

using Parts = test::ComponentIdParts;
constexpr ComponentId component(std::uint32_t number) { return Parts::make(77, number); }

static_assert(sizeof(ComponentId) == 8 && std::is_trivially_copyable_v<ComponentId>);
static_assert(!ComponentId() && ComponentId().bits() == 0 && !ComponentId().is_pair() && ComponentId().number() == 0);
static_assert(pair(component(3), Entity(42, 3)).target() == Entity(42, 3)); // in constant expressions too

} // namespace

TEST_CASE("ComponentId: a component has its number, and is no pair", "[ecs]") {
    const ComponentId id = component(12);
    CHECK((id && !id.is_pair() && !id.is_wildcard()));
    CHECK((id.number() == 12 && id.relation_number() == 0 && id.target_number() == 0 && id.target().is_null()));
    CHECK(Parts::registry(id) == 77);
    CHECK(ComponentId::from_bits(id.bits()) == id);
}

TEST_CASE("ComponentId: a pair has its relation and the whole target, without user bits", "[ecs]") {
    const Entity most(Entity::max_index - 1, Entity::max_version), target(42, 3, 9);
    for (const std::uint32_t relation : {1u, 200u, ComponentId::max_relation}) {
        const ComponentId id = pair(component(relation), target);
        CHECK((id.is_pair() && !id.is_wildcard() && id.number() == 0));
        CHECK(id.relation_number() == relation);
        CHECK(id.target() == Entity(42, 3));
        CHECK(id.target_number() == 0);
        CHECK(pair(component(relation), most).target() == most);
    }
    CHECK(pair(component(1), Entity(42, 3)) != pair(component(1), Entity(42, 5))); // a recycled target is another
}

TEST_CASE("ComponentId: a component may be the target of a pair", "[ecs]") {
    const ComponentId id = pair(component(5), component(70'000));
    CHECK((id.is_pair() && !id.is_wildcard() && id.target().is_null()));
    CHECK((id.relation_number() == 5 && id.target_number() == 70'000));
}

TEST_CASE("ComponentId: wildcards are pairs of any relation, any target, or both", "[ecs]") {
    const ComponentId of_likes = pair(component(5), any), with_bob = pair(any, Entity(1, 1)),
                      with_apple = pair(any, component(9));
    CHECK((of_likes.is_wildcard() && of_likes.has_any_target() && !of_likes.has_any_relation()));
    CHECK((of_likes.relation_number() == 5 && of_likes.target().is_null() && of_likes.target_number() == 0));
    CHECK((with_bob.is_wildcard() && with_bob.has_any_relation() && !with_bob.has_any_target()));
    CHECK(with_bob.target() == Entity(1, 1));
    CHECK((with_apple.is_wildcard() && with_apple.target_number() == 9));
    CHECK((pair(any, any).has_any_relation() && pair(any, any).has_any_target()));
}

TEST_CASE("ComponentId: components sort before pairs, and the pairs of a relation are neighbours", "[ecs]") {
    std::vector<ComponentId> ids;
    for (std::uint32_t i = 1; i != 6; ++i) {
        ids.push_back(component(i));
        for (unsigned target = 0; target != 4; ++target) ids.push_back(pair(component(i), Entity(target, 1)));
        ids.push_back(pair(component(i), component(3)));
    }
    std::shuffle(ids.begin(), ids.end(), std::mt19937(3));
    std::sort(ids.begin(), ids.end());
    for (std::size_t i = 0; i != 5; ++i) CHECK(ids[i] == component(static_cast<std::uint32_t>(i + 1)));
    for (std::size_t i = 5; i != ids.size(); ++i) CHECK(ids[i].relation_number() == (i - 5) / 5 + 1);
}

TEST_CASE("ComponentId: what is no relation makes a pair of relation 0, which no registry has", "[ecs]") {
    CHECK(pair(ComponentId(), Entity(1, 1)).relation_number() == 0);
    CHECK(pair(component(ComponentId::max_relation + 1), Entity(1, 1)).relation_number() == 0);
    CHECK(pair(pair(component(1), any), Entity(1, 1)).relation_number() == 0);
    CHECK_FALSE(pair(component(ComponentId::max_relation + 1), any).has_any_relation());
    CHECK(pair(component(1), pair(component(1), any)).target_number() == 0);
    CHECK_FALSE(pair(component(1), Entity()).is_wildcard());
}

TEST_CASE("ComponentId: any bits can be asked everything", "[ecs]") {
    std::mt19937_64 random(1);
    for (int i = 0; i != 10'000; ++i) {
        const ComponentId id = ComponentId::from_bits(random() & random() << (i % 64));
        CHECK((id.number() == 0 || id.relation_number() == 0));
        CHECK((id.target().is_null() || id.target_number() == 0));
        CHECK(ComponentId::from_bits(id.bits()) == id);
    }
    CHECK(std::hash<ComponentId>()(component(1)) != std::hash<ComponentId>()(component(2)));
}
