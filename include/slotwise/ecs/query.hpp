// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Query: the entities of a store that have certain components, and walks over them.
#ifndef SLOTWISE_ECS_QUERY_HPP
#define SLOTWISE_ECS_QUERY_HPP

#include "detail/query_walk.hpp"

#include <iterator>

SLOTWISE_BEGIN

/// Names a component of a query that an entity may lack: f gets an X*, which is null where the entity does not have X or has it
/// disabled.
/// @tparam X the component, const for reading only
template <class X>
struct Optional {};

/// A pair that an entity has: what Query::for_each_pair delivers.
/// @tparam Void void, or const void of a const store @invalidates itself when f returns
template <class Void>
class BasicPairMatch {
    template <class T>
    using like = std::conditional_t<std::is_const_v<Void>, const T, T>;

public:
    /// A pair with a value of this type at `value`; null if it has none.
    BasicPairMatch(ComponentId id, const TypeDescriptor* type, Void* value) noexcept : id_(id), type_(type), value_(value) {}

    /// The pair.
    ComponentId id() const noexcept { return id_; }
    /// Its target; null if that is a component.
    Entity target() const noexcept { return id_.target(); }
    /// The value of the pair; null if it has none.
    Void* value() const noexcept { return value_; }
    /// The value of the pair. @throws std::invalid_argument when it has none, or one of another type
    template <class T>
    like<T>& get() const {
        if (value_ == nullptr || type_->id != TypeDescriptor::id_of<std::remove_const_t<T>>()) [[unlikely]]
            detail::throw_invalid_argument("PairMatch::get<T>(): the pair has no value of this type");
        return *static_cast<like<T>*>(value_);
    }

private:
    ComponentId id_;
    const TypeDescriptor* type_;
    Void* value_;
};

/// The entities that have all of these components, and ways to walk over them. A store makes it:
///     auto moving = store.query<Position, const Velocity>().exclude<Frozen>();
///     moving.for_each([](Position& p, const Velocity& v) { p += v; });
///     for (auto [entity, p, v] : moving) ...
/// f gets the components in the order of Ts. If its first parameter is an Entity, f gets the entity before them. A first
/// parameter of another type gets a component, also if an Entity converts to that type, and so does a generic one (auto).
/// A component that is named const is only read. One that is not const and has the trait `tracked` is stamped with the store's
/// tick in all rows that are visited, and in all rows of the run if f throws. A tag restricts which entities match, and f has
/// no parameter for it.
///
/// A disabled component counts as missing. Tables come in the order in which they got their first row, rows in ascending order.
/// If a term names a sparse component, or a target of a switched relation, and fewer entities have it than there are rows to
/// check, then the walk follows the order of those entities instead.
///
/// A query may be kept, and also matches tables, pairs and components that come later. Each function that adds a term returns
/// another query and leaves this one as it is. A query of a store that is not const searches for its tables once: the store
/// keeps the list and appends new tables to it. A query of a const store uses such a list if there is one (see warm()).
/// Otherwise it searches the tables of its rarest component at each walk. So does each query for a pair with one entity,
/// because entities come and go, and their lists would remain.
///
/// While a walk runs, the structure of the store must not change: nothing is spawned or despawned, and no component is added or
/// removed (checked at level fast). Record such changes in a CommandBuffer. Values may change, components may be enabled and
/// disabled, and walks may nest. An exception of f ends the walk and reaches the caller.
///
/// Queries of a const store may walk in several threads at once. So may queries of a store that is not const if they are warm
/// and no two of them write, or write and read, the same component. Several threads may write the chunks of one query.
/// A term pair(any, target) covers those switched relations that are registered when the term is added.
/// @tparam Store ArchetypeStore, or const ArchetypeStore: then each component is const
/// @tparam Ts components, const ones, and Optional<X> of what may be missing
/// @invalidates itself when the store dies; it survives a move, clear() and restore() of the store
template <class Store, class... Ts>
class Query {
    static constexpr bool reads = std::is_const_v<Store>;
    static_assert(!reads || (detail::QueryArgument<Ts>::constant && ...),
                  "query<Ts...>() of a const store only reads: name each component const, as in query<const Position>()");
    using Core = std::conditional_t<reads, const detail::StoreCore, detail::StoreCore>;
    using Fetch = detail::QueryFetch<detail::query_values<Ts...>>;
    using Kind = detail::QueryTermKind;
    using Walk = detail::QueryWalk<Core>;
    using Run = typename Walk::Run;
    using TableType = typename Walk::table_type;
    using Void = std::conditional_t<reads, const void, void>;
    struct Plan;
    template <class Item>
    class Iterator;
    class RowRange;
    template <class, class...>
    friend class Query;

public:
    using size_type = std::size_t;
    /// What a range-for loop binds: an Entity, and then what f gets.
    using value_type = typename Fetch::EntityRow;
    /// Some rows of a table that match, see chunks().
    class Chunk;
    /// What chunks() returns.
    class Chunks;

