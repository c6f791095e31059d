// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Query: the entities of a store that have certain components, and walks over them.
#ifndef SLOTWISE_ECS_QUERY_HPP
#define SLOTWISE_ECS_QUERY_HPP

#include "detail/query_walk.hpp"

#include <atomic>

SLOTWISE_BEGIN

// QueryPlan: all that a query knows of itself.

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

// Chunks of a query: runs of rows as spans, as a list whose parts may go to different threads.

template <class Store, class... Ts>
class Query;

namespace detail {

/// What the chunks of a list share.
template <class Fetch>
struct QueryChunkColumns {
    typename Fetch::Columns columns;
    tick_t tick;
};

/// Some rows of a table that match a query, side by side. Made by Query::chunks(). One chunk may be used by one thread, and
/// others by other threads at the same time.
/// @invalidates itself when the list of chunks dies
template <class Core, class Fetch>
class QueryChunk {
    using table_type = typename QueryWalk<Core>::table_type;

public:
    using size_type = std::size_t;

    /// Rows there are; never 0.
    size_type size() const noexcept { return last_ - first_; }
    /// The entity of each row.
    std::span<const Entity> entities() const noexcept { return table_->entities().subspan(first_, size()); }
    /// The values of a component of the query, row by row; empty if it is optional and missing. get<const T>() only reads. If T
    /// is tracked, get<T>() stamps the rows with the store's tick.
    template <class T>
    std::span<T> get() const {
        using component = std::remove_const_t<T>;
        constexpr std::size_t i = Fetch::template number_of<component>();
        static_assert(i < Fetch::count, "QueryChunk::get<T>(): T is no component of the query, or a tag");
        using Value = typename Fetch::template Value<i>;
        static_assert(std::is_const_v<T> || !QueryArgument<Value>::constant,
                      "QueryChunk::get<T>(): the query names T const; ask for get<const T>(), or for query<T>()");
        const QueryColumn& of = shared_->columns[i];
        const std::int32_t place = of.id ? table_->place_of(of.id) : -1;
        if (place < 0 || (of.optional && of.toggle && !table_->is_enabled(first_, static_cast<size_type>(place)))) return {};
        if constexpr (!std::is_const_v<T>)
            if (of.stamps) stamp(static_cast<size_type>(place));
        const std::int32_t column = table_->column_at(static_cast<size_type>(place));
        return {table_->template data<component>(static_cast<size_type>(column)) + first_, size()};
    }
    /// The values of a component, or pair, that the entities have in their table. Of a store that is not const they may be
    /// written, and are stamped if it is tracked: by this call, unless the query names it and leaves rows out. A query that
    /// leaves rows out has chunks that share ticks. Call this from one thread then, if the query does not name it.
    /// @throws std::invalid_argument when the table has no values of it
    auto column(ComponentId id) const {
        const std::int32_t place = table_->place_of(id);
        const std::int32_t column = place < 0 ? -1 : table_->column_at(static_cast<size_type>(place));
        if (column < 0) [[unlikely]]
            throw_invalid_argument("QueryChunk::column(id): the entities have no values of this component in their table");
        if constexpr (!std::is_const_v<Core>)
            if (TickColumn* const ticks = table_->ticks(static_cast<size_type>(place));
                ticks != nullptr && !is_stamped(id, static_cast<size_type>(place)))
                ticks->mark(first_, last_, shared_->tick);
        const auto all = table_->column(static_cast<size_type>(column));
        return decltype(table_->column(0))(all.type(), all[first_], size());
    }
    /// Whether the entities have this component, tag or pair in their table.
    bool contains(ComponentId id) const noexcept { return table_->contains(id); }

private:
    template <class>
    friend class QueryChunks;
    using Shared = QueryChunkColumns<Fetch>;

    QueryChunk(const Shared& shared, table_type& table, size_type first, size_type last, bool stamped) noexcept
        : shared_(&shared), table_(&table), first_(first), last_(last), stamped_(stamped) {}
    // Whether the rows were stamped when the list was made.
    bool is_stamped(ComponentId id, size_type place) const noexcept {
        bool found = false;
        for (const QueryColumn& each : shared_->columns)
            found = found ||
                    (each.stamps && each.id == id && !(each.optional && each.toggle && !table_->is_enabled(first_, place)));
        return stamped_ && found;
    }
    void stamp(size_type place) const {
        if (!stamped_) table_->ticks(place)->mark(first_, last_, shared_->tick);
    }

