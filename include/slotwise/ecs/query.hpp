// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Query: the entities of a store that have certain components, and walks over them.
#ifndef SLOTWISE_ECS_QUERY_HPP
#define SLOTWISE_ECS_QUERY_HPP

#include "../core/detail/std_memory.hpp"
#include "detail/query_walk.hpp"

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
/// If a term names a sparse component, a pair of a sparse relation, or a target of a switched one, and fewer entities have it
/// than there are rows to check, then the walk follows the order of those entities instead. For children in their order take
/// ArchetypeStore::sources.
///
/// A query may be kept, and also matches tables, pairs and components that come later. To make it anew costs some nanoseconds:
/// the store keeps what follows from the terms, unless they name an entity, a tick, or pairs of any relation. Each function
/// that adds a term returns another query and leaves this one as it is. A query of a store that is not const searches for its
/// tables once: the store keeps the list and appends new tables to it. A query of a const store uses such a list if there is
/// one (see warm()). Otherwise it searches the tables of its rarest component at each walk. So does each query for a pair with
/// one entity, because entities come and go, and their lists would remain.
///
/// While a walk runs, the structure of the store must not change: nothing is spawned or despawned, and no component is added or
/// removed (checked at level fast). Record such changes in a CommandBuffer. Values may change, components may be enabled and
/// disabled, and walks may nest. A walk decides ahead which rows match, for up to 64 runs of rows and those that end in the
/// same 64 rows; by iterator, for a table. Whether it meets what is enabled, disabled or changed there meanwhile is
/// unspecified. An exception of f ends the walk and reaches the caller.
///
/// Queries of a const store may walk in several threads at once. So may queries of a store that is not const if they are warm
/// and no two of them write, or write and read, the same component. Several threads may write the chunks of one query.
/// A term pair(any, target) covers those sparse and switched relations that are registered when the term is added.
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
    using TableType = detail::table_of<Core>;
    using Run = detail::RowRun;
    using Visiting = detail::QueryVisiting;
    using Void = std::conditional_t<reads, const void, void>;
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
    explicit Query(Core& core) : Query(core, {request_of<Ts>(core)..., {}}) {}

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
        return {*core_, &*plan_, request_of<Optional<X>>(*core_)};
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
        const detail::QueryPlan& plan = *plan_;
        const detail::QueryTables* const tables = plan.whole_tables ? plan.tables(*core_) : nullptr;
        if (tables == nullptr) return for_each_filtered<F>(std::forward<F>(f));
        const detail::QueryWalkScope scope(*core_);
        for (const auto match : *tables) {
            TableType& table = *match.table;
            if (plan.some_tables && plan.leaves_out(table)) continue;
            Fetch::each_row(f, table, match.columns, plan.columns.data(), 0, table.size());
        }
    }
    /// Calls f(span<T>...), or f(span<const Entity>, span<T>...), for each run of rows that match: a table or a part of one.
    /// The span of an optional component is empty where the component is missing.
    /// @throws std::invalid_argument when a component is sparse, because its values are not in one array; what f and the
    /// allocator throw
    template <class F>
    void for_each_chunk(F&& f) const {
        const Visiting visit(*core_, *plan_);
        visit->plan().expect_arrays();
        walk(*visit, [&](TableType& table, const std::int32_t* columns, const Run& run) {
            Fetch::each_span(f, table, columns, visit->plan().columns.data(), run.first, run.last);
        });
    }
    /// The runs of for_each_chunk as a list, whose elements may go to different threads. A chunk has at most `max_rows` rows,
    /// rounded up to a multiple of 4,096, so that no two chunks write to one page of ticks. The walk lasts as long as the list
    /// lives.
    ///     const auto chunks = query.chunks(100'000);
    ///     for (const auto& chunk : chunks) jobs.push([&chunk] { work(chunk.entities(), chunk.template get<Position>()); });
    /// @throws as for_each_chunk
    [[nodiscard]] Chunks chunks(size_type max_rows = static_cast<size_type>(-1)) const {
        const Visiting visit(*core_, *plan_);
        const detail::QueryPlan& plan = visit->plan();
        plan.expect_arrays();
        Chunks chunks(*core_, plan, max_rows);
        const bool shares_ticks = plan.terms.by_row(); // runs of one table may share a page of ticks: it is stamped here
        visit->for_each([&](Table& table, const std::int32_t*, detail::RowRuns runs) {
            runs.for_each([&](size_type first, size_type last) {
                if (shares_ticks) plan.stamp(core_->tick, table, first, last);
                chunks.add(table, first, last, shares_ticks);
            });
        });
        return chunks;
    }
    /// Calls f(entity, pair, values...) for each entity that matches and each of its pairs that is this one, or that this
    /// wildcard stands for. `pair` is a PairMatch; of a const store it is a ConstPairMatch. Pairs of sparse and switched
    /// relations come after the others.
    ///     store.query<const Name>().for_each_pair(pair(likes, any), [](Entity e, auto liked, const Name& name) {...});
    /// @throws std::invalid_argument when it is no pair, or its relation is unknown; what f and the allocator throw
    template <class F>
    void for_each_pair(ComponentId wildcard, F&& f) const {
        for (const ComponentId part : detail::query_pair_parts(*core_, wildcard)) {
            const bool outside = !part.has_any_relation() && detail::is_sparse(core_->registry, part);
            const Query query = and_term({.id = part, .in_tables = true}); // also if its relation is sparse or switched
            const Visiting visit(*core_, *query.plan_);
            walk(*visit, [&](TableType& table, const std::int32_t* columns, const Run& run) {
                const auto deliver = [&](size_type row, const BasicPairMatch<Void>& match) {
                    const auto with_pair = [&](Entity entity, auto&&... values) {
                        f(entity, match, static_cast<decltype(values)&&>(values)...);
                    };
                    Fetch::row_with_entity(with_pair, *core_, table, columns, visit->plan().columns.data(), row);
                };
                if (outside)
                    for_each_pair_outside(part, table, run, deliver);
                else
                    for_each_table_pair(part, table, run, deliver);
            });
        }
    }

    /// The rows as a range: for (auto [entity, p, v] : query). The walk lasts as long as the iterator lives, that is, until the
    /// loop ends in whatever way. An iterator can be moved and not copied. @throws what the allocator throws
    SLOTWISE_ALWAYS_INLINE auto begin() const { return Iterator<typename Fetch::EntityRow>(*core_, *plan_); }
    std::default_sentinel_t end() const noexcept { return {}; }
    /// The same without the entities: for (auto [p, v] : query.rows()).
    auto rows() const { return RowRange(*this); }

    //=== what matches ===//

    /// How many entities match. @throws what the allocator throws @complexity linear in tables, or as a walk if a term leaves
    /// out some rows of them
    size_type size() const {
        const detail::QueryTables* tables = nullptr;
        const Visiting visit(*core_, *plan_, tables);
        return tables != nullptr ? plan_->count(*tables) : visit->count();
    }
    /// Whether no entity matches.
    bool empty() const { return !first(); }
    /// The first entity of the walk; null if no entity matches. It stamps nothing.
    Entity first() const {
        const detail::QueryTables* tables = nullptr;
        const Visiting visit(*core_, *plan_, tables);
        return tables != nullptr ? plan_->first(*tables) : visit->first();
    }
    /// Makes the list of tables unless the store has it already, so that queries of the const store use it. There is no list of
    /// a query for a pair with one entity.
    /// @throws what the allocator throws
    void warm() const
        requires(!reads)
    {
        static_cast<void>(plan_->tables(*core_));
    }

