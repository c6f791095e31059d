// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a Query stands on, from the bottom up: QueryTerms are what it asks for, QueryPlan is what follows from them,
// QueryRowFilter, QueryWalk and QueryVisit find the rows that match, and QueryFetch hands the values of those rows to the
// caller. Types of components, and the caller's function, are known to QueryFetch only: what stands above it is compiled once.
#ifndef SLOTWISE_ECS_DETAIL_QUERY_WALK_HPP
#define SLOTWISE_ECS_DETAIL_QUERY_WALK_HPP

#include "../../core/detail/call_form.hpp"
#include "../../core/with.hpp"
#include "../component_registry.hpp"
#include "store_core.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <tuple>
#include <vector>

SLOTWISE_BEGIN

namespace detail {
struct QueryPlan;
}

/// What a query does with components: which ones it writes, reads, and filters by. Those of several queries can be joined to
/// that of a system. Two systems whose sets are without a conflict may run at the same time, see Query.
///     const QueryAccess access = store.query<Position, const Velocity>().exclude<Frozen>().access();
///     if (!conflicts(access, other)) ...
class QueryAccess {
public:
    /// Of a query that asks for nothing.
    QueryAccess() = default;

    /// Components whose values are given to f and not const, in ascending order.
    std::span<const ComponentId> writes() const noexcept { return writes_.span(); }
    /// Those whose values are const, also those of ancestors, and those of which it is asked when they changed.
    std::span<const ComponentId> reads() const noexcept { return reads_.span(); }
    /// All ids that decide which entities match or in which order they come, wildcards among them.
    std::span<const ComponentId> filters() const noexcept { return filters_.span(); }
    /// Adds what another query does, or what a function does beside its queries: see reading() and writing().
    /// @throws what the allocator throws; strong
    QueryAccess& add(const QueryAccess& other);
    /// Of what reads the values of one component or pair, pair(relation, any) among them. @throws what the allocator throws
    static QueryAccess reading(ComponentId id) {
        QueryAccess access;
        access.reads_.push_back(id);
        return access;
    }
    /// Of what writes them.
    static QueryAccess writing(ComponentId id) {
        QueryAccess access;
        access.writes_.push_back(id);
        return access;
    }
    /// Whether one of the two writes values that the other one reads or writes. Filters are in no conflict: structure does not
    /// change while queries walk. @complexity the product of their sizes
    friend bool conflicts(const QueryAccess& a, const QueryAccess& b) noexcept {
        return meets(a.writes_, b.writes_) || meets(a.writes_, b.reads_) || meets(a.reads_, b.writes_);
    }

private:
    friend detail::QueryPlan;
    static bool meets(const detail::PlainVector<ComponentId>& a, const detail::PlainVector<ComponentId>& b) noexcept;

    detail::PlainVector<ComponentId> writes_{}, reads_{}, filters_{};
};

namespace detail {

//=== terms ===//

/// What a term asks of an entity.
enum class QueryTermKind : std::uint8_t { with, without, optional, changed, added, either, up, cascade };

/// A term that is checked in each table or row. QueryTerms::tables() has what can be decided for a table by its ids alone.
struct QueryTerm {
    ComponentId id;
    QueryTermKind kind;
    bool sparse = false;   // a sparse component, or a pair of a sparse or switched relation: it is looked up for each row
    bool anywhere = false; // pairs of any relation, and some relations are sparse or switched: in the table or sparse
    bool toggle = false;
    std::uint32_t group = 0; // of `either`: one of the terms of this number is enough. They are neighbours
    tick_t since = 0;
};

/// The relation in which a query asks ancestors, and orders its walk.
struct QueryAncestors {
    ComponentId relation{};
    bool in_tables = true; // its pairs are components of tables
    bool switched = false;
    bool by_row = false; // rows of one table may have different parents
    friend bool operator==(const QueryAncestors&, const QueryAncestors&) = default;
};

/// Finds the id of a component type; null as long as the type is not registered.
using FindComponent = ComponentId (*)(const ComponentRegistry&) noexcept;

/// A component in the list of a query's types, or a term that is added.
struct QueryRequest {
    ComponentId id{};             // null: its type is not registered, and the store is const
    FindComponent find = nullptr; // of that type
    tick_t since = 0;             // of `up` the number of its relation
    QueryTermKind kind = QueryTermKind::with;
    bool value = false; // values of it are delivered
    bool constant = false;
    bool in_tables = false; // see QueryTerms::add
    friend bool operator==(const QueryRequest&, const QueryRequest&) = default;
};

/// A component whose values a query delivers.
struct QueryColumn {
    ComponentId id{};
    FindComponent find = nullptr; // of a query of a const store
    std::uint32_t place = 0;      // in QueryTerms::tables(), unless the component is optional
    bool optional = false;
    bool constant = false;
    bool sparse = false;
    bool toggle = false;
    bool stamps = false; // tracked, and not const
    QueryAncestors up{}; // whose value it is; without a relation that of the entity
};
using QueryColumns = Slice<const QueryColumn>;

/// The terms of a query: which ids a table must have, and what is checked beyond that.
class QueryTerms {
public:
    QueryTerms() = default;
    QueryTerms(const QueryTerms& other);
    QueryTerms(QueryTerms&&) noexcept = default;
    QueryTerms& operator=(const QueryTerms&) = default;
    QueryTerms& operator=(QueryTerms&&) noexcept = default;
    ~QueryTerms();

    /// Adds a term. @throws std::invalid_argument when the registry does not know the id, or when the term asks whether a
    /// component changed that is not tracked; what the allocator throws
    /// @param in_tables whether pairs of any relation are looked for in tables only
    void add(const ComponentRegistry& registry, ComponentId id, QueryTermKind kind, tick_t since = 0, bool in_tables = false);
    /// Adds a term whose type is not registered yet and cannot be, because the store is const.
    void add_late(FindComponent find, QueryTermKind kind, tick_t since = 0) { late_.push_back({find, kind, groups_, since}); }
    /// Terms of kind `either` that are added from now on are alternatives of each other.
    void begin_group() noexcept { ++groups_; }
    /// Adds the late terms whose types are registered by now. Returns false when no entity can match, because a term asks for
    /// a type that still is not registered.
    bool complete(const ComponentRegistry& registry);
    /// Whether no late term is left.
    bool is_complete() const noexcept { return late_.empty(); }