    const Shared* shared_;
    table_type* table_;
    size_type first_, last_;
    bool stamped_; // rows that share a page of ticks with another chunk are stamped when the list is made
};

/// A list of chunks. The walk lasts as long as it lives: the structure of the store must not change.
/// @invalidates its iterators and chunks when it is moved from or dies
template <class Chunk>
class QueryChunks;
template <class Core, class Fetch>
class QueryChunks<QueryChunk<Core, Fetch>> {
    using Chunk = QueryChunk<Core, Fetch>;

public:
    using value_type = Chunk;
    using size_type = std::size_t;
    /// Chunks begin at multiples of this many rows, which have ticks of their own.
    static constexpr size_type page_rows = 4096;

    size_type size() const noexcept { return chunks_.size(); }
    bool empty() const noexcept { return chunks_.empty(); }
    auto begin() const noexcept { return chunks_.begin(); }
    auto end() const noexcept { return chunks_.end(); }
    /// @pre i < size() (checked at level fast)
    const Chunk& operator[](size_type i) const noexcept {
        SLOTWISE_EXPECT(i < size(), "QueryChunks[i]: i is not below size()");
        return chunks_[i];
    }

private:
    template <class, class...>
    friend class slotwise::Query;
    using Shared = QueryChunkColumns<Fetch>;

    QueryChunks(Core& core, const typename Fetch::Columns& columns, size_type max_rows)
        : scope_(core), shared_{Shared{columns, core.tick}} {
        const size_type most = static_cast<size_type>(-1) - page_rows;
        rows_ = max_rows > most ? static_cast<size_type>(-1)
                : max_rows == 0 ? page_rows
                                : (max_rows + page_rows - 1) / page_rows * page_rows;
    }
    /// @param stamped whether the rows share pages of ticks with other chunks, and are stamped already
    template <class TableType>
    void add(TableType& table, size_type first, size_type last, bool stamped) {
        while (first != last) {
            const size_type cut = first / rows_ * rows_;
            const size_type end = last - cut <= rows_ ? last : cut + rows_;
            chunks_.push_back(Chunk(shared_.front(), table, first, end, stamped));
            first = end;
        }
    }

    QueryWalkScope scope_;
    std::vector<Shared> shared_; // one, at an address that stays
    std::vector<Chunk> chunks_{};
    size_type rows_;
};

// QueryIterator: a walk of a query as a range.

/// Behind the last row.
struct QueryEnd {};

/// A row of a walk: an input iterator that can be moved and not copied, because the walk lasts as long as it lives.
/// @tparam Item what is bound: Fetch::EntityRow, or Fetch::Row
template <class Core, class Fetch, class Item>
class QueryIterator {
    using Plan = QueryPlan<Fetch>;
    using Walk = QueryWalk<Core>;
    using Run = typename Walk::Run;

public:
    using value_type = Item;
    using reference = Item;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;

    /// @param late the plan, if it is not the query's own
    QueryIterator(Core& core, const Plan& plan, std::vector<Plan>&& late, const QueryTables* tables)
        : scope_(core), core_(&core), late_(std::move(late)), plan_(late_.empty() ? &plan : late_.data()),
          walk_(core, plan_->terms, tables) {
        if (plan_->possible) next_run();
    }
    QueryIterator(QueryIterator&&) noexcept = default;
    QueryIterator& operator=(QueryIterator&&) noexcept = default;
    QueryIterator(const QueryIterator&) = delete;
    QueryIterator& operator=(const QueryIterator&) = delete;
    ~QueryIterator() = default;

    Item operator*() const {
        return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            if constexpr (std::is_same_v<Item, typename Fetch::Row>)
                return Item(at<Nth>()...);
            else
                return Item(run_.table->entities()[row_], at<Nth>()...);
        }(Fetch::indices);
    }
    QueryIterator& operator++() {
        if (++row_ == run_.last)
            next_run();
        else
            plan_->stamp(core_->tick, *run_.table, row_, row_ + 1);
        return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const QueryIterator& it, QueryEnd) noexcept { return it.run_.table == nullptr; }

private:
    template <std::size_t Nth>
    decltype(auto) at() const {
        using Value = typename Fetch::template Value<Nth>;
        const QueryColumn& of = plan_->columns[Nth];
        if (plan_->outside) return Fetch::template look_up<Value>(*core_, *run_.table, run_.columns, of, row_);
        return std::get<Nth>(pointers_)[row_];
    }
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
        if (!plan_->outside) pointers_ = Fetch::pointers(*run_.table, run_.columns, plan_->columns, row_);
        plan_->stamp(core_->tick, *run_.table, row_, row_ + 1);
    }

    QueryWalkScope scope_;
    Core* core_;
    std::vector<Plan> late_;
    const Plan* plan_;
    Walk walk_;
    std::vector<Run> runs_{}; // of the step
    std::size_t next_ = 0;
    Run run_{};
    std::size_t row_ = 0;
    typename Fetch::Pointers pointers_{};
};