    /// For the store's function query<Ts...>(). If the store is not const, components that are not registered yet are
    /// registered.
    /// @throws what the allocator throws, and std::invalid_argument as ComponentRegistry::id<T>()
    explicit Query(Core& core) : core_(&core) { add_arguments(); }

    //=== terms ===//

    /// The query that also requires this component, tag or pair, without delivering its value. A pair may be a wildcard.
    /// @throws std::invalid_argument when the store does not know it; what the allocator throws
    [[nodiscard]] Query with(ComponentId id) const { return and_term(id, Kind::with); }
    template <class X>
    [[nodiscard]] Query with() const {
        return and_term<X>(Kind::with);
    }
    /// The same for pair(relation, target). Either may be `any`: an entity that has several such pairs is visited once.
    template <class Relation, class Target>
    [[nodiscard]] Query with(Relation relation, Target target) const {
        return with(pair(relation, target));
    }
    /// The query that leaves out entities that have this component, tag or pair enabled.
    /// @throws as with()
    [[nodiscard]] Query exclude(ComponentId id) const { return and_term(id, Kind::without); }
    template <class X>
    [[nodiscard]] Query exclude() const {
        return and_term<X>(Kind::without);
    }
    template <class Relation, class Target>
    [[nodiscard]] Query exclude(Relation relation, Target target) const {
        return exclude(pair(relation, target));
    }
    /// The query that also delivers X where there is one: f gets an X*, which is null where the entity does not have X or has
    /// it disabled.
    /// @throws as with()
    template <class X>
    [[nodiscard]] Query<Store, Ts..., Optional<X>> optional() const {
        return {*this, Optional<X>()};
    }
    /// The query that only matches entities whose X was changed after tick `since`. An added component counts as changed.
    /// @throws as with(), and std::invalid_argument when the component is not tracked
    template <class X>
    [[nodiscard]] Query changed(tick_t since) const {
        return and_term<X>(Kind::changed, since);
    }
    [[nodiscard]] Query changed(ComponentId id, tick_t since) const { return and_term(id, Kind::changed, since); }
    /// The same for those to which X was added after tick `since`.
    template <class X>
    [[nodiscard]] Query added(tick_t since) const {
        return and_term<X>(Kind::added, since);
    }
    [[nodiscard]] Query added(ComponentId id, tick_t since) const { return and_term(id, Kind::added, since); }

    //=== walks ===//