    /// The ids that a table must have, in ascending order.
    std::span<const ComponentId> tables() const noexcept { return tables_.span(); }
    /// Whether a table must have a pair whose target is an entity.
    bool names_entity() const noexcept;
    /// The named ids with the trait `hides`, ascending: tables with others of them do not match.
    std::span<const ComponentId> shown() const noexcept { return shown_.span(); }
    /// Whether tables match that no list of the store has: an optional component is among shown(), and not among tables().
    bool shows_more() const noexcept { return shows_more_; }
    /// The place of an id in tables().
    std::uint32_t place_of(ComponentId id) const noexcept {
        std::uint32_t place = 0;
        while (place != tables_.size() && tables_[place] < id) ++place;
        return place;
    }
    /// What is checked in each table that has these ids.
    const PlainVector<QueryTerm>& checked() const noexcept { return checked_; }
    /// Whether a term may leave out some rows of a table, or an optional component in some of its rows.
    bool by_row() const noexcept { return by_row_; }
    /// Whether a term asks for a sparse component, or a pair of a sparse or switched relation.
    bool by_entity() const noexcept { return by_entity_; }
    /// Whether a row satisfies what is checked in it. @pre its table has all of tables()
    bool accept(const StoreCore& core, const Table& table, std::size_t row) const;

    std::size_t memory_usage() const noexcept { return memory_of(tables_, shown_, checked_, late_); }

private:
    struct Late {
        FindComponent find;
        QueryTermKind kind;
        std::uint32_t group;
        tick_t since;
    };
    void add_checked(const QueryTerm& term);
    bool has_group(std::uint32_t group) const noexcept;

    PlainVector<ComponentId> tables_{}, shown_{};
    PlainVector<QueryTerm> checked_{};
    PlainVector<Late> late_{};
    std::uint32_t groups_ = 0;
    bool shows_more_ = false;
    bool by_row_ = false;
    bool by_entity_ = false;
};

/// Calls f(place) for each id of a table that is this one, or that this wildcard stands for, until f returns true. Returns
/// whether f did.
template <class F>
bool find_place(const Table& table, ComponentId id, F&& f) {
    if (!id.is_wildcard()) {
        const auto place = table.place_of(id);
        return place >= 0 && f(static_cast<std::size_t>(place));
    }
    const auto ids = table.ids();
    std::size_t place = ids.size();
    while (place != 0 && ids[place - 1].is_pair()) --place; // pairs come last
    for (; place != ids.size(); ++place)
        if (matches_id(id, ids[place]) && f(place)) return true;
    return false;
}

/// Whether a row has what a term names, and it is enabled.
bool has_enabled(const StoreCore& core, const QueryTerm& term, const Table& table, std::size_t row);

//=== plan ===//

/// A list of the tables that match. The store keeps it.
using QueryTables = ArchetypeTables::Query;

/// A pointer to that list, null until it was found. Several threads may read and set it at once.
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

/// The terms of a query, the components that it delivers, and what follows from both. It does not change once it is made, so
/// that queries may share it.
struct QueryPlan {
    QueryTerms terms{};
    PlainVector<QueryColumn> columns{}; // in the order of the query's types
    QueryTablesMemo memo{};
    bool kept = false;         // by the store: see QueryPlans
    bool complete = true;      // all types are known
    bool own_ids = false;      // the terms are components that a table has, or has not: no pairs, and no row is looked at
    bool whole_tables = false; // all rows of a table match or none, no row is stamped, and no value is looked up
    bool some_tables = false;  // of these, some tables are left out: see leaves_out()
    bool sparse = false;       // a component is sparse, or one of ancestors that differ from row to row
    bool stamps = false;       // a component is tracked and not const
    bool splits = false;       // an optional component may be there in one run of a table, and not in the next
    QueryAncestors order{};    // parents come before their children; without a relation the order is that of tables