/// The rows of a query without their entities.
template <class Query>
class QueryRows {
public:
    explicit QueryRows(const Query& query) : query_(query) {}
    auto begin() const { return query_.begin_rows(); }
    QueryEnd end() const noexcept { return {}; }

private:
    Query query_; // its own one: in `for (auto [p] : store.query<P>().rows())` the first is gone when the loop begins
};

} // namespace detail

// PairMatch: a pair of an entity, and its value. QueryPairs: the pairs that a wildcard stands for, row by row.

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
using PairMatch = BasicPairMatch<void>;
using ConstPairMatch = BasicPairMatch<const void>;

namespace detail {

/// The pairs of the rows of a walk.
template <class Core>
class QueryPairs {
    using Void = std::conditional_t<std::is_const_v<Core>, const void, void>;
    using Match = BasicPairMatch<Void>;
    using Run = typename QueryWalk<Core>::Run;

public:
    /// What to walk, one after the other: the pairs in tables, and those of each switched relation that has any.
    /// @throws std::invalid_argument when it is no pair, or its relation is unknown; what the allocator throws
    static PlainVector<ComponentId> parts(const StoreCore& core, ComponentId asked) {
        core.registry.expect_term(asked, "Query::for_each_pair");
        if (!asked.is_pair())
            throw_invalid_argument("Query::for_each_pair: the component is no pair; name pair(relation, target) or a wildcard");
        PlainVector<ComponentId> parts;
        parts.push_back(asked);
        if (asked.has_any_relation())
            for (const std::uint32_t number : core.sparse.numbers())
                if (core.sparse.targets(number) != nullptr) parts.push_back(of_relation(core.registry.id(number), asked));
        return parts;
    }
    static bool is_switched(const StoreCore& core, ComponentId part) {
        return !part.has_any_relation() && core.registry.traits(part).switched;
    }
    /// Calls f(row, match) for the pairs of switched relation `part` in the rows of a run.
    template <class F>
    static void for_each_switched(Core& core, ComponentId part, const Run& run, F&& f) {
        const auto entities = run.table->entities();
        const ComponentId relation = core.registry.id(part.relation_number());
        for (std::size_t row = run.first; row != run.last; ++row)
            if (const Entity target = core.sparse.target(entities[row], part.relation_number()))
                f(row, Match(pair(relation, target), nullptr, nullptr));
    }
    /// Calls f(row, match) for the pairs of the table that `part` stands for, in the rows of a run where they are enabled.
    template <class F>
    static void for_each_in_table(Core& core, ComponentId part, const Run& run, F&& f) {
        find_place(*run.table, part, [&](std::size_t place) {
            const ComponentId id = run.table->ids()[place];
            const std::int32_t column = run.table->column_at(place);
            const TypeDescriptor* const type = column < 0 ? nullptr : core.registry.type(id);
            const BitColumn* const bits = run.table->bits(place);
            for (std::size_t row = run.first; row != run.last; ++row) {
                if (bits != nullptr && !bits->test(row)) continue;
                Void* const value = column < 0 ? nullptr : run.table->value(static_cast<std::size_t>(column), row);
                if constexpr (!std::is_const_v<Core>)
                    if (TickColumn* const ticks = column < 0 ? nullptr : run.table->ticks(place)) ticks->mark(row, core.tick);
                f(row, Match(id, type, value));
            }
            return false;
        });
    }

private:
    static ComponentId of_relation(ComponentId relation, ComponentId asked) {
        constexpr std::uint64_t target = 0xFFFF'FFFF'FFFFu;
        return ComponentId::from_bits((pair(relation, any).bits() & ~target) | (asked.bits() & target));
    }
};

} // namespace detail

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
