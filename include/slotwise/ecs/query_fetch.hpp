// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// QueryFetch: the values of a query's components in a run of rows.
#ifndef SLOTWISE_ECS_QUERY_FETCH_HPP
#define SLOTWISE_ECS_QUERY_FETCH_HPP

#include "../core/call_form.hpp"
#include "query_walk.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Where the values of a component are, from row 0 of a table on. Of an optional one it may be null.
template <class V>
struct QueryPointer {
    using value = typename QueryArgument<V>::value;
    value* data;
    SLOTWISE_ALWAYS_INLINE typename QueryArgument<V>::reference operator[](std::size_t row) const noexcept {
        if constexpr (QueryArgument<V>::optional)
            return data == nullptr ? nullptr : data + row;
        else
            return data[row];
    }
};

template <class V>
struct QueryType {
    using type = V;
};

/// The components with values of a query, with what its walks need to know of each.
/// @tparam Values QueryValues<Vs...>
template <class Values>
struct QueryFetch;
template <class... Vs>
struct QueryFetch<QueryValues<Vs...>> {
    static constexpr std::size_t count = sizeof...(Vs);
    static constexpr std::index_sequence_for<Vs...> indices{};
    using Columns = std::array<QueryColumn, count>;
    using Pointers = std::tuple<QueryPointer<Vs>...>;
    template <std::size_t Nth>
    using Value = std::tuple_element_t<Nth, std::tuple<Vs...>>;
    using Row = std::tuple<typename QueryArgument<Vs>::reference...>;
    using EntityRow = std::tuple<Entity, typename QueryArgument<Vs>::reference...>;