    /// Calls f(values...), or f(entity, values...), for each entity. The values of a table are arrays. f is called in a loop
    /// over them, which the compiler can vectorise if f allows it.
    /// @throws what f and the allocator throw
    template <class F>
    SLOTWISE_ALWAYS_INLINE void for_each(F&& f) const {
        const detail::QueryTables* const tables = plan_.whole_tables ? this->tables() : nullptr;
        if (tables == nullptr) return for_each_filtered<F>(std::forward<F>(f));
        const detail::QueryWalkScope scope(*core_);
        for (const auto match : *tables) {
            TableType& table = *match.table;
            Fetch::each_row(f, table, match.columns, plan_.columns, 0, table.size());
        }
    }
    /// Calls f(span<T>...), or f(span<const Entity>, span<T>...), for each run of rows that match: a table or a part of one.
    /// The span of an optional component is empty where the component is missing.
    /// @throws std::invalid_argument when a component is sparse, because its values are not in one array; what f and the
    /// allocator throw
    template <class F>
    void for_each_chunk(F&& f) const {
        walk([&](const Plan& plan,
                 const Run& run) { Fetch::each_span(f, *run.table, run.columns, plan.columns, run.first, run.last); },
             [](const Plan& plan) { plan.expect_arrays(); });
    }
    /// The runs of for_each_chunk as a list, whose elements may go to different threads. A chunk has at most `max_rows` rows,
    /// rounded up to a multiple of 4,096, so that no two chunks write to one page of ticks. The walk lasts as long as the list
    /// lives.
    ///     const auto chunks = query.chunks(100'000);
    ///     for (const auto& chunk : chunks) jobs.push([&chunk] { work(chunk.entities(), chunk.template get<Position>()); });
    /// @throws as for_each_chunk
    [[nodiscard]] Chunks chunks(size_type max_rows = static_cast<size_type>(-1)) const {
        std::vector<Plan> late;
        const Plan& plan = this->plan(late);
        plan.expect_arrays();
        Chunks chunks(*core_, plan.columns, max_rows);
        const bool shares_ticks = plan.terms.by_row(); // runs of one table may share a page of ticks: it is stamped here
        for_each_run(plan, [&](const Run& run) {
            if (shares_ticks) plan.stamp(core_->tick, *run.table, run.first, run.last);
            chunks.add(*run.table, run.first, run.last, shares_ticks);
        });
        return chunks;
    }
    /// Calls f(entity, pair, values...) for each entity that matches and each of its pairs that is this one, or that this
    /// wildcard stands for. `pair` is a PairMatch; of a const store it is a ConstPairMatch. Pairs of switched relations come
    /// after the others.
    ///     store.query<const Name>().for_each_pair(pair(likes, any), [](Entity e, auto liked, const Name& name) {...});
    /// @throws std::invalid_argument when it is no pair, or its relation is unknown; what f and the allocator throw
    template <class F>
    void for_each_pair(ComponentId wildcard, F&& f) const {
        for (const ComponentId part : pair_parts(wildcard)) {
            const bool switched = !part.has_any_relation() && core_->registry.traits(part).switched;
            in_tables(part).walk([&](const Plan& plan, const Run& run) {
                const auto deliver = [&](size_type row, const BasicPairMatch<Void>& match) {
                    const auto with_pair = [&](Entity entity, auto&&... values) {
                        f(entity, match, static_cast<decltype(values)&&>(values)...);
                    };
                    Fetch::row_with_entity(with_pair, *core_, *run.table, run.columns, plan.columns, row);
                };
                if (switched)
                    for_each_switched_pair(part, run, deliver);
                else
                    for_each_table_pair(part, run, deliver);
            });
        }
    }

    /// The rows as a range: for (auto [entity, p, v] : query). The walk lasts as long as the iterator lives, that is, until the
    /// loop ends in whatever way. An iterator can be moved and not copied. @throws what the allocator throws
    auto begin() const { return iterator<typename Fetch::EntityRow>(); }
    std::default_sentinel_t end() const noexcept { return {}; }
    /// The same without the entities: for (auto [p, v] : query.rows()).
    auto rows() const { return RowRange(*this); }

    //=== what matches ===//

    /// How many entities match. @throws what the allocator throws @complexity linear in tables, or as a walk if a term leaves
    /// out some rows of them
    size_type size() const {
        std::vector<Plan> late;
        size_type rows = 0;
        for_each_run(plan(late), [&](const Run& run) { rows += run.last - run.first; });
        return rows;
    }
    /// Whether no entity matches.
    bool empty() const { return !first(); }
    /// The first entity of the walk; null if no entity matches. It stamps nothing.
    Entity first() const {
        std::vector<Plan> late;
        const Plan& plan = this->plan(late);
        if (!plan.possible) return Entity();
        Entity found{};
        for (Walk walk(*core_, plan.terms, tables(plan)); !found && walk.next([&](const Run& run) {
                 if (!found) found = run.table->entities()[run.first];
             });) {}
        return found;
    }
    /// Makes the list of tables unless the store has it already, so that queries of the const store use it. There is no list of
    /// a query for a pair with one entity.
    /// @throws what the allocator throws
    void warm() const
        requires(!reads)
    {
        static_cast<void>(tables());
    }

private:
    /// `other` with one more component.
    template <class... Others, class X>
    Query(const Query<Store, Others...>& other, Optional<X>) : core_(other.core_) {
        plan_.terms = other.plan_.terms;
        for (size_type i = 0; i != other.plan_.columns.size(); ++i) plan_.columns[i] = other.plan_.columns[i];
        plan_.template set<Optional<X>>(core_->registry, other.plan_.columns.size(), id_of<X>());
        plan_.bind();
    }

