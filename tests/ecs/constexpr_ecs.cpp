// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What of the ECS can be asked in constant expressions: ids, pairs, places, sets of ids, names.
#include <slotwise/core/type_descriptor.hpp>
#include <slotwise/ecs/archetype_graph.hpp>
#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/component_id.hpp>
#include <slotwise/ecs/component_index.hpp>
#include <slotwise/ecs/detail/command_batch.hpp>
#include <slotwise/ecs/entity_location.hpp>
#include <slotwise/ecs/query.hpp>

#include "support/constant.hpp"

#include <functional>

using namespace slotwise;

namespace {

// Variables are not const: clang would fold conditions of them when it compiles what is to run.
constexpr int ids_and_pairs() {
    using Parts = detail::ComponentIdParts;
    ComponentId null, likes = Parts::make(7, 3), apple = Parts::make(7, 300), beyond = Parts::make(7, 0x10000);
    HOLDS(!null && likes && Parts::registry(likes) == 7 && likes.number() == 3 && !likes.is_pair());
    HOLDS(ComponentId::from_bits(likes.bits()) == likes && likes < apple && likes.relation_number() == 0);
    Entity bob(5, 9);
    ComponentId likes_bob = pair(likes, bob), likes_apple = pair(likes, apple);
    HOLDS(likes_bob.is_pair() && likes_bob.relation_number() == 3 && likes_bob.target() == bob && likes_bob.number() == 0);
    HOLDS(likes_apple.target_number() == 300 && Parts::registry(likes_bob) == 0 && apple < likes_apple);
    HOLDS(pair(beyond, bob).relation_number() == 0 && Parts::make_pair(3, likes_bob.bits() << 16 >> 16) == likes_bob);
    Entity as_entity = Parts::target_of(likes_bob), as_number = Parts::target_of(likes_apple);
    HOLDS(as_entity == bob && Parts::entity_of(as_entity) == bob && !Parts::entity_of(as_number));
    ComponentId of_likes = pair(likes, any), of_bob = pair(any, bob), of_apple = pair(any, apple), all = pair(any, any);
    HOLDS(of_likes.has_any_target() && !of_likes.has_any_relation() && of_likes.is_wildcard());
    HOLDS(of_bob.has_any_relation() && !of_bob.has_any_target() && of_apple.target_number() == 300);
    HOLDS(!likes_bob.is_wildcard() && all.has_any_relation() && all.has_any_target());
    HOLDS(std::hash<ComponentId>()(likes_bob) != std::hash<ComponentId>()(likes_apple));

    using Traits = PairTraits<ComponentId>;
    HOLDS(Traits::is_pair(all) && !Traits::is_pair(likes) && Traits::any_pair() == all);
    HOLDS(Traits::any_target(likes_bob) == of_likes && Traits::any_relation(likes_bob) == of_bob);
    for (const ComponentId asked : {likes_bob, of_likes, of_bob, all}) HOLDS(detail::matches_id(asked, likes_bob));
    for (const ComponentId asked : {likes, likes_apple, of_apple, null}) HOLDS(!detail::matches_id(asked, likes_bob));
    HOLDS(detail::matches_id(4, 4) && !detail::matches_id(4, 5));
    return 0;
}

constexpr int places() {
    EntityLocation at, there(3, 40);
    HOLDS(!at.has_row() && there.has_row() && there.table() == 3 && there.row() == 40 && !there.has_flags());
    at.set(3, 39);
    at.set_sparse(true);
    HOLDS(at.has_sparse() && !at.is_target() && at.has_flags() && at.row() == 39);
    at.set_target(true);
    at.set_sparse(false);
    at.set_row(40);
    HOLDS(at.is_target() && !at.has_sparse() && at.row() == 40 && !(at == there));
    at.set_target(false);
    HOLDS(at == there);
    return 0;
}

constexpr int sets_of_ids() {
    using Sets = detail::IdSets;
    const int values[] = {2, 3, 5, 8}, twice[] = {2, 3, 3}, mixed[] = {5, 2};
    const std::span<const int> set(values);
    HOLDS(Sets::is_set(set) && !Sets::is_set(std::span<const int>(twice)) && !Sets::is_set(std::span<const int>(mixed)));
    HOLDS(Sets::lower_bound(set, 4) == 2 && Sets::lower_bound(set, 9) == 4 && Sets::lower_bound(set, 0) == 0);
    HOLDS(Sets::contains(set, 8) && !Sets::contains(set, 4) && Sets::names(std::span<const int>(mixed), 2));
    HOLDS(!Sets::names(std::span<const int>(mixed), 3));
    HOLDS(Sets::partition_point(100, [](std::size_t place) { return place < 77; }) == 77);
    return 0;
}

struct NotANumber {};

constexpr int rules_and_edges() {
    bool called = false;
    NoRules::with(1, [&](int) { called = true; });
    bool replaces = NoRules::replaces(1, 2);
    HOLDS(!called && !replaces && NoRules::number(7) == 7);
    HOLDS(NoRules::number(NotANumber()) == static_cast<std::size_t>(-1));
    const NoEdgeData edge(1, 2);
    static_cast<void>(edge);
    struct Record;
    using Edges = detail::ArchetypeEdges<Record, int, int, NoEdgeData>;
    std::size_t number = 4, large = 256;
    slot_t root = detail::ArchetypeTables::root();
    HOLDS(Edges::place_of(number, false) != Edges::place_of(number, true));
    HOLDS(Edges::place_of(large, false) == Edges::not_small && root == 0);
    return 0;
}

constexpr int records_and_names() {
    using detail::Command;
    std::size_t small = 1, large = 256;
    HOLDS(Command::header_bytes(small) == sizeof(Command) && Command::header_bytes(large) == large);
    std::size_t second = detail::QueryFetch<detail::query_values<int, float>>::number_of<float>();
    HOLDS(second == 1);
    HOLDS(detail::type_name<int>() == "int" && detail::type_name<Entity>().find("EntityTag") != std::string_view::npos);
    HOLDS(detail::text_with_name<char>() != detail::text_with_name<int>());
    return 0;
}

IN_CONSTANTS("ids of components and pairs in constants", ids_and_pairs())
IN_CONSTANTS("the place of an entity in constants", places())
IN_CONSTANTS("sets of ids in constants", sets_of_ids())
IN_CONSTANTS("rules and places of edges in constants", rules_and_edges())
IN_CONSTANTS("headers of records and names of types in constants", records_and_names())

} // namespace