    /// The values of one component, from row 0 on. @param first the row that says whether an optional one is enabled
    template <class V, class TableType>
    SLOTWISE_ALWAYS_INLINE static QueryPointer<V> pointer(TableType& table, const std::int32_t* columns, const QueryColumn& of,
                                                          std::size_t first) {
        using component = typename QueryArgument<V>::component;
        if constexpr (QueryArgument<V>::optional)
            return {optional_data<component>(table, of, first)};
        else
            return {table.template data<component>(static_cast<std::size_t>(columns[of.place]))};
    }
    /// Those of all components. @pre none is sparse
    template <class TableType>
    SLOTWISE_ALWAYS_INLINE static Pointers pointers(TableType& table, const std::int32_t* columns, const Columns& of,
                                                    std::size_t first) {
        return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            return Pointers{pointer<Vs>(table, columns, of[Nth], first)...};
        }(indices);
    }
    /// The address of one value, of which a sparse one is looked up; null if an optional one is not there.
    template <class V, class Core, class TableType>
    static auto* value(Core& core, TableType& table, const std::int32_t* columns, const QueryColumn& of, std::size_t row) {
        using value = typename QueryArgument<V>::value;
        if (of.outside) return static_cast<value*>(core.outside.get(table.entities()[row], of.id));
        const auto at = pointer<V>(table, columns, of, row);
        return at.data == nullptr ? nullptr : static_cast<value*>(at.data) + row;
    }
    /// What f gets of a row, by value().
    template <class V, class Core, class TableType>
    static typename QueryArgument<V>::reference look_up(Core& core, TableType& table, const std::int32_t* columns,
                                                        const QueryColumn& of, std::size_t row) {
        auto* const found = value<V>(core, table, columns, of, row);
        if constexpr (QueryArgument<V>::optional)
            return found;
        else
            return *found;
    }

    /// Calls f(values...), or f(entity, values...) if its first parameter is an Entity. One that takes anything gets the
    /// values.
    template <class F, class... Args>
    SLOTWISE_ALWAYS_INLINE static void call(F& f, const Entity* entities, std::size_t row, Args&&... args) {
        constexpr CallForm form = call_form<F, Entity, Args...>;
        if constexpr (form == CallForm::named)
            f(entities[row], static_cast<Args&&>(args)...);
        else if constexpr (form != CallForm::none)
            f(static_cast<Args&&>(args)...);
        // Last, because clang reads no further.
        static_assert(form != CallForm::none,
                      "Query::for_each(f): f takes a T& for each component of the query in their order (const T& of a "
                      "const one, X* of an optional one, nothing of a tag), and before them an Entity if it wants to");
    }
    /// Calls f for rows [first, last) of a table. No component is sparse. The pointers are parameters, not members, so that the
    /// compiler keeps them in registers and sees an array each.
    template <class F, class TableType>
    SLOTWISE_ALWAYS_INLINE static void each_row(F& f, TableType& table, const std::int32_t* columns, const Columns& of,
                                                std::size_t first, std::size_t last) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            loop(f, table.entities().data(), first, last, pointer<Vs>(table, columns, of[Nth], first)...);
        }(indices);
    }
    /// The same for the runs of rows that for_each_run(sink) calls sink(first, last) with. No optional component is there in
    /// one run and missing in another. A run of one row is no loop: what prepares a vectorised one takes three times as long.
    template <class F, class TableType, class ForEachRun>
    static void each_run(F& f, TableType& table, const std::int32_t* columns, const Columns& of, ForEachRun&& for_each_run) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            [&f, entities = table.entities().data(), &for_each_run](auto... pointers) {
                for_each_run([&f, entities, pointers...](std::size_t first, std::size_t last) {
                    if (last - first == 1) return call(f, entities, first, pointers[first]...);
                    loop(f, entities, first, last, pointers...);
                });
            }(pointer<Vs>(table, columns, of[Nth], 0)...);
        }(indices);
    }
    /// The same as each_row with f(spans...), or f(entities, spans...), for all rows at once.
    template <class F, class TableType>
    static void each_span(F& f, TableType& table, const std::int32_t* columns, const Columns& of, std::size_t first,
                          std::size_t last) {
        const std::span<const Entity> entities = table.entities().subspan(first, last - first);
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            call_spans(f, entities, span_of(pointer<Vs>(table, columns, of[Nth], first), first, last)...);
        }(indices);
    }
    /// Calls f(entity, values...) for one row. Components may be sparse.
    template <class F, class Core, class TableType>
    static void row_with_entity(F&& f, Core& core, TableType& table, const std::int32_t* columns, const Columns& of,
                                std::size_t row) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            f(table.entities()[row], look_up<Vs>(core, table, columns, of[Nth], row)...);
        }(indices);
    }
    /// As each_row for one row. Components may be sparse.
    template <class F, class Core, class TableType>
    static void row_outside(F& f, Core& core, TableType& table, const std::int32_t* columns, const Columns& of,
                            std::size_t row) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            call(f, table.entities().data(), row, look_up<Vs>(core, table, columns, of[Nth], row)...);
        }(indices);
    }
    template <class V>
    static auto span_of(const QueryPointer<V>& of, std::size_t first, std::size_t last) noexcept {
        using Span = std::span<typename QueryPointer<V>::value>;
        return of.data == nullptr ? Span() : Span(of.data + first, last - first);
    }
    /// Calls f(i, type) for each component, with a null pointer to QueryType<V>.
    template <class F>
    static void for_each_value(F&& f) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) { (f(Nth, static_cast<QueryType<Vs>*>(nullptr)), ...); }(indices);
    }
    /// The number of component X.
    template <class X>
    static constexpr std::size_t number_of() {
        const bool is[] = {std::is_same_v<typename QueryArgument<Vs>::component, X>..., true};
        std::size_t i = 0;
        while (!is[i]) ++i;
        return i;
    }

private:
    template <class F, class... Spans>
    static void call_spans(F& f, std::span<const Entity> entities, Spans... spans) {
        if constexpr (std::is_invocable_v<F&, Spans...>)
            f(spans...);
        else {
            static_assert(std::is_invocable_v<F&, std::span<const Entity>, Spans...>,
                          "Query::for_each_chunk(f): f takes a std::span<T> for each component of the query in their order "
                          "(std::span<const T> of a const one, nothing of a tag), and before them a std::span<const Entity> if "
                          "it wants to");
            f(entities, spans...);
        }
    }
    template <class F, class... Ps>
    SLOTWISE_ALWAYS_INLINE static void loop(F& f, const Entity* entities, std::size_t row, std::size_t last, Ps... pointers) {
        for (; row != last; ++row) call(f, entities, row, pointers[row]...);
    }
    template <class Component, class TableType>
    static auto* optional_data(TableType& table, const QueryColumn& of, std::size_t first) {
        using data = decltype(table.template data<Component>(0));
        const std::int32_t place = of.id ? table.place_of(of.id) : -1;
        if (place < 0) return static_cast<data>(nullptr);
        const auto at = static_cast<std::size_t>(place);
        if (of.toggle && !table.is_enabled(first, at)) return static_cast<data>(nullptr);
        return table.template data<Component>(static_cast<std::size_t>(table.column_at(at)));
    }
};

} // namespace detail
SLOTWISE_END

#endif