    /// The id of a type; null if it is not registered and the store is const.
    template <class X>
    ComponentId id_of() const {
        if constexpr (reads)
            return core_->registry.template find<std::remove_const_t<X>>();
        else
            return core_->registry.template id<std::remove_const_t<X>>();
    }
    template <class X>
    static ComponentId find(const ComponentRegistry& registry) noexcept {
        return registry.template find<std::remove_const_t<X>>();
    }
    /// This query with one more term.
    Query and_term(ComponentId id, Kind kind, tick_t since = 0) const {
        Query query(*this);
        query.plan_.terms.add(core_->registry, id, kind, since);
        query.rebind();
        return query;
    }
    template <class X>
    Query and_term(Kind kind, tick_t since = 0) const {
        const ComponentId id = id_of<X>();
        if (id) return and_term(id, kind, since);
        Query query(*this);
        query.plan_.terms.add_late(&find<X>, kind, since);
        query.rebind();
        return query;
    }
    /// Call it after terms were added.
    void rebind() noexcept {
        plan_.bind();
        tables_.set(nullptr);
    }
    /// Adds the components in Ts to the plan.
    void add_arguments() {
        Fetch::for_each_value([&]<class V>(size_type i, std::type_identity<V>) {
            plan_.template set<V>(core_->registry, i, id_of<typename detail::QueryArgument<V>::component>());
        });
        (add_tag<typename detail::QueryArgument<Ts>::component>(), ...);
        plan_.bind();
    }
    template <class T>
    void add_tag() {
        if constexpr (detail::is_tag_type<T>) {
            if (const ComponentId id = id_of<T>())
                plan_.terms.add(core_->registry, id, Kind::with);
            else
                plan_.terms.add_late(&find<T>, Kind::with);
        }
    }
    /// The query that also requires a pair in tables, whether or not its relation is switched.
    Query in_tables(ComponentId part) const {
        Query query(*this);
        query.plan_.terms.add(core_->registry, part, Kind::with, 0, true);
        query.rebind();
        return query;
    }

    /// The plan. If a type was not registered when the query was made, it is a newer one in `late`.
    const Plan& plan(std::vector<Plan>& late) const {
        if (!reads || plan_.is_complete()) return plan_;
        late.push_back(plan_);
        late.back().complete(core_->registry);
        return late.back();
    }
    /// The list of tables; null if there is none and the store is const.
    const detail::QueryTables* tables() const {
        const detail::QueryTables* tables = tables_.get();
        if (tables == nullptr) {
            tables = find_tables(plan_);
            tables_.set(tables);
        }
        return tables;
    }
    /// The list of tables of this plan, which may be a completed one.
    const detail::QueryTables* tables(const Plan& plan) const { return &plan == &plan_ ? tables() : find_tables(plan); }
    const detail::QueryTables* find_tables(const Plan& plan) const {
        if constexpr (reads)
            return core_->tables.find_query(plan.terms.tables());
        else
            return plan.terms.names_entity() ? nullptr : &core_->tables.query(plan.terms.tables());
    }