    /// Adds what is asked for. @throws as QueryTerms::add
    void add(const ComponentRegistry& registry, Slice<const QueryRequest> asked);
    /// Computes what depends on all terms and columns.
    void bind() noexcept;
    /// Sets what a column of a type is that is registered, and adds its term.
    void set(const ComponentRegistry& registry, QueryColumn& column, ComponentId id);
    /// The list of tables; null if there is none, because the store is const, the query names an entity, or it shows_more().
    const QueryTables* tables(StoreCore& core) const {
        const QueryTables* const known = memo.get();
        return known != nullptr ? known : find_tables(core);
    }
    const QueryTables* tables(const StoreCore& core) const {
        const QueryTables* const known = memo.get();
        return known != nullptr ? known : find_tables(core);
    }
    /// Stamps the components that may be written in rows [first, last).
    void stamp(tick_t tick, Table& table, std::size_t first, std::size_t last) const {
        if (stamps) [[unlikely]]
            stamp_columns(tick, table, first, last);
    }
    /// Whether no row of a table of the list matches. @pre some_tables
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE bool leaves_out(const Table& table) const noexcept;
    /// Of a list: the first place from `place` on whose table has rows that match; SIZE_MAX if there is none.
    /// @pre whole_tables
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE std::size_t next_table(const QueryTables& tables, std::size_t place) const noexcept;
    /// How many rows of the tables match. @pre whole_tables
    std::size_t count(const QueryTables& tables) const noexcept;
    /// The entity of the first row; null if there is none. @pre whole_tables
    Entity first(const QueryTables& tables) const noexcept;
    /// Whether a row matches. @pre complete
    SLOTWISE_ALWAYS_INLINE bool matches(const StoreCore& core, const Table& table, std::size_t row) const {
        if (!own_ids) [[unlikely]]
            return matches_slowly(core, table, row);
        if (table.is_hidden_from(terms.shown())) return false;
        for (const ComponentId id : terms.tables())
            if (!table.contains_own(id)) return false;
        for (const QueryTerm& term : terms.checked())
            if (table.contains_own(term.id)) return false;
        return true;
    }
    /// @throws std::invalid_argument when a component is sparse
    void expect_arrays() const;
    /// @throws what the allocator throws
    QueryAccess access() const;
    std::size_t memory_usage() const noexcept { return memory_of(terms, columns); }

private:
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE const QueryTables* find_tables(StoreCore& core) const;
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE const QueryTables* find_tables(const StoreCore& core) const;
    void stamp_columns(tick_t tick, Table& table, std::size_t first, std::size_t last) const;
    void follow(const ComponentRegistry& registry, ComponentId relation);
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE bool matches_slowly(const StoreCore& core, const Table& table, std::size_t row) const;
};

/// The plan of a query: one of the store's, or one that queries own together.
class QueryPlanRef {
public:
    /// One of the store's.
    explicit QueryPlanRef(const QueryPlan& kept) noexcept : plan_(&kept) {}
    /// Takes a plan that nobody owns yet.
    struct Own : QueryPlan {
        mutable std::atomic<std::uint32_t> references{1};
    };
    explicit QueryPlanRef(const Own* own) noexcept : plan_(own), own_(own) {}
    // No move: what was moved from is still a query.
    QueryPlanRef(const QueryPlanRef& other) noexcept : plan_(other.plan_), own_(other.own_) {
        if (own_ != nullptr) own_->references.fetch_add(1, std::memory_order_relaxed);
    }
    QueryPlanRef& operator=(const QueryPlanRef& other) noexcept {
        QueryPlanRef copy(other);
        std::swap(plan_, copy.plan_);
        std::swap(own_, copy.own_);
        return *this;
    }
    QueryPlanRef& operator=(QueryPlanRef&& other) noexcept { return *this = std::as_const(other); }
    SLOTWISE_ALWAYS_INLINE ~QueryPlanRef() {
        if (own_ != nullptr) [[unlikely]]
            release(own_);
    }
    const QueryPlan& operator*() const noexcept { return *plan_; }
    const QueryPlan* operator->() const noexcept { return plan_; }

private:
    SLOTWISE_INLINE SLOTWISE_COLD static void release(const Own* own) noexcept;

    const QueryPlan* plan_;
    const Own* own_ = nullptr;
};

//=== order ===//

/// Whether values of T are sorted themselves, and not by their addresses: sorting 1e5 rows by a float takes half the time then.
template <class T>
inline constexpr bool is_sort_key = std::is_trivially_copyable_v<T> && std::is_copy_assignable_v<T> && sizeof(T) <= 16;

/// Compares by <. (std::less takes <functional>.)
struct LessThan {
    template <class T>
    bool operator()(const T& a, const T& b) const {
        return a < b;
    }
};

/// An entity and a number that it is sorted by; among equal ones by its index, which no other living entity has.
struct NumberedEntity {
    std::uint64_t key;
    Entity entity;
};
/// Sorts them, without other memory.
void sort_entities(NumberedEntity* first, std::size_t count) noexcept;

/// A number in whose order are the numbers of a type: -0.0 is 0.0, and a NaN comes last.
template <class Number>
    requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>)
std::uint64_t number_for_order(Number value) noexcept {
    constexpr std::uint64_t top = std::uint64_t{1} << 63;
    if constexpr (std::is_enum_v<Number>)
        return number_for_order(static_cast<std::underlying_type_t<Number>>(value));
    else if constexpr (std::is_floating_point_v<Number>) {
        const auto wide = static_cast<double>(value);
        if (wide != wide) return ~std::uint64_t{0};
        const auto bits = std::bit_cast<std::uint64_t>(wide + 0.0); // -0.0 + 0.0 is 0.0
        return (bits & top) != 0 ? ~bits : bits | top;
    } else if constexpr (std::is_signed_v<Number>)
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) ^ top;
    else
        return static_cast<std::uint64_t>(value);
}
/// Whether each value of T has a number_for_order() of its own.
template <class T>
inline constexpr bool is_numbered = (std::is_arithmetic_v<T> || std::is_enum_v<T>)&&sizeof(T) <= 8;

//=== rows ===//

/// Rows [first, last) of a table.
struct RowRun {
    std::size_t first, last;
};
/// Some runs of rows: a list of where each begins and ends, or the rows that are set in a column of bits. These are not written
/// down, because that and to read them takes as long as half a row.
class RowRuns {
public:
    RowRuns(const slot_t* edges, std::size_t size) noexcept : edges_(edges), size_(size) {}
    RowRuns(const BitSource& bits, std::size_t rows) noexcept : bits_(&bits), size_(rows) {}

    /// Calls f(first, last) for each run.
    template <class F>
    void for_each(F&& f) const {
        if (bits_ != nullptr) return slotwise::for_each_run(size_, include(*bits_), exclude(), f);
        for (std::size_t i = 0; i != size_; ++i) f(std::size_t{edges_[2 * i]}, std::size_t{edges_[2 * i + 1]});
    }

private:
    const slot_t* edges_ = nullptr;
    const BitSource* bits_ = nullptr; // null: a list
    std::size_t size_;                // of rows, or of the list
};

/// Whom a walk calls with rows that match. @invalidates itself when the function dies that it was made of
class QuerySink {
public:
    /// Calls f(table, columns, runs), with some runs of a table and for each of QueryTerms::tables() its column there.
    template <class F>
    explicit QuerySink(F& f) noexcept
        : function_(&f), call_([](void* function, Table& table, const std::int32_t* columns, RowRuns runs) {
              (*static_cast<F*>(function))(table, columns, runs);
          }) {}
    void operator()(Table& table, const std::int32_t* columns, RowRuns runs) const { call_(function_, table, columns, runs); }

private:
    void* function_;
    void (*call_)(void*, Table&, const std::int32_t*, RowRuns);
};

class QueryRunBuffer; // in the bodies

