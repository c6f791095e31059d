// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Entities and their components as one Arrow stream: what a query of an ArchetypeStore matches, table by table.
#ifndef SLOTWISE_ARROW_STORE_EXPORT_HPP
#define SLOTWISE_ARROW_STORE_EXPORT_HPP

#include "../ecs/archetype_store.hpp"
#include "../ecs/query.hpp"
#include "export.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The name of a component's columns: "Position" of game::Position; "string" of a text.
template <class T>
std::string component_name() {
    if constexpr (ArrowColumnOf<T>::by_itself)
        if (std::string_view(format_of<T>) == "u") return "string";
    const std::string_view name = type_name<T>();
    const std::size_t colon = name.rfind(':', name.find('<'));
    return std::string(colon == std::string_view::npos ? name : name.substr(colon + 1));
}
/// Calls f(column) for each column of a component: Position.x and Position.y, or one with the component's name.
/// @tparam T the component as the query names it
template <class T, class F>
void for_each_component_column(F&& f) {
    using C = typename QueryArgument<T>::component;
    if constexpr (!is_tag_type<C>)
        for_each_arrow_column<C>(component_name<C>().c_str(), [&](ArrowColumn column) {
            if constexpr (!ArrowColumnOf<C>::by_itself) column.name = component_name<C>() + "." + column.name;
            column.optional = QueryArgument<T>::optional;
            f(std::move(column));
        });
}
/// The source of the columns of a component in a chunk.
template <class T, class Chunk>
ArrowSource component_source(const Chunk& chunk) {
    using C = typename QueryArgument<T>::component;
    const std::span<const C> values = chunk.template get<const C>();
    ArrowSource source = arrow_span(values.data());
    source.absent = values.empty();
    return source;
}

/// The plan of what a query matches: a segment for each chunk.
template <class Store, class... Ts>
ArrowPlan query_plan(const Query<Store, Ts...>& query, const ExportOptions& options) {
    ArrowPlan plan;
    plan.options = options;
    plan.options.rows = Rows::live; // rows of tables are packed
    if (options.handles || options.time || options.names != nullptr)
        throw_invalid_argument("Arrow export: a query has its own names, `entity` is always there, and there are no times");
    plan.columns.push_back(arrow_column<Entity>("entity"));
    (for_each_component_column<Ts>([&](ArrowColumn column) { plan.columns.push_back(std::move(column)); }), ...);
    for (const auto& chunk : query.chunks()) {
        ArrowSegment segment;
        segment.rows = chunk.size();
        segment.sources.push_back(arrow_span(chunk.entities().data()));
        const auto add = [&]<class T>(std::type_identity<T>) {
            if constexpr (!is_tag_type<typename QueryArgument<T>::component>) {
                const ArrowSource source = component_source<T>(chunk);
                for_each_component_column<T>([&](const ArrowColumn&) { segment.sources.push_back(source); });
            }
        };
        (add(std::type_identity<Ts>()), ...);
        plan.segments.push_back(std::move(segment));
    }
    return plan;
}

} // namespace detail

/// The schema of what a query matches: a column `entity` (uint64) first, then the components in the order of the query. A
/// component that is a number, a time or a text has its type's name; one with ArrowFields is split into Position.x, Position.y
/// ... Tags have no column. An Optional component is null where the entity lacks it.
/// @throws std::invalid_argument when the options ask for handles, time or names; as Query::chunks when a component is sparse;
/// what allocation throws
template <class Store, class... Ts>
void export_schema(const Query<Store, Ts...>& query, ArrowSchema* out, ExportOptions options = {}) {
    detail::make_schema(detail::query_plan(query, options), out);
}

/// The entities that a query matches, table by table, copied now. Name the components const, so that no row counts as changed:
///     export_stream(store.query<const Position, Optional<const Velocity>>(), &stream);
/// @throws as export_schema; std::length_error if one text has 2 GiB or more @complexity linear in rows
template <class Store, class... Ts>
void export_stream(const Query<Store, Ts...>& query, ArrowArrayStream* out, ExportOptions options = {}) {
    detail::export_plan(detail::query_plan(query, options), nullptr, out);
}

/// The same without a copy where that is possible: entities, and components that are numbers or times, are the columns of the
/// tables themselves. Members of structs, bools and texts are gathered. What shares memory with the store keeps it alive.
/// @param query a query of that store; another one is undefined behaviour @pre nobody changes the store as long as stream or
/// batches live
/// @throws as export_schema, std::invalid_argument when the store is null @complexity linear in rows that are gathered
template <class Store, class... Ts>
void export_stream(std::shared_ptr<const ArchetypeStore> store, const Query<Store, Ts...>& query, ArrowArrayStream* out,
                   ExportOptions options = {}) {
    if (store == nullptr) detail::throw_invalid_argument("export_stream(store, query): the pointer is null");
    detail::ArrowPlan plan = detail::query_plan(query, options);
    detail::export_plan(std::move(plan), std::move(store), out);
}

SLOTWISE_END

#endif
