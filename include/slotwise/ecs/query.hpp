// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Query: the entities of a store that have certain components, and walks over them.
#ifndef SLOTWISE_ECS_QUERY_HPP
#define SLOTWISE_ECS_QUERY_HPP

#include "query_chunk.hpp"
#include "query_iterator.hpp"
#include "query_pairs.hpp"

SLOTWISE_BEGIN

/// The entities that have all of these components, and a way to walk over them. Made by a store:
///     auto moving = store.query<Position, const Velocity>().exclude<Frozen>();
///     moving.for_each([](Position& p, const Velocity& v) { p += v; });
///     for (auto [entity, p, v] : moving) ...
/// f gets the components in their order, and before them the Entity if its first parameter is one: a component that converts to
/// Entity is not passed for it. A first parameter of any type (auto) gets a component. A component that is named const is only
/// read. One that is not const and has the trait `tracked` is stamped with the store's tick in all rows that are visited; all
/// rows of the run if f throws. A tag is asked for, and not passed to f.
///
/// A disabled component counts as not there. Tables come in the order in which they got their first row, rows in ascending
/// order. When a term names a sparse component, or a target of a switched relation, that fewer entities have than there are
/// rows to look at, then their order is followed instead.
///
/// A query may be kept. It finds what comes later: tables, pairs, components. Each function that adds a term returns another
/// query and leaves this one as it is. A query of a store that is not const looks for its tables once: the store keeps the
/// list and appends new tables to it. One of a const store uses such a list if there is one (see warm()), and else looks
/// through the tables of its rarest component at each walk. So does one that asks for a pair with one entity: entities come and
/// go, and their lists would stay.
///
/// While a walk runs, the structure of the store must not change: nothing is spawned or despawned, and no component added or
/// removed (checked at level fast). Record it in a CommandBuffer. Values may change, components be enabled and disabled, and
/// walks nest. What f throws ends the walk and reaches the caller.
///
/// Queries of a const store may walk in several threads at once. So may those of a store that is not const if they are warm
/// and no two of them write, or write and read, the same component; the chunks of one query may be written by several threads.
/// A term pair(any, target) sees targets of those switched relations that are registered when the term is added.
/// @tparam Store ArchetypeStore, or const ArchetypeStore: then each component is const
/// @tparam Ts components, const ones, and Optional<X> of what may be missing
/// @invalidates itself when the store dies; neither a move of the store does, nor clear() and restore()
template <class Store, class... Ts>
class Query {
    static constexpr bool reads = std::is_const_v<Store>;
    static_assert(!reads || (detail::QueryArgument<Ts>::constant && ...),
                  "query<Ts...>() of a const store only reads: name each component const, as in query<const Position>()");
    using Core = std::conditional_t<reads, const detail::StoreCore, detail::StoreCore>;
    using Fetch = detail::QueryFetch<detail::query_values<Ts...>>;
    using Plan = detail::QueryPlan<Fetch>;
    using Kind = detail::QueryTermKind;
    using Walk = detail::QueryWalk<Core>;
    using Run = typename Walk::Run;
    template <class, class...>
    friend class Query;

public:
    using size_type = std::size_t;
    /// What range-for binds: an Entity, and then what f gets.
    using value_type = typename Fetch::EntityRow;
    /// Several rows of a table, see chunks().
    using Chunk = detail::QueryChunk<Core, Fetch>;
    /// What chunks() returns.
    using Chunks = detail::QueryChunks<Chunk>;

    /// For the store's function query<Ts...>(). Components that are not registered yet are, by a store that is not const.
    /// @throws what the allocator throws, and std::invalid_argument as ComponentRegistry::id<T>()
    explicit Query(Core& core) : core_(&core) { add_arguments(); }

    //=== terms ===//

    /// The query that asks for this component, tag, or pair too, and does not deliver it. A pair may be a wildcard.
    /// @throws std::invalid_argument when the store does not know it; what the allocator throws
    [[nodiscard]] Query with(ComponentId id) const { return and_term(id, Kind::with); }
    template <class X>
    [[nodiscard]] Query with() const {
        return and_term<X>(Kind::with);
    }
    /// The same for pair(relation, target). Either may be `any`: an entity that has several such pairs is met once.
    template <class Relation, class Target>
    [[nodiscard]] Query with(Relation relation, Target target) const {
        return with(pair(relation, target));
    }
    /// The query that leaves out entities that have this component, tag, or pair. Those in which it is disabled stay.
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
    /// The query that also delivers X where it is: f gets an X*, null where an entity does not have it or has it disabled.
    /// @throws as with()
    template <class X>
    [[nodiscard]] Query<Store, Ts..., Optional<X>> optional() const {
        return {*this, Optional<X>()};
    }
    /// The query that only matches entities whose X was changed after tick `since`; what was added was changed.
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