    /// Calls sink(run) for each run of rows that match. It stamps nothing.
    template <class Sink>
    void for_each_run(const Plan& plan, Sink&& sink) const {
        if (!plan.possible) return;
        for (Walk walk(*core_, plan.terms, tables(plan)); walk.next(sink);) {}
    }
    /// Calls f(plan, run) for each run, whose rows are stamped before. validate(plan) comes first of all.
    template <class F, class Validate>
    void walk(F&& f, Validate&& validate) const {
        std::vector<Plan> late;
        const Plan& plan = this->plan(late);
        validate(plan);
        const detail::QueryWalkScope scope(*core_);
        for_each_run(plan, [&](const Run& run) {
            plan.stamp(core_->tick, *run.table, run.first, run.last);
            f(plan, run);
        });
    }
    template <class F>
    void walk(F&& f) const {
        walk(f, [](const Plan&) {});
    }
    /// for_each of a query that checks rows, stamps them or looks values up. f is passed by value if it was an rvalue, here and
    /// in for_each: the compiler then sees that nothing else refers to it.
    template <class F>
    SLOTWISE_NEVER_INLINE void for_each_filtered(F f) const {
        std::vector<Plan> late;
        const Plan& plan = this->plan(late);
        if (!plan.possible) return;
        const detail::QueryWalkScope scope(*core_);
        Walk walk(*core_, plan.terms, tables(plan));
        const auto on_run = [&](const Run& run) {
            plan.stamp(core_->tick, *run.table, run.first, run.last);
            if (!plan.sparse) return Fetch::each_row(f, *run.table, run.columns, plan.columns, run.first, run.last);
            for (size_type row = run.first; row != run.last; ++row)
                Fetch::one_row(f, *core_, *run.table, run.columns, plan.columns, row);
        };
        const auto on_table = [&](TableType& table, const std::int32_t* columns) {
            if (plan.sparse || plan.stamps || !plan.terms.by_row() || walk.filter().splits())
                return walk.for_each_run(table, columns, on_run);
            Fetch::each_run(f, table, columns, plan.columns, [&](auto&& on_rows) { walk.filter().for_each_run(on_rows); });
        };
        while (walk.next(on_table, on_run)) {}
    }
    /// The first row that matches. @tparam Item see Iterator
    template <class Item>
    Iterator<Item> iterator() const {
        std::vector<Plan> late;
        const Plan& plan = this->plan(late);
        const detail::QueryTables* const tables = this->tables(plan);
        return Iterator<Item>(*core_, plan_, std::move(late), tables);
    }

    /// What for_each_pair walks, one after the other: the pairs in tables, and those of each switched relation that has any.
    /// Throws std::invalid_argument when it is no pair, or its relation is unknown, and what the allocator throws.
    detail::PlainVector<ComponentId> pair_parts(ComponentId asked) const {
        core_->registry.expect_term(asked, "Query::for_each_pair");
        if (!asked.is_pair())
            detail::throw_invalid_argument(
                "Query::for_each_pair: the component is no pair; name pair(relation, target) or a wildcard");
        detail::PlainVector<ComponentId> parts;
        parts.push_back(asked);
        if (!asked.has_any_relation()) return parts;
        constexpr std::uint64_t target_bits = 0xFFFF'FFFF'FFFFu;
        for (const std::uint32_t number : core_->sparse.numbers())
            if (core_->sparse.targets(number) != nullptr)
                parts.push_back(ComponentId::from_bits((pair(core_->registry.id(number), any).bits() & ~target_bits) |
                                                       (asked.bits() & target_bits)));
        return parts;
    }
    /// Calls f(row, match) for the pairs of a switched relation in the rows of a run.
    template <class F>
    void for_each_switched_pair(ComponentId part, const Run& run, F&& f) const {
        const auto entities = run.table->entities();
        const ComponentId relation = core_->registry.id(part.relation_number());
        for (size_type row = run.first; row != run.last; ++row)
            if (const Entity target = core_->sparse.target(entities[row], part.relation_number()))
                f(row, BasicPairMatch<Void>(pair(relation, target), nullptr, nullptr));
    }
    /// Calls f(row, match) for the pairs of the table that `part` stands for, in the rows of a run where they are enabled.
    template <class F>
    void for_each_table_pair(ComponentId part, const Run& run, F&& f) const {
        detail::find_place(*run.table, part, [&](size_type place) {
            const ComponentId id = run.table->ids()[place];
            const std::int32_t column = run.table->column_at(place);
            const TypeDescriptor* const type = column < 0 ? nullptr : core_->registry.type(id);
            const BitColumn* const bits = run.table->bits(place);
            for (size_type row = run.first; row != run.last; ++row) {
                if (bits != nullptr && !bits->test(row)) continue;
                Void* const value = column < 0 ? nullptr : run.table->value(static_cast<size_type>(column), row);
                if constexpr (!reads)
                    if (TickColumn* const ticks = column < 0 ? nullptr : run.table->ticks(place)) ticks->mark(row, core_->tick);
                f(row, BasicPairMatch<Void>(id, type, value));
            }
            return false;
        });
    }