/// A term that asks for a sparse component, for a target of a switched relation, or for one or any target of a sparse one.
class QuerySparseTerm {
public:
    QuerySparseTerm(const SparseComponents& sparse, const QueryTerm& term) noexcept
        : wanted_(term.kind == QueryTermKind::with) {
        if (!term.id.is_pair()) {
            column_ = sparse.column(term.id.number());
            return;
        }
        const SparsePairs* const pairs = sparse.pairs(term.id.relation_number());
        if (!term.id.has_any_target()) {
            pairs_ = pairs;
            targets_ = sparse.targets(term.id.relation_number());
            target_ = ComponentIdParts::target_of(term.id);
        } else if (pairs != nullptr)
            column_ = &pairs->entities(SparsePairs::by_source);
    }

    /// Whether entities must have it; otherwise they must not.
    bool wanted() const noexcept { return wanted_; }
    /// Whether the entity satisfies the term.
    bool accepts(Entity entity) const noexcept {
        if (column_ != nullptr) return column_->contains(entity) == wanted_;
        if (pairs_ != nullptr) return (pairs_->find(entity, target_) != no_slot) == wanted_;
        const Entity* const target = targets_ == nullptr ? nullptr : targets_->get(entity);
        return (target != nullptr && *target == target_) == wanted_;
    }
    /// Those of these rows of a word whose entities satisfy the term. @param entities of the word's rows
    bits::word_t accepted(const Entity* entities, bits::word_t rows) const noexcept {
        for (bits::word_t left = rows; left != 0; left &= left - 1)
            if (const unsigned row = bits::lowest(left); !accepts(entities[row])) rows &= ~bits::bit_of(row);
        return rows;
    }
    /// How many entities have it.
    std::size_t count() const {
        if (column_ != nullptr) return column_->size();
        if (pairs_ != nullptr) return pairs_->count(SparsePairs::by_target, target_);
        return targets_ == nullptr ? 0 : targets_->count(target_);
    }
    /// Calls f(entity) for each entity that has it.
    template <class F>
    void for_each(F&& f) const {
        if (column_ != nullptr) std::as_const(*column_).for_each([&](Entity entity, const void*) { f(entity); });
        union Room { // not initialised, as a walk over five rows would notice
            Room() noexcept {}
            Entity entities[64];
        } room;
        slot_t next = pairs_ == nullptr ? no_slot : pairs_->first(SparsePairs::by_target, target_);
        std::span<const Entity> some = targets_ == nullptr ? std::span<const Entity>() : targets_->of(target_);
        do { // f is called in two places, as more would not be inlined
            if (next != no_slot) some = pairs_->gather_sources(next, room.entities);
            for (const Entity entity : some) f(entity);
        } while (next != no_slot);
    }

private:
    const SparseColumn* column_ = nullptr; // of a component, or of those that have any pair of a sparse relation
    const SparseComponents::Targets* targets_ = nullptr;
    const SparsePairs* pairs_ = nullptr;
    Entity target_{}; // of targets_ or pairs_
    bool wanted_;
};

/// Which rows of a table satisfy the terms that a query checks row by row.
class QueryRowFilter {
public:
    /// Of these terms from now on.
    void begin(const StoreCore& core, const PlainVector<QueryTerm>& terms);
    /// Goes to a table. Returns false when no row of it satisfies the terms. @pre it has all of QueryTerms::tables()
    bool enter(const Table& table);
    /// The wanted sparse term that the fewest entities satisfy; null if there is none.
    const QuerySparseTerm* rarest() const;
    /// Whether row `row` of the table satisfies all terms.
    bool accepts(std::size_t row) const;
    /// Whether every row satisfies all terms if its entity satisfies the only sparse one.
    bool is_one_sparse_term() const noexcept {
        return sparse_.size() == 1 && with_.empty() && without_.empty() && ticks_.empty() && looked_up_.empty();
    }
    /// Adds the runs of rows that satisfy all terms, in ascending order.
    void add_runs(QueryRunBuffer& runs) const;
    std::size_t memory_usage() const noexcept { return memory_of(sparse_, with_, without_, split_, ticks_, looked_up_); }

private:
    struct Ticks {
        const TickColumn* column;
        tick_t since;
        bool added;
    };
    using Term = const QueryTerm*;

    void add_word(std::size_t word, bits::word_t rows, QueryRunBuffer& runs) const;
    bool enter(const Table& table, const QueryTerm& term);
    bool enter_group(const Table& table, Slice<const QueryTerm> all);
    bool accepts_beyond_bits(std::size_t row) const;
    bool has_any(Slice<const QueryTerm> terms, std::size_t row) const;

    const StoreCore* core_ = nullptr;
    const PlainVector<QueryTerm>* terms_ = nullptr;
    PlainVector<QuerySparseTerm> sparse_{};
    // What follows is about the table that was entered.
    const Table* table_ = nullptr;
    PlainVector<BitSource> with_{}, without_{}, split_{}; // split_: an optional component is disabled in some rows
    PlainVector<Ticks> ticks_{};
    // Wildcards and alternatives that are not decided for the whole table.
    PlainVector<Slice<const QueryTerm>> looked_up_{};
};

//=== walk ===//

/// Forbids changes of structure in a store as long as it lives.
class QueryWalkScope {
public:
    explicit QueryWalkScope(const StoreCore& core) noexcept : core_(&core), alone_(core.begin_walk()) {}
    QueryWalkScope(QueryWalkScope&& other) noexcept : core_(std::exchange(other.core_, nullptr)), alone_(other.alone_) {}
    QueryWalkScope& operator=(QueryWalkScope&& other) noexcept {
        std::swap(core_, other.core_);
        std::swap(alone_, other.alone_);
        return *this;
    }
    SLOTWISE_ALWAYS_INLINE ~QueryWalkScope() {
        if (core_ != nullptr) core_->end_walk();
    }
    const StoreCore& core() const noexcept { return *core_; }
    /// See StoreCore::begin_walk.
    bool is_alone() const noexcept { return alone_; }

private:
    const StoreCore* core_;
    bool alone_;
};

