// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// QueryPlan: all that a query knows of itself.
#ifndef SLOTWISE_ECS_QUERY_PLAN_HPP
#define SLOTWISE_ECS_QUERY_PLAN_HPP

#include "query_fetch.hpp"

#include <atomic>

SLOTWISE_BEGIN
namespace detail {

/// The terms of a query and the components that it delivers.
template <class Fetch>
struct QueryPlan {
    QueryTerms terms{};
    typename Fetch::Columns columns{};
    bool plain = false;   // whole tables, and no row is stamped
    bool outside = false; // a component is sparse
    bool stamps = false;  // a component is tracked, and may be written
    bool possible = true; // false: a component is not registered

    /// Takes a component. @param id null if its type is not registered yet
    template <class V>
    void set(const ComponentRegistry& registry, std::size_t i, ComponentId id) {
        constexpr bool optional = QueryArgument<V>::optional;
        columns[i].optional = optional;
        if (!id) return;
        terms.add(registry, id, optional ? QueryTermKind::optional : QueryTermKind::with);
        const ComponentTraits& traits = registry.traits(id);
        columns[i].id = id;
        columns[i].outside = traits.sparse;
        columns[i].toggle = traits.toggle;
        columns[i].stamps = traits.tracked && !QueryArgument<V>::constant;
    }
    /// Computes what follows from the terms.
    void bind() noexcept {
        outside = stamps = false;
        bool known = true;
        for (QueryColumn& column : columns) {
            if (!column.optional && !column.outside) column.place = terms.place_of(column.id);
            known = known && column.id;
            outside = outside || column.outside;
            stamps = stamps || column.stamps;
        }
        plain = known && terms.is_complete() && terms.looked_at().empty() && !outside && !stamps;
    }
    /// Whether all types were registered when the query was made.
    bool is_complete() const noexcept {
        for (const QueryColumn& column : columns)
            if (!column.id) return false;
        return terms.is_complete();
    }
    /// Looks for those that were not. @throws what the allocator throws
    void complete(const ComponentRegistry& registry) {
        possible = terms.complete(registry);
        Fetch::for_each_value([&]<class V>(std::size_t i, V*) {
            using Type = typename V::type;
            if (columns[i].id) return;
            set<Type>(registry, i, registry.template find<typename QueryArgument<Type>::component>());
            possible = possible && (columns[i].id || QueryArgument<Type>::optional);
        });
        bind();
    }
    /// Stamps the rows of what may be written.
    template <class TableType>
    void stamp(tick_t tick, TableType& table, std::size_t first, std::size_t last) const {
        if constexpr (!std::is_const_v<TableType>)
            if (stamps) [[unlikely]]
                for (const QueryColumn& column : columns)
                    if (column.stamps) stamp(column, tick, table, first, last);
    }
    static void stamp(const QueryColumn& column, tick_t tick, Table& table, std::size_t first, std::size_t last) {
        const std::int32_t place = table.place_of(column.id);
        if (place < 0 || (column.toggle && column.optional && !table.is_enabled(first, static_cast<std::size_t>(place))))
            return;
        table.ticks(static_cast<std::size_t>(place))->mark(first, last, tick);
    }
    /// @throws std::invalid_argument when a component is sparse
    void expect_arrays() const {
        if (outside) [[unlikely]]
            throw_invalid_argument("Query: a component is sparse, so its values are not in one array; walk by for_each, or "
                                   "leave the component out and ask for it by with<X>()");
    }
};

/// The list of tables of a query, once it was found. Several threads may ask at once.
class QueryTablesMemo {
public:
    QueryTablesMemo() = default;
    QueryTablesMemo(const QueryTablesMemo& other) noexcept : tables_(other.get()) {}
    QueryTablesMemo& operator=(const QueryTablesMemo& other) noexcept {
        set(other.get());
        return *this;
    }
    ~QueryTablesMemo() = default;
    const QueryTables* get() const noexcept { return tables_.load(std::memory_order_relaxed); }
    void set(const QueryTables* tables) const noexcept { tables_.store(tables, std::memory_order_relaxed); }

private:
    mutable std::atomic<const QueryTables*> tables_{nullptr};
};

} // namespace detail
SLOTWISE_END

#endif