    Core* core_;
    Plan plan_{};
    detail::QueryTablesMemo tables_{};
};

/// The terms of a query and the components that it delivers.
template <class Store, class... Ts>
struct Query<Store, Ts...>::Plan {
    using Terms = detail::QueryTerms;
    using Column = detail::QueryColumn;

    Terms terms{};
    typename Fetch::Columns columns{};
    bool whole_tables = false; // all rows of a table match, no row is stamped, and no value is looked up
    bool sparse = false;       // a component is sparse
    bool stamps = false;       // a component is tracked and not const
    bool possible = true;      // false: a component is not registered, so that no entity matches

    /// Sets component number `i`. @param id null if its type is not registered yet
    template <class V>
    void set(const ComponentRegistry& registry, size_type i, ComponentId id) {
        constexpr bool optional = detail::QueryArgument<V>::optional;
        columns[i].optional = optional;
        if (!id) return;
        terms.add(registry, id, optional ? Kind::optional : Kind::with);
        const ComponentTraits& traits = registry.traits(id);
        columns[i].id = id;
        columns[i].sparse = traits.sparse;
        columns[i].toggle = traits.toggle;
        columns[i].stamps = traits.tracked && !detail::QueryArgument<V>::constant;
    }
    /// Computes what depends on all terms and columns.
    void bind() noexcept {
        sparse = stamps = false;
        bool known = true;
        for (Column& column : columns) {
            if (!column.optional && !column.sparse) column.place = terms.place_of(column.id);
            known = known && column.id;
            sparse = sparse || column.sparse;
            stamps = stamps || column.stamps;
        }
        whole_tables = known && terms.is_complete() && terms.checked().empty() && !sparse && !stamps;
    }
    /// Whether all types are known.
    bool is_complete() const noexcept {
        for (const Column& column : columns)
            if (!column.id) return false;
        return terms.is_complete();
    }
    /// Looks for types that were not registered when the query was made. @throws what the allocator throws
    void complete(const ComponentRegistry& registry) {
        possible = terms.complete(registry);
        Fetch::for_each_value([&]<class V>(size_type i, std::type_identity<V>) {
            using Argument = detail::QueryArgument<V>;
            if (columns[i].id) return;
            set<V>(registry, i, registry.template find<typename Argument::component>());
            possible = possible && (columns[i].id || Argument::optional);
        });
        bind();
    }
    /// Stamps the components that may be written in rows [first, last).
    void stamp(tick_t tick, TableType& table, size_type first, size_type last) const {
        if constexpr (!reads)
            if (stamps) [[unlikely]]
                for (const Column& column : columns)
                    if (column.stamps) stamp(column, tick, table, first, last);
    }
    static void stamp(const Column& column, tick_t tick, Table& table, size_type first, size_type last) {
        const std::int32_t place = table.place_of(column.id);
        if (place < 0 || (column.toggle && column.optional && !table.is_enabled(first, static_cast<size_type>(place)))) return;
        table.ticks(static_cast<size_type>(place))->mark(first, last, tick);
    }
    /// @throws std::invalid_argument when a component is sparse
    void expect_arrays() const {
        if (sparse) [[unlikely]]
            detail::throw_invalid_argument(
                "Query: a component is sparse, so its values are not in one array; walk by for_each, or "
                "leave the component out and ask for it by with<X>()");
    }
};

/// Some adjacent rows of a table that match a query. Made by Query::chunks(). One thread may use a chunk while other threads
/// use other chunks.
/// @invalidates itself when the list of chunks dies
template <class Store, class... Ts>
class Query<Store, Ts...>::Chunk {
public:
    using size_type = std::size_t;

