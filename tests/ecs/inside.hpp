// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What tests of ecs/ observe inside a store (tables, places, the clock), and ids that no registry gave out. A test that needs
// more than this of a store tests a part, and names it itself.
#ifndef SLOTWISE_TESTS_ECS_INSIDE_HPP
#define SLOTWISE_TESTS_ECS_INSIDE_HPP

#include "support/private_access.hpp"

#include <slotwise/ecs/archetype_store.hpp>

#include <initializer_list>
#include <type_traits>

namespace test {

/// How the bits of a ComponentId are made and taken apart.
using ComponentIdParts = slotwise::detail::ComponentIdParts;

/// Whether a component or a pair is one of those that `asked` stands for.
constexpr bool matches_id(slotwise::ComponentId asked, slotwise::ComponentId id) {
    return slotwise::detail::matches_id(asked, id);
}

TEST_PRIVATE(StoreEngine, slotwise::ArchetypeStore, core_)
/// The store's own part, const if the store is; its entities, tables, tick and walks are members.
template <class Store>
auto& inside(Store& store) {
    auto& core = *reach<StoreEngine>(store);
    using Core = std::remove_reference_t<decltype(core)>;
    return static_cast<std::conditional_t<std::is_const_v<Store>, const Core, Core>&>(core);
}
template <class Store>
auto& tables_of(Store& store) {
    return inside(store).tables;
}
/// How many tables a walk over entities with these components looks at when it has no list of those that match.
inline int tables_looked_at(const slotwise::ArchetypeStore& store, std::initializer_list<slotwise::ComponentId> ids) {
    const auto& core = inside(store);
    slotwise::detail::QueryTerms terms;
    for (const slotwise::ComponentId id : ids) terms.add(core.registry, id, slotwise::detail::QueryTermKind::with);
    slotwise::detail::QueryWalk walk;
    walk.begin(core, terms, nullptr);
    auto ignore = [](const auto&...) {};
    int tables = 0;
    while (walk.next(slotwise::detail::QuerySink(ignore))) ++tables;
    return tables;
}

} // namespace test

#endif
