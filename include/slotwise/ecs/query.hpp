// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Query: the entities of a store that have certain components, and walks over them.
#ifndef SLOTWISE_ECS_QUERY_HPP
#define SLOTWISE_ECS_QUERY_HPP

#include "../core/detail/std_memory.hpp"
#include "detail/query_walk.hpp"

#include <initializer_list>
#include <optional>

SLOTWISE_BEGIN

/// Names a component of a query that an entity may lack: f gets an X*, which is null where the entity does not have X or has it
/// disabled.
/// @tparam X the component, const for reading only
template <class X>
struct Optional {};

/// Names a component of ancestors in a query: see Query::up(). @tparam X the component, const
template <class X>
struct Up {};

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
/// A component with the trait `hides` hides its entities from queries that do not name it, in any term. One that an optional
/// component shows has no list of tables, see below.
///
/// A disabled component counts as missing. Tables come in the order in which they got their first row, rows in ascending order.
/// If a term names a sparse component, a pair of a sparse relation, or a target of a switched one, and fewer entities have it
/// than there are rows to check, then the walk follows the order of those entities instead. For children in their order take
/// ArchetypeStore::sources. After up() and cascade() parents come before children.
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
    explicit Query(Core& core) : Query(core, {request_of<Ts>(core)..., {}}) {
        static_assert(!(detail::is_up_term<Ts> || ...),
                      "query<...>(): Up<X> comes from a relation; write query<...>().up<const X>(relation)");
    }

    //=== terms ===//

    /// The query that also requires this component, tag or pair, without delivering its value. A pair may be a wildcard.
    /// @throws std::invalid_argument when the store does not know it; what the allocator throws
    [[nodiscard]] Query with(ComponentId id) const { return and_term(id, Kind::with); }
    /// The same for each of these types.
    template <class X, class... More>
    [[nodiscard]] Query with() const {
        return and_terms<X, More...>(Kind::with);
    }
    /// The same for pair(relation, target). Either may be `any`: an entity that has several such pairs is visited once.
    template <class Relation, class Target>
    [[nodiscard]] Query with(Relation relation, Target target) const {
        return with(core_->registry.pair_of(relation, target, "Query::with"));
    }
    /// The query that leaves out entities that have this component, tag or pair enabled.
    /// @throws as with()
    [[nodiscard]] Query exclude(ComponentId id) const { return and_term(id, Kind::without); }
    /// The same for each of these types: of them an entity has none.
    template <class X, class... More>
    [[nodiscard]] Query exclude() const {
        return and_terms<X, More...>(Kind::without);
    }
    template <class Relation, class Target>
    [[nodiscard]] Query exclude(Relation relation, Target target) const {
        return exclude(core_->registry.pair_of(relation, target, "Query::exclude"));
    }
    /// The query that only matches entities that have at least one of these components, tags or pairs, enabled. Each call is a
    /// condition of its own: either<A, B>().either<C, D>() asks for one of A and B, and for one of C and D.
    /// @throws as with(); std::invalid_argument when there are no ids
    template <class X, class... More>
    [[nodiscard]] Query either() const {
        return and_terms<X, More...>(Kind::either);
    }
    [[nodiscard]] Query either(std::span<const ComponentId> ids) const {
        if (ids.empty()) [[unlikely]]
            detail::throw_invalid_argument("Query::either: there are no ids, of which an entity could have one");
        std::vector<detail::QueryRequest> asked;
        for (const ComponentId id : ids) asked.push_back({.id = id, .kind = Kind::either});
        return Query(*core_, &*plan_, {asked.data(), asked.data() + asked.size()});
    }
    [[nodiscard]] Query either(std::initializer_list<ComponentId> ids) const {
        return either(std::span<const ComponentId>(ids.begin(), ids.size()));
    }
    /// The query that also delivers X where there is one: f gets an X*, which is null where the entity does not have X or has
    /// it disabled.
    /// @throws as with()
    template <class X>
    [[nodiscard]] Query<Store, Ts..., Optional<X>> optional() const {
        return {*core_, &*plan_, request_of<Optional<X>>(*core_)};
    }
    /// The query that also delivers the X of the nearest ancestor that has one, and has it enabled: f gets a const X*, which is
    /// null where no ancestor has it. Parents come before their children, see cascade(). So a walk can pass on what it
    /// computes:
    ///     store.query<const Local, World>().up<const World>(child_of).for_each(
    ///         [](const Local& local, World& world, const World* parent) { world = parent ? *parent * local : local; });
    /// The parent of an entity is its first target in the relation. The entity itself is not asked, unless it is its own
    /// ancestor: those that go in a circle are asked until one comes back. An X is found once for all entities of a table, if
    /// parents are the same for these: see cascade(). It is const, because many entities share it. There are no chunks of such
    /// a query.
    /// @throws std::invalid_argument when it is no relation, or another one than the query's order has; as with()
    template <class X>
    [[nodiscard]] Query<Store, Ts..., Up<X>> up(ComponentId relation) const {
        detail::QueryRequest asked = request_of<Up<X>>(*core_);
        asked.since = core_->registry.is_relation(relation) ? relation.number() : 0; // 0 is refused
        return {*core_, &*plan_, asked};
    }
    /// The query whose walks meet parents before their children: first the entities without a parent, then their children, and
    /// so on, also where an ancestor between them does not match. Those of one depth come in the order of the tables. The order
    /// is computed for each walk, and the walk decides ahead which tables it meets. Depths are those of tables, because all
    /// entities of a table have the same parent, unless the relation has the trait `toggle` or is switched: then each row has
    /// its own, and the walk also decides ahead which rows it meets. Of entities that go in a circle, and of those that share a
    /// table with one of these, what is reached first counts as without a parent, and each is met once.
    /// @throws as up() @complexity of a walk: linear in tables and their ancestors, or in rows and theirs
    [[nodiscard]] Query cascade(ComponentId relation) const { return and_term({.id = relation, .kind = Kind::cascade}); }
    template <class... Xs>
        requires(sizeof...(Xs) != 1)
    void optional() const {
        static_assert(detail::never<detail::TypeList<Xs...>>,
                      "Query::optional<X>(): name one component in each call, as in "
                      "optional<A>().optional<B>(), or query<A, Optional<B>, Optional<C>>()");
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
        if constexpr (Fetch::asks_ancestors) return for_each_filtered<F>(std::forward<F>(f));
        const detail::QueryPlan& plan = *plan_;
        const detail::QueryTables* const tables = plan.whole_tables ? plan.tables(*core_) : nullptr;
        if (tables == nullptr) return for_each_filtered<F>(std::forward<F>(f));
        const detail::QueryWalkScope scope(*core_);
        for (const auto match : *tables) {
            TableType& table = *match.table;
            if (plan.some_tables && plan.leaves_out(table)) continue;
            Fetch::each_row(f, *core_, table, match.columns, plan.columns.data(), 0, table.size());
        }
    }
    /// Calls f(span<T>...), or f(span<const Entity>, span<T>...), for each run of rows that match: a table or a part of one.
    /// The span of an optional component is empty where the component is missing.
    /// @throws std::invalid_argument when a component is sparse, because its values are not in one array; what f and the
    /// allocator throw
    template <class F>
    void for_each_chunk(F&& f) const {
        expect_chunks();
        const Visiting visit(*core_, *plan_);
        visit->plan().expect_arrays();
        walk(*visit, [&](TableType& table, const std::int32_t* columns, const Run& run) {
            Fetch::each_span(f, *core_, table, columns, visit->plan().columns.data(), run.first, run.last);
        });
    }
    /// The runs of for_each_chunk as a list, whose elements may go to different threads. A chunk has at most `max_rows` rows,
    /// rounded up to a multiple of 4,096, so that no two chunks write to one page of ticks. The walk lasts as long as the list
    /// lives.
    ///     const auto chunks = query.chunks(100'000);
    ///     for (const auto& chunk : chunks) jobs.push([&chunk] { work(chunk.entities(), chunk.template get<Position>()); });
    /// @throws as for_each_chunk
    [[nodiscard]] Chunks chunks(size_type max_rows = static_cast<size_type>(-1)) const {
        expect_chunks();
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

    /// As for_each, in an order of its own: by(values...), or by(entity, values...), gives a key, and lower keys come first.
    /// The order depends on keys and entities alone, and not on tables or on what happened before: of equal keys the lower
    /// index comes first. So it is the same on each machine on which these are the same. Keys are computed once an entity,
    /// before f is called, and compared by <; of numbers -0.0 is 0.0, and a NaN comes last. For descending order return -key.
    ///     store.query<const Sprite, const Position>().for_each_sorted(
    ///         [](const Sprite& s, const Position& p) { return std::tuple(s.layer, p.y); },
    ///         [&](const Sprite& s, const Position& p) { draw(s, p); });
    /// @throws what by, f, < and the allocator throw; keys that are numbers allocate nothing after the first walk of 512
    /// entities at most @complexity O(n log n)
    template <class By, class F>
    void for_each_sorted(By by, F f) const {
        const auto key = [&](TableType& table, const std::int32_t* columns, const detail::QueryColumn* of,
                             size_type row) -> decltype(auto) {
            return Fetch::key_of_row(by, *core_, table, columns, of, row);
        };
        const Visiting visit(*core_, *plan_);
        walk_sorted(*visit, key, detail::LessThan(), [&](TableType& table, const std::int32_t* columns, size_type row) {
            Fetch::each_one(f, *core_, table, columns, visit->plan().columns.data(), row);
        });
    }
    /// The entities that match with their values, ordered by less(const T&, const T&) of a component of the query, equal ones
    /// by index: for (auto [entity, sprite, p] : query.sorted_by<Sprite>(less)) draw(sprite, p). Rows are stamped as by a walk.
    /// @throws what less and the allocator throw @complexity O(n log n)
    /// @invalidates its references, as the next change of structure does addresses
    template <class T, class Less>
    [[nodiscard]] std::vector<value_type> sorted_by(Less less) const {
        using component = std::remove_const_t<T>;
        constexpr std::size_t place = Fetch::template number_of<component>();
        static_assert(place < Fetch::count, "Query::sorted_by<T>(less): T is no component of the query, or a tag");
        static_assert(!detail::QueryArgument<typename Fetch::template Value<place>>::optional,
                      "Query::sorted_by<T>(less): T is optional; sort by for_each_sorted() with a key for those that lack it");
        constexpr bool by_value = detail::is_sort_key<component>;
        using Value = std::conditional_t<by_value, component, const component*>;
        const auto key = [&](TableType& table, const std::int32_t* columns, const detail::QueryColumn* of, size_type row) {
            const component* const value =
                Fetch::template value<typename Fetch::template Value<place>>(*core_, table, columns, of[place], row);
            if constexpr (by_value)
                return *value;
            else
                return value;
        };
        const auto before = [&](const Value& a, const Value& b) -> bool {
            if constexpr (by_value)
                return less(a, b);
            else
                return less(*a, *b);
        };
        std::vector<value_type> list;
        const Visiting visit(*core_, *plan_);
        walk_sorted(*visit, key, before, [&](TableType& table, const std::int32_t* columns, size_type row) {
            const auto add = [&](Entity entity, auto&&... values) {
                list.push_back(value_type(entity, static_cast<decltype(values)&&>(values)...));
            };
            Fetch::row_with_entity(add, *core_, table, columns, visit->plan().columns.data(), row);
        });
        return list;
    }
    template <class T>
    [[nodiscard]] std::vector<value_type> sorted_by() const {
        return sorted_by<T>([](const T& a, const T& b) { return a < b; });
    }

    /// The rows as a range: for (auto [entity, p, v] : query). The walk lasts as long as the iterator lives, that is, until the
    /// loop ends in whatever way. An iterator can be moved and not copied. @throws what the allocator throws
    SLOTWISE_ALWAYS_INLINE auto begin() const { return Iterator<typename Fetch::EntityRow>(*core_, *plan_); }
    std::default_sentinel_t end() const noexcept { return {}; }
    /// The same without the entities: for (auto [p, v] : query.rows()).
    auto rows() const { return RowRange(*this); }

    //=== what matches ===//

    /// Whether this entity matches: it lives and satisfies all terms. It walks nothing. Any bit pattern is allowed.
    /// @throws nothing, unless the store is const and a type was not registered when the query was made: what the allocator
    /// throws @complexity O(terms), for a wildcard linear in the pairs of the entity
    SLOTWISE_ALWAYS_INLINE bool contains(Entity entity) const {
        const auto* const at = core_->location(entity);
        if (at == nullptr) return false;
        if (!plan_->complete) [[unlikely]]
            return visit_late(*at, [](auto&&...) {});
        return plan_->matches(*core_, core_->table(*at), at->row());
    }
    /// What f gets of this entity, without the entity, as a std::tuple; nothing if it does not match. Components that are not
    /// const are stamped, as by a walk.
    ///     if (const auto found = moving.get(ship)) {
    ///         auto [position, velocity] = *found;
    /// @throws as contains() @complexity as contains() @invalidates the references, as those of ArchetypeStore::get
    SLOTWISE_ALWAYS_INLINE std::optional<typename Fetch::Row> get(Entity entity) const {
        std::optional<typename Fetch::Row>
            found; // the one that is returned: a copy of two references is half the time of a get
        const auto* const at = core_->location(entity);
        if (at == nullptr) return found;
        const detail::QueryPlan& plan = *plan_;
        if (!plan.complete) [[unlikely]] {
            static_cast<void>(visit_late(*at, [&](const detail::QueryPlan& late, TableType& table, size_type row) {
                Fetch::row(found, *core_, table, late.columns.data(), row);
            }));
            return found;
        }
        TableType& table = core_->table(*at);
        if (!plan.matches(*core_, table, at->row())) return found;
        if constexpr (!reads) plan.stamp(core_->tick, table, at->row(), at->row() + size_type{1});
        Fetch::row(found, *core_, table, plan.columns.data(), at->row());
        return found;
    }
    /// What the query reads and writes: see QueryAccess. Types that a const store does not know yet are not among it.
    /// @throws what the allocator throws
    QueryAccess access() const {
        if (plan_->complete) return plan_->access();
        return Visiting(*core_, *plan_)->plan().access();
    }
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

    //=== changes ===//

    /// Ends all entities that match, as despawn() of the store would from the last to the first: spawn() then issues their
    /// indices in the order of the walk. Tables whose rows all match end at once. A relation refuses it only for an entity that
    /// stays; what goes along (OnTargetDespawn::despawn) is not counted. on_remove hooks are called for all of them before
    /// the first one ends; if others relate to one of them, entity by entity. Returns how many matched.
    /// @pre nothing walks or changes the store (checked at level fast)
    /// @throws std::invalid_argument when a relation refuses it, what hooks and the allocator throw; nothing has ended then,
    /// but others may have lost their pairs. Where others relate to one of them, or moves of values may throw, entities end one
    /// by one, and those that have ended before a hook or a move throws stay so
    /// @complexity linear in the entities, and as despawn() for those that do not fill their table @invalidates addresses in
    /// their tables
    size_type despawn_all() const
        requires(!reads)
    {
        return core_->despawn_found(detail::find_rows(*core_, *plan_, "despawn"));
    }

private:
    friend class ArchetypeStore;
    /// Appends the entities that match, in the order of a walk. It stamps nothing. Throws what the allocator throws
    void append_entities(detail::PlainVector<Entity>& to) const {
        const Visiting visit(*core_, *plan_);
        visit->for_each([&](Table& table, const std::int32_t*, detail::RowRuns runs) {
            runs.for_each([&](size_type first, size_type last) { to.append(table.entities().subspan(first, last - first)); });
        });
    }
    /// The rows that match, for a function of the store, which is that of this query.
    /// @throws std::invalid_argument when it is of another one; what the allocator throws
    detail::FoundRows rows_of(const Core* core, const char* call, const char* of_another) const {
        if (core != core_) [[unlikely]]
            detail::throw_invalid_argument(of_another);
        return detail::find_rows(*core_, *plan_, call);
    }
    /// A query of this, after what `before` asks for.
    Query(Core& core, const detail::QueryPlan* before, const detail::QueryRequest& asked)
        : Query(core, before, detail::Slice<const detail::QueryRequest>{&asked, &asked + 1}) {}
    Query(Core& core, const detail::QueryPlan* before, detail::Slice<const detail::QueryRequest> asked)
        : core_(&core), plan_(core.plans.get(core.registry, before, asked)) {}
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
                .kind = Argument::up         ? Kind::up
                        : Argument::optional ? Kind::optional
                                             : Kind::with,
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
    /// This query with a term for each of these types.
    template <class... Xs>
    Query and_terms(Kind kind) const {
        const auto term = [&]<class X>(std::type_identity<X>) {
            const ComponentId id = id_of<X>(*core_);
            return detail::QueryRequest{.id = id, .find = id ? nullptr : find_later<X>, .kind = kind};
        };
        const detail::QueryRequest asked[] = {term(std::type_identity<std::remove_const_t<Xs>>())...};
        return Query(*core_, &*plan_, {asked, asked + sizeof...(Xs)});
    }
    static void expect_chunks() noexcept {
        static_assert(!Fetch::asks_ancestors, "Query: the value of an ancestor is in no array beside those of its descendants; "
                                              "walk by for_each or range-for, or leave up<X>(relation) out");
    }
    /// Calls f(plan, table, row) if the entity at this place matches; returns whether it does. For queries of a const store, of
    /// which a type was not registered when they were made.
    template <class F>
    SLOTWISE_NEVER_INLINE bool visit_late(EntityLocation at, F&& f) const {
        const Visiting late(*core_, *plan_);
        TableType& table = core_->table(at);
        if (!late->is_possible() || !late->plan().matches(*core_, table, at.row())) return false;
        f(late->plan(), table, at.row());
        return true;
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

    /// Calls f(table, columns, row) for each row, which is stamped before, in the order of key(table, columns, of, row).
    template <class MakeKey, class Before, class F>
    void walk_sorted(detail::QueryVisit& visit, MakeKey&& key, const Before& before, F&& f) const {
        using Key = std::remove_cvref_t<
            std::invoke_result_t<MakeKey&, TableType&, const std::int32_t*, const detail::QueryColumn*, size_type>>;
        const auto each_row = [&](auto&& add) {
            visit.for_each([&](Table& table, const std::int32_t* columns, detail::RowRuns runs) {
                runs.for_each([&](size_type first, size_type last) {
                    for (size_type row = first; row != last; ++row)
                        add(key(table, columns, visit.plan().columns.data(), row), table.entities()[row]);
                });
            });
        };
        const Table* entered = nullptr;
        const std::int32_t* columns = nullptr;
        const auto deliver = [&](Entity entity) {
            const EntityLocation at = *core_->location(entity);
            TableType& table = core_->table(at);
            if (&table != entered) columns = visit.columns_of(*(entered = &table));
            visit.plan().stamp(core_->tick, const_cast<Table&>(*entered), at.row(), at.row() + size_type{1});
            f(table, columns, size_type{at.row()});
        };
        if constexpr (detail::is_numbered<Key> && std::is_same_v<Before, detail::LessThan>) {
            auto& list = visit.numbered();
            each_row([&](Key value, Entity entity) { list.push_back({detail::number_for_order(value), entity}); });
            detail::sort_entities(list.data(), list.size());
            for (const detail::NumberedEntity& each : list) deliver(each.entity);
        } else {
            struct Keyed {
                Key key;
                Entity entity;
            };
            std::vector<Keyed> list;
            each_row([&](auto&& value, Entity entity) { list.push_back({static_cast<decltype(value)&&>(value), entity}); });
            std::sort(list.begin(), list.end(), [&](const Keyed& a, const Keyed& b) {
                if (before(a.key, b.key)) return true;
                return !before(b.key, a.key) && a.entity.index() < b.entity.index();
            });
            for (const Keyed& each : list) deliver(each.entity);
        }
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
    /// The same, only to be read: nothing is stamped. @throws as column()
    ConstAnySpan const_column(ComponentId id) const {
        const std::int32_t column = table_->column_of(id);
        if (column < 0) [[unlikely]]
            detail::throw_invalid_argument(
                "Query::Chunk::const_column(id): the entities have no values of this component in their table");
        const ConstAnySpan all = std::as_const(*table_).column(static_cast<size_type>(column));
        return {all.type(), all.data() == nullptr ? nullptr : all[first_], size()};
    }
    /// Calls f(i) for each row of the chunk in which a tracked component was changed after tick `since`, in ascending order;
    /// none if the entities do not have it. @throws std::invalid_argument when it is not tracked; what f throws
    /// @complexity linear in rows
    template <class F>
    void for_each_changed(ComponentId id, tick_t since, F&& f) const {
        const std::int32_t place = table_->place_of(id);
        if (place < 0) return;
        const TickColumn* const ticks = std::as_const(*table_).ticks(static_cast<size_type>(place));
        if (ticks == nullptr) [[unlikely]]
            detail::throw_invalid_argument(
                "Query::Chunk::for_each_changed: the component is not tracked; register it with the trait tracked");
        for (size_type row = first_; row != last_; ++row)
            if (ticks->changed_since(row, since)) f(row - first_);
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
            pointers_ = Fetch::pointers(*core_, table, cursor_.columns(), plan.columns.data(), row_);
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