    /// The number of rows; never 0.
    size_type size() const noexcept { return last_ - first_; }
    /// The entity of each row.
    std::span<const Entity> entities() const noexcept { return table_->entities().subspan(first_, size()); }
    /// The values of a component of the query, row by row; empty if it is optional and missing. If T is tracked, get<T>()
    /// stamps the rows with the store's tick, and get<const T>() does not.
    template <class T>
    std::span<T> get() const {
        using component = std::remove_const_t<T>;
        constexpr std::size_t i = Fetch::template number_of<component>();
        static_assert(i < Fetch::count, "Query::Chunk::get<T>(): T is no component of the query, or a tag");
        using Value = typename Fetch::template Value<i>;
        static_assert(std::is_const_v<T> || !detail::QueryArgument<Value>::constant,
                      "Query::Chunk::get<T>(): the query names T const; ask for get<const T>(), or for query<T>()");
        const detail::QueryColumn& of = shared_->columns[i];
        const std::int32_t place = of.id ? table_->place_of(of.id) : -1;
        if (place < 0 || (of.optional && of.toggle && !table_->is_enabled(first_, static_cast<size_type>(place)))) return {};
        if constexpr (!std::is_const_v<T>)
            if (of.stamps) stamp(static_cast<size_type>(place));
        const std::int32_t column = table_->column_at(static_cast<size_type>(place));
        return {table_->template data<component>(static_cast<size_type>(column)) + first_, size()};
    }
    /// The values of a component or pair that the entities have in their table. If the store is not const, they may be written,
    /// and rows of a tracked component are stamped: by chunks() if it is a component of the query and some terms are checked
    /// row by row, otherwise by this call. Chunks of a query with such terms may share a page of ticks. So if the query does
    /// not name the component, only one thread may call this for the chunks of such a query.
    /// @throws std::invalid_argument when the table has no values of it
    auto column(ComponentId id) const {
        const std::int32_t place = table_->place_of(id);
        const std::int32_t column = place < 0 ? -1 : table_->column_at(static_cast<size_type>(place));
        if (column < 0) [[unlikely]]
            detail::throw_invalid_argument(
                "Query::Chunk::column(id): the entities have no values of this component in their table");
        if constexpr (!reads)
            if (TickColumn* const ticks = table_->ticks(static_cast<size_type>(place));
                ticks != nullptr && !is_stamped(id, static_cast<size_type>(place)))
                ticks->mark(first_, last_, shared_->tick);
        const auto all = table_->column(static_cast<size_type>(column));
        return decltype(table_->column(0))(all.type(), all[first_], size());
    }
    /// Whether the entities have this component, tag or pair in their table.
    bool contains(ComponentId id) const noexcept { return table_->contains(id); }

private:
    friend Chunks;
    /// What the chunks of a list have in common.
    struct Shared {
        typename Fetch::Columns columns;
        tick_t tick;
    };

    Chunk(const Shared& shared, TableType& table, size_type first, size_type last, bool stamped) noexcept
        : shared_(&shared), table_(&table), first_(first), last_(last), stamped_(stamped) {}
    // Whether chunks() has stamped the rows for this component.
    bool is_stamped(ComponentId id, size_type place) const noexcept {
        bool found = false;
        for (const detail::QueryColumn& each : shared_->columns)
            found = found ||
                    (each.stamps && each.id == id && !(each.optional && each.toggle && !table_->is_enabled(first_, place)));
        return stamped_ && found;
    }
    void stamp(size_type place) const {
        if (!stamped_) table_->ticks(place)->mark(first_, last_, shared_->tick);
    }

    const Shared* shared_;
    TableType* table_;
    size_type first_, last_;
    bool stamped_; // by chunks(), because the rows may share a page of ticks with another chunk
};

/// A list of chunks. The walk lasts as long as it lives: the structure of the store must not change.
/// @invalidates its iterators and chunks when it is moved from or dies
template <class Store, class... Ts>
class Query<Store, Ts...>::Chunks {
public:
    using value_type = Chunk;
    using size_type = std::size_t;
    /// Chunks of a table begin at multiples of this many rows, because that many share a page of ticks.
    static constexpr size_type page_rows = 4096;

    size_type size() const noexcept { return chunks_.size(); }
    bool empty() const noexcept { return chunks_.empty(); }
    auto begin() const noexcept { return chunks_.begin(); }
    auto end() const noexcept { return chunks_.end(); }
    /// @pre i < size() (checked at level fast)
    const Chunk& operator[](size_type i) const noexcept {
        SLOTWISE_EXPECT(i < size(), "Query::Chunks[i]: i is not below size()");
        return chunks_[i];
    }

private:
    friend class Query;
    using Shared = typename Chunk::Shared;

