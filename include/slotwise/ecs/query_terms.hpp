// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a query asks for: the types of its components, and its terms in the form in which walks use them.
#ifndef SLOTWISE_ECS_QUERY_TERMS_HPP
#define SLOTWISE_ECS_QUERY_TERMS_HPP

#include "component_registry.hpp"

#include <array>
#include <tuple>

SLOTWISE_BEGIN

/// A component that a query delivers where it is: f gets X*, null where an entity does not have it or has it disabled.
/// @tparam X the component, const for reading only
template <class X>
struct Optional {};

namespace detail {

/// A component type in the list of a query.
template <class T>
struct QueryArgument {
    static constexpr bool sound = std::is_object_v<T> && !std::is_volatile_v<T>;
    using value = std::conditional_t<sound, T, std::remove_cvref_t<T>>;
    using component = std::remove_const_t<value>;
    using reference = value&; // what f gets
    static constexpr bool optional = false, constant = std::is_const_v<value> || is_tag_type<component>;
    // Last, because clang reads no further, and what is missing then is an error of its own.
    static_assert(!std::is_same_v<component, Entity>,
                  "query<Ts...>(): an Entity is no component; f(entity, values...) gets it");
    static_assert(sound, "query<Ts...>(): a component is named as T, or as const T if it is only read; without a reference");
};
template <class T>
struct QueryArgument<Optional<T>> : QueryArgument<T> {
    static_assert(!is_tag_type<std::remove_const_t<T>>, "optional<X>(): X is a tag and has no value; ask store.has<X>(entity)");
    using reference = T*;
    static constexpr bool optional = true;
};

/// The components of a query that have values, in their order: what f gets.
template <class...>
struct QueryValues {};
template <class Done, class... Ts>
struct ValuesOf {
    using type = Done;
};
template <class... Done, class T, class... Ts>
struct ValuesOf<QueryValues<Done...>, T, Ts...>
    : std::conditional_t<is_tag_type<typename QueryArgument<T>::component>, ValuesOf<QueryValues<Done...>, Ts...>,
                         ValuesOf<QueryValues<Done..., T>, Ts...>> {};
template <class... Ts>
using query_values = typename ValuesOf<QueryValues<>, Ts...>::type;

/// What a term asks of an entity.
enum class QueryTermKind : std::uint8_t { with, without, optional, changed, added };

/// Something that is looked at in each table or row. What decides over tables alone is in QueryTerms::tables().
struct QueryTerm {
    ComponentId id;
    QueryTermKind kind;
    bool outside = false; // sparse, or a pair of a switched relation: each row is looked up
    bool either = false;  // pairs of any relation, of which some are switched: in the table, or outside
    bool toggle = false;
    tick_t since = 0;
};

/// A component that f gets.
struct QueryColumn {
    ComponentId id{};
    std::uint32_t place = 0; // in QueryTerms::tables(); of an optional one it means nothing
    bool optional = false;
    bool outside = false;
    bool toggle = false;
    bool stamps = false; // tracked, and f may write
};

/// Finds the id of a type that is not registered yet; null as long as it is not.
using FindComponent = ComponentId (*)(const ComponentRegistry&) noexcept;

/// The terms of a query.
class QueryTerms {
public:
    /// A term. Ids are checked. @throws std::invalid_argument when the registry does not know the id, or the component is not
    /// tracked and the term asks when it changed; what the allocator throws
    /// @param in_tables a pair of any relation is looked for in tables only
    void add(const ComponentRegistry& registry, ComponentId id, QueryTermKind kind, tick_t since = 0, bool in_tables = false) {
        registry.expect_term(id, "ArchetypeStore::query");
        const bool by_tick = kind == QueryTermKind::changed || kind == QueryTermKind::added;
        QueryTerm term{.id = id, .kind = kind, .since = since};
        if (id.has_any_relation()) {
            term.either = !in_tables && has_switched(registry);
            term.toggle = true; // a relation among them may have it
        } else {
            const ComponentTraits& traits = registry.traits(id);
            term.toggle = traits.toggle;
            term.outside = traits.sparse || (traits.switched && id.is_pair() && !id.has_any_target());
            if (traits.switched && id.is_pair()) {
                id = registry.id(id.relation_number()); // which is in the tables
                if (!term.outside) term.id = id;
            }
        }
        if (by_tick && (id.is_wildcard() || !registry.traits(id).tracked))
            throw_invalid_argument("Query: changed and added ask when a component changed, and this one is not tracked; "
                                   "register it with the trait tracked");
        const bool must = kind != QueryTermKind::without && kind != QueryTermKind::optional;
        if (must && !term.either && !(term.outside && !id.is_pair() && registry.traits(id).sparse)) insert_sorted(tables_, id);
        if (by_tick && term.toggle) look_at({.id = id, .kind = QueryTermKind::with, .toggle = true});
        const bool by_table = kind == QueryTermKind::with || kind == QueryTermKind::optional;
        if (!by_table || term.outside || term.toggle || term.either) look_at(term);
    }
    /// A term whose type is not registered yet. A query of a const store cannot register it.
    void add_late(FindComponent find, QueryTermKind kind, tick_t since = 0) { late_.push_back({find, kind, since}); }
    /// Looks for types that were not registered when the query was made. False when a term asks for one that still is not: no
    /// entity has it.
    bool complete(const ComponentRegistry& registry) {
        bool possible = true;
        for (const Late& late : std::exchange(late_, {})) {
            if (const ComponentId id = late.find(registry))
                add(registry, id, late.kind, late.since);
            else {
                possible = possible && (late.kind == QueryTermKind::without || late.kind == QueryTermKind::optional);
                late_.push_back(late);
            }
        }
        return possible;
    }
    bool is_complete() const noexcept { return late_.empty(); }

    /// The ids that a table must have, in ascending order.
    std::span<const ComponentId> tables() const noexcept { return tables_.span(); }
    /// Whether one of them is a pair with an entity.
    bool names_entity() const noexcept {
        for (std::size_t i = tables_.size(); i-- != 0 && tables_[i].is_pair();) // pairs come last
            if (tables_[i].target()) return true;
        return false;
    }
    std::uint32_t place_of(ComponentId id) const noexcept {
        std::uint32_t place = 0;
        while (place != tables_.size() && tables_[place] < id) ++place;
        return place;
    }
    /// What is to be looked at in each table that has those.
    const PlainVector<QueryTerm>& looked_at() const noexcept { return looked_at_; }
    /// Whether a term may leave out some rows of a table, or optional components of some rows.
    bool by_row() const noexcept { return by_row_; }
    /// Whether a term asks for a sparse component or a target of a switched relation.
    bool by_entity() const noexcept { return by_entity_; }

private:
    struct Late {
        FindComponent find;
        QueryTermKind kind;
        tick_t since;
    };
    static bool has_switched(const ComponentRegistry& registry) {
        for (std::uint32_t number = 1; number <= registry.size(); ++number)
            if (registry.traits(registry.id(number)).switched) return true;
        return false;
    }
    void look_at(const QueryTerm& term) {
        if (term.kind == QueryTermKind::optional && term.outside) return; // it is looked up
        looked_at_.push_back(term);
        by_row_ = by_row_ || term.toggle || term.outside || term.either || term.kind != QueryTermKind::without;
        by_entity_ = by_entity_ || (term.outside && term.kind == QueryTermKind::with);
    }

    PlainVector<ComponentId> tables_{};
    PlainVector<QueryTerm> looked_at_{};
    PlainVector<Late> late_{};
    bool by_row_ = false;
    bool by_entity_ = false;
};

} // namespace detail
SLOTWISE_END

#endif