/// Where the parent of a row in a relation is: its first target that is an entity and whose pair is enabled. It has no row if
/// there is none, or it is not spawned yet.
EntityLocation query_parent(const StoreCore& core, const Table& table, std::size_t row, const QueryAncestors& in);
/// The value of this component that the nearest ancestor of a row has, and has enabled; null if there is none. The row itself
/// is not asked, unless it is its own ancestor: those that go in a circle are asked until one comes back, and all rows of a
/// table have the same ones.
const void* query_up(const StoreCore& core, const Table& table, std::size_t row, const QueryColumn& of);

/// How deep rows are below those without a parent: one more than their parent. All rows of a table are equally deep, unless
/// QueryAncestors::by_row. Of ancestors that go in a circle, the one that is reached first counts as a root.
class QueryDepths {
public:
    /// In this relation from now on.
    void begin(const StoreCore& core, const QueryAncestors& in);
    /// From 1. @throws what the allocator throws @complexity amortised O(1) parents
    std::uint32_t of(EntityLocation at);
    /// The greatest there was.
    std::uint32_t deepest() const noexcept { return deepest_; }
    /// Forgets all, and frees memory that a small walk does not need.
    void end() noexcept;
    std::size_t memory_usage() const noexcept { return memory_of(depths_, begins_, path_); }

private:
    static constexpr std::uint32_t on_path = ~0u;
    std::size_t place_of(EntityLocation at);

    const StoreCore* core_ = nullptr;
    QueryAncestors in_{};
    PlainVector<std::uint32_t> depths_{}; // of a table, or of its rows; 0: unknown
    PlainVector<std::size_t> begins_{};   // for each table by its number: 1 + its place in depths_; 0: it has none yet
    PlainVector<std::size_t> path_{};     // places in depths_, from a row to its ancestors
    std::uint32_t deepest_ = 0;
};

/// The runs of rows that a query matches, in steps. A step is a table, in the order of ArchetypeTables, or all entities that
/// have the rarest sparse component. Where parents come before children, tables are in the order of their depth; if the depth
/// is one of rows, there is one step. It reads the store alone, which may be const; tables are handed out as those of one that
/// is not, and the query, which knows, makes them const again.
class QueryWalk {
public:
    QueryWalk();
    QueryWalk(const QueryWalk&) = delete;
    QueryWalk& operator=(const QueryWalk&) = delete;
    ~QueryWalk();

    /// To the first step of a walk. @param cached the tables that match; null: they are searched for
    /// @param order in which parents come first; without a relation tables come as they are
    void begin(const StoreCore& core, const QueryTerms& terms, const QueryTables* cached, const QueryAncestors& order = {});
    /// Frees memory that a small walk does not need.
    void end() noexcept;
    /// Calls the sink for the runs of the next step; returns false when there is none. The columns are valid until the sink
    /// returns, and as long as the list of tables if keeps_columns().
    bool next(const QuerySink& sink);
    /// Whether columns outlive the step.
    bool keeps_columns() const noexcept { return drive_ == Drive::matches; }
    /// The columns of a table that matches, valid until the next call or step.
    const std::int32_t* columns(const Table& table) {
        look_up(table);
        return columns_.data();
    }
    std::size_t memory_usage() const noexcept { return memory_of(filter_, columns_, depths_, ordered_, counts_); }

private:
    enum class Drive : std::uint8_t { matches, tables, entities, ordered };
    // A table, or a row of it.
    struct Ordered {
        Table* table;
        const std::int32_t* columns; // null: they are looked up
        std::uint32_t row, depth;
    };
    using Index = ArchetypeTables::Index;

    void enter(Table& table, const std::int32_t* columns, const QuerySink& sink);
    void visit_entities(const QuerySink& sink);
    bool look_up(const Table& table);
    bool choose_entities(const QueryTables* cached);
    void choose_tables();
    void choose_order(const QueryAncestors& in);
    void sort_by_depth();
    void visit_ordered_rows(const QuerySink& sink);

    const StoreCore* core_ = nullptr;
    const QueryTerms* terms_ = nullptr;
    QueryRowFilter filter_{};
    Drive drive_ = Drive::entities;
    decltype(std::declval<const QueryTables&>().begin()) match_{}, end_of_matches_{};
    Index::Tables::iterator table_{}, end_of_tables_{};
    const QuerySparseTerm* rarest_ = nullptr; // of the filter, if its entities are walked
    bool visited_ = false;
    bool by_row_ = false; // what is ordered are rows
    PlainVector<std::int32_t> columns_{};
    QueryDepths depths_{};
    PlainVector<Ordered> ordered_{};
    PlainVector<std::size_t> counts_{}; // of each depth: where the next one of it goes
    std::size_t next_ordered_ = 0;
};

/// A walk of a query, whose types may have been registered after the query was made. The store keeps those that are not in use,
/// with their memory: see QueryVisiting.
class QueryVisit {
public:
    QueryVisit();
    QueryVisit(const QueryVisit&) = delete;
    QueryVisit& operator=(const QueryVisit&) = delete;
    ~QueryVisit();

    /// @throws what the allocator throws
    void begin(const StoreCore& core, const QueryPlan& plan, const QueryTables* tables);
    /// Forgets what it was about, and memory that a small walk does not need.
    void end() noexcept;

    const QueryPlan& plan() const noexcept { return *plan_; }
    /// Whether an entity can match: no type is missing that it must have.
    bool is_possible() const noexcept { return possible_; }
    bool keeps_columns() const noexcept { return walk_.keeps_columns(); }
    const std::int32_t* columns_of(const Table& table) { return walk_.columns(table); }
    /// The memory of a walk in an order of its own.
    PlainVector<NumberedEntity>& numbered() noexcept { return numbered_; }
    /// As QueryWalk::next().
    bool next(const QuerySink& sink) { return possible_ && walk_.next(sink); }
    /// Calls sink(table, columns, runs) for all rows.
    template <class F>
    void for_each(F&& f) {
        walk(QuerySink(f));
    }
    /// How many rows match.
    std::size_t count();
    /// The entity of the first row; null if there is none.
    Entity first();