    /// Calls f(values...), or f(entity, values...), for each entity. The values of a table are arrays, and f is called in a
    /// loop over them that a compiler can vectorise if f can be.
    /// @throws what f and the allocator throw
    template <class F>
    SLOTWISE_ALWAYS_INLINE void for_each(F&& f) const {
        const detail::QueryTables* const tables = plan_.plain ? this->tables() : nullptr;
        if (tables == nullptr) return for_each_filtered<F>(std::forward<F>(f));
        const detail::QueryWalkScope scope(*core_);
        for (const auto match : *tables) {
            typename Walk::table_type& table = *match.table;
            Fetch::each_row(f, table, match.columns, plan_.columns, 0, table.size());
        }
    }
    /// Calls f(span<T>...), or f(span<const Entity>, span<T>...), for each run of rows: a table, or the part of one that the
    /// terms leave. The span of an optional component is empty where it is missing.
    /// @throws std::invalid_argument when a component is sparse, because its values are not in one array; what f and the
    /// allocator throw
    template <class F>
    void for_each_chunk(F&& f) const {
        walk([&](const Plan& plan,
                 const Run& run) { Fetch::each_span(f, *run.table, run.columns, plan.columns, run.first, run.last); },
             [](const Plan& plan) { plan.expect_arrays(); });
    }
    /// What for_each_chunk walks, as a list whose parts may go to different threads. A part has at most `max_rows` rows,
    /// rounded up to a multiple of 4,096, so that no two write to one page of ticks. The walk lasts as long as the list lives.
    ///     const auto chunks = query.chunks(100'000);
    ///     for (const auto& chunk : chunks) jobs.push([&chunk] { work(chunk.entities(), chunk.template get<Position>()); });
    /// @throws as for_each_chunk
    [[nodiscard]] Chunks chunks(size_type max_rows = static_cast<size_type>(-1)) const {
        std::vector<Plan> late;
        const Plan& plan = this->plan(late);
        plan.expect_arrays();
        Chunks chunks(*core_, plan.columns, max_rows);
        const bool parts = plan.terms.by_row(); // of tables: they may share pages of ticks
        for_each_run(plan, [&](const Run& run) {
            if (parts) plan.stamp(core_->tick, *run.table, run.first, run.last);
            chunks.add(*run.table, run.first, run.last, parts);
        });
        return chunks;
    }
    /// Calls f(entity, pair, values...) for each entity and each of its pairs that is this one, or that this wildcard stands
    /// for; `pair` is a PairMatch, of a const store a ConstPairMatch. The terms and components of the query hold too. Pairs of
    /// switched relations come after the others.
    ///     store.query<const Name>().for_each_pair(pair(likes, any), [](Entity e, auto liked, const Name& name) {...});
    /// @throws std::invalid_argument when it is no pair, or its relation is unknown; what f and the allocator throw
    template <class F>
    void for_each_pair(ComponentId wildcard, F&& f) const {
        using Pairs = detail::QueryPairs<Core>;
        for (const ComponentId part : Pairs::parts(*core_, wildcard)) {
            const bool switched = Pairs::is_switched(*core_, part);
            const Query asked = in_tables(part);
            asked.walk([&](const Plan& plan, const Run& run) {
                const auto deliver = [&](size_type row, const auto& match) {
                    const auto with_pair = [&](Entity entity, auto&&... values) {
                        f(entity, match, static_cast<decltype(values)&&>(values)...);
                    };
                    Fetch::row_with_entity(with_pair, *core_, *run.table, run.columns, plan.columns, row);
                };
                if (switched)
                    Pairs::for_each_switched(*core_, part, run, deliver);
                else
                    Pairs::for_each_in_table(*core_, part, run, deliver);
            });
        }
    }