private:
    /// A query of this, after what `before` asks for.
    Query(Core& core, const detail::QueryPlan* before, const detail::QueryRequest& asked)
        : core_(&core), plan_(core.plans.get(core.registry, before, {&asked, &asked + 1})) {}
    /// A query of all of these but the last one, which is there because an array is not empty.
    Query(Core& core, const detail::QueryRequest (&asked)[sizeof...(Ts) + 1])
        : core_(&core), plan_(core.plans.get(core.registry, nullptr, {asked, asked + sizeof...(Ts)})) {}

    /// The id of a type; null if it is not registered and the store is const.
    template <class X>
    static ComponentId id_of(Core& core) {
        if constexpr (reads)
            return core.registry.template find<X>();
        else
            return core.registry.template id<X>();
    }
    template <class X>
    static ComponentId find_type(const ComponentRegistry& registry) noexcept {
        return registry.template find<X>();
    }
    /// How a type is found that was not registered when the query was made.
    template <class X>
    static constexpr detail::FindComponent find_later = reads ? &find_type<X> : nullptr;

    /// What is asked for by one of Ts.
    template <class T>
    static detail::QueryRequest request_of(Core& core) {
        using Argument = detail::QueryArgument<T>;
        using component = typename Argument::component;
        const ComponentId id = id_of<component>(core);
        return {.id = id,
                .find = id ? nullptr : find_later<component>,
                .kind = Argument::optional ? Kind::optional : Kind::with,
                .value = !detail::is_tag_type<component>,
                .constant = Argument::constant};
    }
    /// This query with one more term.
    Query and_term(const detail::QueryRequest& asked) const { return Query(*core_, &*plan_, asked); }
    Query and_term(ComponentId id, Kind kind, tick_t since = 0) const {
        return and_term({.id = id, .since = since, .kind = kind});
    }
    template <class X>
    Query and_term(Kind kind, tick_t since = 0) const {
        using component = std::remove_const_t<X>;
        const ComponentId id = id_of<component>(*core_);
        return and_term({.id = id, .find = id ? nullptr : find_later<component>, .since = since, .kind = kind});
    }

    /// Calls f(table, columns, run) for each run, whose rows are stamped before.
    template <class F>
    void walk(detail::QueryVisit& visit, F&& f) const {
        visit.for_each([&](Table& table, const std::int32_t* columns, detail::RowRuns runs) {
            runs.for_each([&](size_type first, size_type last) {
                visit.plan().stamp(core_->tick, table, first, last);
                f(table, columns, Run{first, last});
            });
        });
    }
    /// for_each of a query that checks rows, stamps them or looks values up. f is passed by value if it was an rvalue, here and
    /// in for_each: the compiler then sees that nothing else refers to it.
    template <class F>
    SLOTWISE_NEVER_INLINE void for_each_filtered(F f) const {
        const Visiting visit(*core_, *plan_);
        visit->for_each([&](Table& table, const std::int32_t* columns, detail::RowRuns runs) {
            Fetch::each_run(f, *core_, *visit, table, columns, runs);
        });
    }

    /// Calls f(row, match) for the pairs of a sparse or switched relation in the rows of a run.
    template <class F>
    void for_each_pair_outside(ComponentId part, TableType& table, const Run& run, F&& f) const {
        const auto entities = table.entities();
        const ComponentId relation = core_->registry.id(part.relation_number());
        if (const detail::SparsePairs* const pairs = core_->sparse.pairs(part.relation_number())) {
            const auto deliver = [&](size_type row, slot_t number) {
                const Entity target = pairs->entity(detail::SparsePairs::by_target, number);
                f(row, BasicPairMatch<Void>(pair(relation, target), pairs->type(), pairs->value(number)));
            };
            for (size_type row = run.first; row != run.last; ++row)
                if (part.has_any_target())
                    pairs->for_each(detail::SparsePairs::by_source, entities[row], [&](slot_t each) { deliver(row, each); });
                else if (const slot_t number = pairs->find(entities[row], part.target()); number != no_slot)
                    deliver(row, number);
            return;
        }
        for (size_type row = run.first; row != run.last; ++row)
            if (const Entity target = core_->sparse.target(entities[row], part.relation_number()))
                f(row, BasicPairMatch<Void>(pair(relation, target), nullptr, nullptr));
    }
    /// Calls f(row, match) for the pairs of the table that `part` stands for, in the rows of a run where they are enabled.
    template <class F>
    void for_each_table_pair(ComponentId part, TableType& table, const Run& run, F&& f) const {
        detail::find_place(table, part, [&](size_type place) {
            const ComponentId id = table.ids()[place];
            const std::int32_t column = table.column_at(place);
            const TypeDescriptor* const type = column < 0 ? nullptr : core_->registry.type(id);
            const BitColumn* const bits = table.bits(place);
            for (size_type row = run.first; row != run.last; ++row) {
                if (bits != nullptr && !bits->test(row)) continue;
                Void* const value = column < 0 ? nullptr : table.value(static_cast<size_type>(column), row);
                if constexpr (!reads)
                    if (TickColumn* const ticks = column < 0 ? nullptr : table.ticks(place)) ticks->mark(row, core_->tick);
                f(row, BasicPairMatch<Void>(id, type, value));
            }
            return false;
        });
    }

    Core* core_;
    detail::QueryPlanRef plan_;
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

    Chunks(Core& core, const detail::QueryPlan& plan, size_type max_rows) : scope_(core) {
        shared_.push_back(Shared{{}, core.tick});
        for (size_type i = 0; i != plan.columns.size(); ++i) shared_.front().columns[i] = plan.columns[i];
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
    std::vector<Shared> shared_{}; // one element, whose address stays when the list is moved
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

    SLOTWISE_ALWAYS_INLINE Iterator(Core& core, const detail::QueryPlan& plan) : core_(&core), cursor_(core, plan) {
        begin_run();
    }
    Iterator(Iterator&&) noexcept = default;
    Iterator& operator=(Iterator&&) noexcept = default;
    Iterator(const Iterator&) = delete;
    Iterator& operator=(const Iterator&) = delete;
    SLOTWISE_ALWAYS_INLINE ~Iterator() = default;

    SLOTWISE_ALWAYS_INLINE Item operator*() const {
        return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            if constexpr (std::is_same_v<Item, typename Fetch::Row>)
                return Item(std::get<Nth>(pointers_)[row_]...);
            else
                return Item(entities_[row_], std::get<Nth>(pointers_)[row_]...);
        }(Fetch::indices);
    }
    SLOTWISE_ALWAYS_INLINE Iterator& operator++() {
        if (++row_ == last_) [[unlikely]] {
            cursor_.next_run();
            begin_run();
        }
        return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& it, std::default_sentinel_t) noexcept { return it.cursor_.at_end(); }