    Chunks(Core& core, const typename Fetch::Columns& columns, size_type max_rows)
        : scope_(core), shared_{Shared{columns, core.tick}} {
        const size_type most = static_cast<size_type>(-1) - page_rows;
        rows_ = max_rows > most ? static_cast<size_type>(-1)
                : max_rows == 0 ? page_rows
                                : (max_rows + page_rows - 1) / page_rows * page_rows;
    }
    /// Cuts rows [first, last) into chunks. @param stamped whether they are stamped already
    void add(TableType& table, size_type first, size_type last, bool stamped) {
        while (first != last) {
            const size_type cut = first / rows_ * rows_;
            const size_type end = last - cut <= rows_ ? last : cut + rows_;
            chunks_.push_back(Chunk(shared_.front(), table, first, end, stamped));
            first = end;
        }
    }

    detail::QueryWalkScope scope_;
    std::vector<Shared> shared_; // one element, whose address stays when the list is moved
    std::vector<Chunk> chunks_{};
    size_type rows_;
};

/// A row of a walk: an input iterator that can be moved and not copied, because the walk lasts as long as it lives.
/// @tparam Item what * returns: Fetch::EntityRow, or Fetch::Row
template <class Store, class... Ts>
template <class Item>
class Query<Store, Ts...>::Iterator {
public:
    using value_type = Item;
    using reference = Item;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;

    /// @param late the plan, if it is not the query's own
    Iterator(Core& core, const Plan& plan, std::vector<Plan>&& late, const detail::QueryTables* tables)
        : scope_(core), core_(&core), late_(std::move(late)), plan_(late_.empty() ? &plan : late_.data()),
          walk_(core, plan_->terms, tables) {
        if (plan_->possible) next_run();
    }
    Iterator(Iterator&&) noexcept = default;
    Iterator& operator=(Iterator&&) noexcept = default;
    Iterator(const Iterator&) = delete;
    Iterator& operator=(const Iterator&) = delete;
    ~Iterator() = default;

    Item operator*() const {
        return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            if constexpr (std::is_same_v<Item, typename Fetch::Row>)
                return Item(at<Nth>()...);
            else
                return Item(run_.table->entities()[row_], at<Nth>()...);
        }(Fetch::indices);
    }
    Iterator& operator++() {
        if (++row_ == run_.last)
            next_run();
        else
            plan_->stamp(core_->tick, *run_.table, row_, row_ + 1);
        return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& it, std::default_sentinel_t) noexcept { return it.run_.table == nullptr; }

private:
    /// What f would get of component number Nth.
    template <std::size_t Nth>
    decltype(auto) at() const {
        using Value = typename Fetch::template Value<Nth>;
        const detail::QueryColumn& of = plan_->columns[Nth];
        if (plan_->sparse) return Fetch::template look_up<Value>(*core_, *run_.table, run_.columns, of, row_);
        return std::get<Nth>(pointers_)[row_];
    }
    /// Goes to the first row of the next run, of this step of the walk or of a later one.
    void next_run() {
        while (next_ == runs_.size()) {
            runs_.clear();
            next_ = 0;
            if (!walk_.next([this](const Run& run) { runs_.push_back(run); })) {
                run_.table = nullptr;
                return;
            }
        }
        run_ = runs_[next_++];
        row_ = run_.first;
        if (!walk_.keeps_columns()) run_.columns = walk_.columns(*run_.table);
        if (!plan_->sparse) pointers_ = Fetch::pointers(*run_.table, run_.columns, plan_->columns, row_);
        plan_->stamp(core_->tick, *run_.table, row_, row_ + 1);
    }

    detail::QueryWalkScope scope_;
    Core* core_;
    std::vector<Plan> late_;
    const Plan* plan_;
    Walk walk_;
    std::vector<Run> runs_{}; // of the step of the walk
    size_type next_ = 0;
    Run run_{};
    size_type row_ = 0;
    typename Fetch::Pointers pointers_{};
};

/// The rows of a query without their entities.
template <class Store, class... Ts>
class Query<Store, Ts...>::RowRange {
public:
    explicit RowRange(const Query& query) : query_(query) {}
    auto begin() const { return query_.template iterator<typename Fetch::Row>(); }
    std::default_sentinel_t end() const noexcept { return {}; }

private:
    Query query_; // a copy: in `for (auto [p] : store.query<P>().rows())` the temporary query dies before the loop begins
};

SLOTWISE_END

#endif