    /// The rows as a range: for (auto [entity, p, v] : query). The walk lasts as long as an iterator lives, that is, until the
    /// loop ends, however it does. Iterators can be moved and not copied. @throws what the allocator throws
    auto begin() const { return iterator<typename Fetch::EntityRow>(); }
    detail::QueryEnd end() const noexcept { return {}; }
    /// The same without the entities: for (auto [p, v] : query.rows()).
    auto rows() const { return detail::QueryRows<Query>(*this); }

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
    /// The first entity of the walk; null if no entity matches. Nothing is stamped.
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
    /// Makes the list of tables, if it is not there yet, so that queries of the const store use it. A query for a pair with one
    /// entity has none.
    /// @throws what the allocator throws
    void warm() const
        requires(!reads)
    {
        static_cast<void>(tables());
    }

private:
    template <class>
    friend class detail::QueryRows;

    /// `other` and one more component.
    template <class... Others, class X>
    Query(const Query<Store, Others...>& other, Optional<X>) : core_(other.core_) {
        plan_.terms = other.plan_.terms;
        for (size_type i = 0; i != other.plan_.columns.size(); ++i) plan_.columns[i] = other.plan_.columns[i];
        plan_.template set<Optional<X>>(core_->registry, other.plan_.columns.size(), id_of<X>());
        plan_.bind();
    }

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
    void rebind() noexcept {
        plan_.bind();
        tables_.set(nullptr);
    }
    /// Takes the components that the query is made with.
    void add_arguments() {
        Fetch::for_each_value([&]<class V>(size_type i, V*) {
            using Type = typename V::type;
            plan_.template set<Type>(core_->registry, i, id_of<typename detail::QueryArgument<Type>::component>());
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
    /// The query that also asks for a pair in tables, whatever is switched.
    Query in_tables(ComponentId part) const {
        Query query(*this);
        query.plan_.terms.add(core_->registry, part, Kind::with, 0, true);
        query.rebind();
        return query;
    }

    /// The plan, completed in `late` if a type was not registered when the query was made.
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
    const detail::QueryTables* tables(const Plan& plan) const { return &plan == &plan_ ? tables() : find_tables(plan); }
    const detail::QueryTables* find_tables(const Plan& plan) const {
        if constexpr (reads)
            return core_->tables.find_query(plan.terms.tables());
        else
            return plan.terms.names_entity() ? nullptr : &core_->tables.query(plan.terms.tables());
    }

    template <class Sink>
    void for_each_run(const Plan& plan, Sink&& sink) const {
        if (!plan.possible) return;
        for (Walk walk(*core_, plan.terms, tables(plan)); walk.next(sink);) {}
    }
    /// Calls f(plan, run) for each run, whose rows are stamped before. check(plan) comes first of all.
    template <class F, class Check>
    void walk(F&& f, Check&& validate) const {
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
    /// for_each where rows are left out, stamped or looked up. f comes by value if it was an rvalue: a compiler then sees that
    /// nothing else refers to it, here and in for_each.
    template <class F>
    SLOTWISE_NEVER_INLINE void for_each_filtered(F f) const {
        std::vector<Plan> late;
        const Plan& plan = this->plan(late);
        if (!plan.possible) return;
        const detail::QueryWalkScope scope(*core_);
        Walk walk(*core_, plan.terms, tables(plan));
        const auto on_run = [&](const Run& run) {
            plan.stamp(core_->tick, *run.table, run.first, run.last);
            if (!plan.outside) return Fetch::each_row(f, *run.table, run.columns, plan.columns, run.first, run.last);
            for (size_type row = run.first; row != run.last; ++row)
                Fetch::row_outside(f, *core_, *run.table, run.columns, plan.columns, row);
        };
        const auto on_table = [&](typename Walk::table_type& table, const std::int32_t* columns) {
            if (plan.outside || plan.stamps || !plan.terms.by_row() || walk.filter().splits())
                return walk.for_each_run(table, columns, on_run);
            Fetch::each_run(f, table, columns, plan.columns, [&](auto&& on_rows) { walk.filter().for_each_run(on_rows); });
        };
        while (walk.next(on_table, on_run)) {}
    }
    template <class Item>
    auto iterator() const {
        std::vector<Plan> late;
        const Plan& plan = this->plan(late);
        return detail::QueryIterator<Core, Fetch, Item>(*core_, plan_, std::move(late), tables(plan));
    }
    auto begin_rows() const { return iterator<typename Fetch::Row>(); }

    Core* core_;
    Plan plan_{};
    detail::QueryTablesMemo tables_{};
};

SLOTWISE_END

#endif