    /// A run of a walk by iterator.
    struct Run {
        Table* table;
        const std::int32_t* columns;
        RowRun rows;
    };
    /// The next run, of this step of the walk or of a later one; null if there is none. It is valid until the next call. Where
    /// rows are stamped or values looked up it is one row, so that the caller's loop over a run does nothing but that.
    /// @throws what the allocator throws
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE const Run* next_run();
    std::size_t memory_usage() const noexcept;

private:
    void walk(const QuerySink& sink);
    void complete(const StoreCore& core);

    std::vector<QueryPlan> late_{}; // one, if there is one: it knows types that were registered since the query was made
    bool find_run();

    const StoreCore* core_ = nullptr;
    const QueryPlan* plan_ = nullptr;
    QueryWalk walk_{};
    bool possible_ = true; // false: a type is not registered, so that no entity matches
    // By iterator.
    PlainVector<Run> runs_{}; // of the step of the walk
    std::size_t next_ = 0;    // of runs_
    Run run_{};               // what next_run() returns
    std::size_t last_ = 0;    // of the rows that run_ is one of
    PlainVector<NumberedEntity> numbered_{};
};

/// A walk: a QueryVisit of the store, and structure does not change, as long as it lives.
class QueryVisiting {
public:
    /// @throws what the allocator throws
    template <class Core>
    SLOTWISE_ALWAYS_INLINE QueryVisiting(Core& core, const QueryPlan& plan)
        : scope_(core), visit_(take(core, scope_.is_alone(), plan, plan.complete ? plan.tables(core) : nullptr)) {}
    /// A walk without a QueryVisit, if all rows of tables of a list are walked. @param tables that list; else null
    template <class Core>
    SLOTWISE_ALWAYS_INLINE QueryVisiting(Core& core, const QueryPlan& plan, const QueryTables*& tables)
        : scope_(core), visit_(nullptr) {
        tables = plan.complete ? plan.tables(core) : nullptr;
        if (plan.whole_tables && tables != nullptr) [[likely]]
            return;
        visit_ = take(core, scope_.is_alone(), plan, std::exchange(tables, nullptr));
    }
    QueryVisiting(QueryVisiting&& other) noexcept
        : scope_(std::move(other.scope_)), visit_(std::exchange(other.visit_, nullptr)) {}
    QueryVisiting& operator=(QueryVisiting&& other) noexcept {
        scope_ = std::move(other.scope_);
        std::swap(visit_, other.visit_);
        return *this;
    }
    SLOTWISE_ALWAYS_INLINE ~QueryVisiting() {
        if (visit_ != nullptr) give_back(scope_.core(), scope_.is_alone(), visit_);
    }
    QueryVisit& operator*() const noexcept { return *visit_; }
    QueryVisit* operator->() const noexcept { return visit_; }

private:
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE static QueryVisit* take(const StoreCore& core, bool alone, const QueryPlan& plan,
                                                                  const QueryTables* tables);
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE static void give_back(const StoreCore& core, bool alone, QueryVisit* visit) noexcept;

    QueryWalkScope scope_;
    QueryVisit* visit_;
};

/// Writes down the rows that a query matches. The walk has ended then, so that they may change.
/// Throws what the allocator throws
FoundRows find_rows(StoreCore& core, const QueryPlan& plan, const char* call);

/// The row at which a walk by iterator is. What is said of the run is kept in registers, because no function is given the
/// address of this object: each takes values, and what is less simple is behind visit_.
class QueryCursor {
public:
    /// @throws what the allocator throws
    template <class Core>
    SLOTWISE_ALWAYS_INLINE QueryCursor(Core& core, const QueryPlan& plan) : visit_(core, plan, tables_), plan_(&plan) {
        if (tables_ == nullptr) plan_ = &visit_->plan();
        next_run();
    }
    QueryCursor(QueryCursor&&) noexcept = default;
    QueryCursor& operator=(QueryCursor&&) noexcept = default;
    SLOTWISE_ALWAYS_INLINE ~QueryCursor() = default;
    /// Whether there is no row any more.
    bool at_end() const noexcept { return table_ == nullptr; }
    Table& table() const noexcept { return *table_; }
    const std::int32_t* columns() const noexcept { return columns_; }
    std::size_t row() const noexcept { return row_; }
    std::size_t last() const noexcept { return last_; }
    const QueryPlan& plan() const noexcept { return *plan_; }
    /// Goes to the first row of the next run. @throws what the allocator throws
    SLOTWISE_ALWAYS_INLINE void next_run() {
        if (tables_ != nullptr) [[likely]] {
            const std::size_t place = plan_->next_table(*tables_, place_);
            if (place == static_cast<std::size_t>(-1)) return static_cast<void>(table_ = nullptr);
            const auto match = tables_->at(place);
            place_ = place + 1;
            return enter({match.table, match.columns, {0, match.table->size()}});
        }
        if (const QueryVisit::Run* const run = visit_->next_run())
            enter(*run);
        else
            table_ = nullptr;
    }

private:
    SLOTWISE_ALWAYS_INLINE void enter(const QueryVisit::Run& run) noexcept {
        table_ = run.table;
        columns_ = run.columns;
        row_ = run.rows.first;
        last_ = run.rows.last;
    }

    const QueryTables* tables_ = nullptr; // whose rows are all walked; null: see visit_
    std::size_t place_ = 0;               // in tables_
    QueryVisiting visit_;
    const QueryPlan* plan_;
    // Of the run.
    Table* table_ = nullptr;
    const std::int32_t* columns_ = nullptr;
    std::size_t row_ = 0, last_ = 0;
};

/// What Query::for_each_pair walks, one after the other: the pairs in tables, and those of each sparse or switched relation
/// that has any.
/// @throws std::invalid_argument when it is no pair, or its relation is unknown, and what the allocator throws
PlainVector<ComponentId> query_pair_parts(const StoreCore& core, ComponentId asked);

//=== values ===//