private:
    SLOTWISE_ALWAYS_INLINE void begin_run() {
        if (cursor_.at_end()) return;
        TableType& table = cursor_.table();
        row_ = cursor_.row();
        last_ = cursor_.last();
        entities_ = table.entities().data();
        const detail::QueryPlan& plan = cursor_.plan();
        if (plan.sparse) [[unlikely]] { // the run is one row: its values lie apart
            pointers_ = Fetch::values(*core_, table, cursor_.columns(), plan.columns.data(), row_);
            entities_ += row_;
            row_ = 0;
            last_ = 1;
        } else
            pointers_ = Fetch::pointers(table, cursor_.columns(), plan.columns.data(), row_);
    }

    Core* core_;
    detail::QueryCursor cursor_;
    // Of the run.
    const Entity* entities_ = nullptr;
    typename Fetch::Pointers pointers_{};
    size_type row_ = 0, last_ = 0;
};

/// The rows of a query without their entities.
template <class Store, class... Ts>
class Query<Store, Ts...>::RowRange {
public:
    explicit RowRange(const Query& query) : query_(query) {}
    SLOTWISE_ALWAYS_INLINE auto begin() const { return Iterator<typename Fetch::Row>(*query_.core_, *query_.plan_); }
    std::default_sentinel_t end() const noexcept { return {}; }

private:
    Query query_; // a copy: in `for (auto [p] : store.query<P>().rows())` the temporary query dies before the loop begins
};

SLOTWISE_END

#endif
