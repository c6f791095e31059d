// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Components and helpers of the tests of queries.
#ifndef SLOTWISE_TESTS_ECS_QUERY_SUPPORT_HPP
#define SLOTWISE_TESTS_ECS_QUERY_SUPPORT_HPP

#include "ecs/inside.hpp"
#include "support/catch.hpp"

#include <slotwise/ecs/archetype_store.hpp>

#include <algorithm>
#include <vector>

namespace query_test {

using namespace slotwise;

struct P {
    float x = 0, y = 0;
};
struct V {
    float x = 0, y = 0;
};
struct Frozen {};
using Entities = std::vector<Entity>;

/// The entities of a walk, in its order.
template <class Query>
Entities found(const Query& query) {
    Entities entities;
    query.for_each([&](Entity entity, auto&&...) { entities.push_back(entity); });
    return entities;
}
inline Entities sorted(Entities entities) {
    std::sort(entities.begin(), entities.end());
    return entities;
}
/// Queries whose tables the store keeps.
inline std::size_t cached(const ArchetypeStore& store) { return test::tables_of(store).cache().size(); }

} // namespace query_test

#endif