/// A component type as it is written in Query<Store, Ts...>.
template <class T>
struct QueryArgument {
    static constexpr bool sound = std::is_object_v<T> && !std::is_volatile_v<T>;
    using value = std::conditional_t<sound, T, std::remove_cvref_t<T>>;
    using component = component_type<value>;
    using reference = value&; // what the caller's function gets
    static constexpr bool optional = false, up = false, constant = std::is_const_v<value> || is_tag_type<component>;
    // Last, because clang reads no further, and what is missing then is an error of its own.
    static_assert(sound, "query<Ts...>(): a component is named as T, or as const T if it is only read; without a reference");
};
template <class T>
struct QueryArgument<Optional<T>> : QueryArgument<T> {
    static_assert(!is_tag_type<std::remove_const_t<T>>, "optional<X>(): X is a tag and has no value; ask store.has<X>(entity)");
    using reference = T*;
    static constexpr bool optional = true;
};
template <class T>
struct QueryArgument<Up<T>> : QueryArgument<T> {
    using reference = T*;
    static constexpr bool optional = true, up = true;
    static_assert(!is_tag_type<std::remove_const_t<T>>,
                  "up<X>(relation): X is a tag and has no value; ask store.has<X>(entity)");
    static_assert(std::is_const_v<T>,
                  "up<X>(relation): many entities share the X of an ancestor; name it const, as in up<const X>(relation)");
};

template <class Done, class... Ts>
struct QueryValues {
    using type = Done;
};
template <class... Done, class T, class... Ts>
struct QueryValues<TypeList<Done...>, T, Ts...>
    : std::conditional_t<is_tag_type<typename QueryArgument<T>::component>, QueryValues<TypeList<Done...>, Ts...>,
                         QueryValues<TypeList<Done..., T>, Ts...>> {};
/// The list of those Ts that are no tags, in their order: a tag has no value to deliver.
template <class... Ts>
using query_values = typename QueryValues<TypeList<>, Ts...>::type;

/// The values of a component in a table, from row 0 on. `data` of an optional one may be null.
template <class V>
struct QueryPointer {
    using value = typename QueryArgument<V>::value;
    value* data;
    SLOTWISE_ALWAYS_INLINE typename QueryArgument<V>::reference operator[](std::size_t row) const noexcept {
        if constexpr (QueryArgument<V>::up)
            return data; // one for all rows
        else if constexpr (QueryArgument<V>::optional)
            return data == nullptr ? nullptr : data + row;
        else
            return data[row];
    }
};

/// A table of a store that is const or not.
template <class Core>
using table_of = std::conditional_t<std::is_const_v<Core>, const Table, Table>;

/// How the values of a query's components get from tables to the caller's function.
/// @tparam Values query_values<Ts...>
template <class Values>
struct QueryFetch;
template <class... Vs>
struct QueryFetch<TypeList<Vs...>> {
    static constexpr std::size_t count = sizeof...(Vs);
    static constexpr std::index_sequence_for<Vs...> indices{};
    static constexpr bool asks_ancestors = (QueryArgument<Vs>::up || ...);
    using Columns = std::array<QueryColumn, count>;
    using Pointers = std::tuple<QueryPointer<Vs>...>;
    template <std::size_t Nth>
    using Value = std::tuple_element_t<Nth, std::tuple<Vs...>>;
    using Row = std::tuple<typename QueryArgument<Vs>::reference...>;
    using EntityRow = std::tuple<Entity, typename QueryArgument<Vs>::reference...>;

    /// The values of one component. @param first the row in which an optional component must be enabled
    template <class V, class Core, class TableType>
    SLOTWISE_ALWAYS_INLINE static QueryPointer<V> pointer([[maybe_unused]] Core& core, TableType& table,
                                                          const std::int32_t* columns, const QueryColumn& of,
                                                          std::size_t first) {
        using component = typename QueryArgument<V>::component;
        if constexpr (QueryArgument<V>::up)
            return {static_cast<const component*>(of.id ? query_up(core, table, first, of) : nullptr)};
        else if constexpr (QueryArgument<V>::optional)
            return {optional_data<component>(table, of, first)};
        else
            return {table.template data<component>(static_cast<std::size_t>(columns[of.place]))};
    }
    /// The values of all components. @pre none is sparse
    template <class Core, class TableType>
    SLOTWISE_ALWAYS_INLINE static Pointers pointers(Core& core, TableType& table, const std::int32_t* columns,
                                                    const QueryColumn* of, std::size_t first) {
        return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            return Pointers{pointer<Vs>(core, table, columns, of[Nth], first)...};
        }(indices);
    }
    /// The values of one row, in which components may be sparse, as arrays of one value.
    template <class Core, class TableType>
    static Pointers values(Core& core, TableType& table, const std::int32_t* columns, const QueryColumn* of, std::size_t row) {
        return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            return Pointers{QueryPointer<Vs>{value<Vs>(core, table, columns, of[Nth], row)}...};
        }(indices);
    }
    /// The address of one value, which is looked up if it is sparse; null if an optional component is missing.
    template <class V, class Core, class TableType>
    static auto* value(Core& core, TableType& table, const std::int32_t* columns, const QueryColumn& of, std::size_t row) {
        using value = typename QueryArgument<V>::value;
        if constexpr (!QueryArgument<V>::up)
            if (of.sparse) return static_cast<value*>(core.sparse.get_component(table.entities()[row], of.id));
        const auto at = pointer<V>(core, table, columns, of, row);
        if constexpr (QueryArgument<V>::up)
            return static_cast<value*>(at.data);
        else
            return at.data == nullptr ? nullptr : static_cast<value*>(at.data) + row;
    }
    /// The same as f gets it.
    template <class V, class Core, class TableType>
    static typename QueryArgument<V>::reference look_up(Core& core, TableType& table, const std::int32_t* columns,
                                                        const QueryColumn& of, std::size_t row) {
        auto* const found = value<V>(core, table, columns, of, row);
        if constexpr (QueryArgument<V>::optional)
            return found;
        else
            return *found;
    }

    /// Calls f(values...), or f(entity, values...) if the first parameter of f is an Entity. If f takes both, it gets
    /// the values only.
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
    /// Calls f for rows [first, last) of a table. The pointers are parameters and not members, so that the compiler keeps them
    /// in registers and sees an array in each. @pre no component is sparse
    template <class F, class Core, class TableType>
    SLOTWISE_ALWAYS_INLINE static void each_row(F& f, Core& core, TableType& table, const std::int32_t* columns,
                                                const QueryColumn* of, std::size_t first, std::size_t last) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            loop(f, table.entities().data(), first, last, pointer<Vs>(core, table, columns, of[Nth], first)...);
        }(indices);
    }
    /// The same for the rows of some runs, which are stamped before, run by run. Components may be sparse. A run of one row is
    /// not looped over: the prologue of a vectorised loop takes three times as long as the row.
    template <class F, class Core>
    static void each_run(F& f, Core& core, const QueryVisit& visit, Table& table, const std::int32_t* columns,
                         const RowRuns& runs) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            const QueryPlan& plan = visit.plan();
            const QueryColumn* const of = plan.columns.data();
            table_of<Core>& rows = table;
            const Entity* const entities = table.entities().data();
            const auto walk_run = [&f, entities](std::size_t first, std::size_t last, auto... pointers) {
                if (last - first == 1) return call(f, entities, first, pointers[first]...);
                loop(f, entities, first, last, pointers...);
            };
            if (!plan.sparse && !plan.stamps && !plan.splits)
                return [&](auto... pointers) {
                    runs.for_each([=](std::size_t first, std::size_t last) { walk_run(first, last, pointers...); });
                }(pointer<Vs>(core, rows, columns, of[Nth], 0)...);
            runs.for_each([&](std::size_t first, std::size_t last) {
                plan.stamp(core.tick, table, first, last);
                if (!plan.sparse) return walk_run(first, last, pointer<Vs>(core, rows, columns, of[Nth], first)...);
                for (std::size_t row = first; row != last; ++row)
                    call(f, entities, row, look_up<Vs>(core, rows, columns, of[Nth], row)...);
            });
        }(indices);
    }
    /// Calls f(spans...), or f(entities, spans...), for rows [first, last) at once. @pre no component is sparse
    template <class F, class Core, class TableType>
    static void each_span(F& f, Core& core, TableType& table, const std::int32_t* columns, const QueryColumn* of,
                          std::size_t first, std::size_t last) {
        const std::span<const Entity> entities = table.entities().subspan(first, last - first);
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            call_spans(f, entities, span_of(pointer<Vs>(core, table, columns, of[Nth], first), first, last)...);
        }(indices);
    }
    /// Calls f(entity, values...) for one row. Components may be sparse.
    template <class F, class Core, class TableType>
    static void row_with_entity(F&& f, Core& core, TableType& table, const std::int32_t* columns, const QueryColumn* of,
                                std::size_t row) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            f(table.entities()[row], look_up<Vs>(core, table, columns, of[Nth], row)...);
        }(indices);
    }
    /// Puts the values there of one row that matches, whose columns are looked up.
    template <class Core, class TableType>
    SLOTWISE_ALWAYS_INLINE static void row(std::optional<Row>& to, Core& core, TableType& table, const QueryColumn* of,
                                           std::size_t row) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            to.emplace(look_up_own<Vs>(core, table, of[Nth], row)...);
        }(indices);
    }
    /// What a key is made of: a value that is only read.
    template <class V>
    using KeyArgument = std::conditional_t<QueryArgument<V>::optional, const typename QueryArgument<V>::component*,
                                           const typename QueryArgument<V>::component&>;
    /// Calls by(values...), or by(entity, values...), for one row, and returns what it returns. Components may be sparse.
    template <class By, class Core, class TableType>
    static decltype(auto) key_of_row(By& by, Core& core, TableType& table, const std::int32_t* columns, const QueryColumn* of,
                                     std::size_t row) {
        constexpr CallForm form = call_form<By, Entity, KeyArgument<Vs>...>;
        static_assert(form != CallForm::none,
                      "Query::for_each_sorted(by, f): by takes a const T& for each component of the query in their order "
                      "(const X* of an optional one, nothing of a tag), and before them an Entity if it wants to");
        return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) -> decltype(auto) {
            if constexpr (form == CallForm::named)
                return by(table.entities()[row],
                          static_cast<KeyArgument<Vs>>(look_up<Vs>(core, table, columns, of[Nth], row))...);
            else
                return by(static_cast<KeyArgument<Vs>>(look_up<Vs>(core, table, columns, of[Nth], row))...);
        }(indices);
    }
    /// Calls f as for_each does for one row. Components may be sparse.
    template <class F, class Core, class TableType>
    static void each_one(F& f, Core& core, TableType& table, const std::int32_t* columns, const QueryColumn* of,
                         std::size_t row) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            call(f, table.entities().data(), row, look_up<Vs>(core, table, columns, of[Nth], row)...);
        }(indices);
    }
    /// The values of rows [first, last).
    template <class V>
    static auto span_of(const QueryPointer<V>& of, std::size_t first, std::size_t last) noexcept {
        using Span = std::span<typename QueryPointer<V>::value>;
        return of.data == nullptr ? Span() : Span(of.data + first, last - first);
    }
    /// Calls f(i, std::type_identity<V>()) for each component.
    template <class F>
    static void for_each_value(F&& f) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) { (f(Nth, std::type_identity<Vs>()), ...); }(indices);
    }
    /// The place of component X; `count` if it is none.
    template <class X>
    static constexpr std::size_t number_of() {
        const bool is[] = {std::is_same_v<typename QueryArgument<Vs>::component, X>..., true};
        std::size_t i = 0;
        while (!is[i]) ++i;
        return i;
    }

private:
    template <class V, class Core, class TableType>
    SLOTWISE_ALWAYS_INLINE static typename QueryArgument<V>::reference look_up_own(Core& core, TableType& table,
                                                                                   const QueryColumn& of, std::size_t row) {
        using component = typename QueryArgument<V>::component;
        if constexpr (!QueryArgument<V>::optional)
            if (!of.sparse) [[likely]]
                return table.template data<component>(static_cast<std::size_t>(table.column_of_own(of.id)))[row];
        return look_up<V>(core, table, nullptr, of, row);
    }
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

#if SLOTWISE_BODIES
#include "query_walk.inl.hpp"
#endif

#endif
