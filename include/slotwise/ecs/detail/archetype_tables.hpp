// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ArchetypeTables: the tables of a store, with the graph, the index and the query cache that find them.
#ifndef SLOTWISE_ECS_DETAIL_ARCHETYPE_TABLES_HPP
#define SLOTWISE_ECS_DETAIL_ARCHETYPE_TABLES_HPP

#include "../archetype_graph.hpp"
#include "../component_index.hpp"
#include "../table.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A table that has all ids of a query.
struct QueryMatch {
    Table* table;
    /// One for each id, in the order of the ids: of a wildcard the first that matches; -1 for none.
    const std::int32_t* columns;
    static QueryMatch of(Table* table, const std::int32_t* columns) noexcept { return {table, columns}; }
};

/// For each set of ids that queries include, the tables that have all of them; what a query excludes is asked of each table. A
/// table that comes is appended to the queries whose ids it has, one that goes is taken out of them, and no table is looked at
/// twice. A query is registered under one of its ids,
/// the one with the fewest tables when it was made, so a new table looks only at queries that are registered under its own
/// ids and their wildcards. A query that is made before the first table with its ids, or before the first pair, finds them
/// later. The query without ids has all tables. One whose ids hide (see ComponentTraits) is of those queries alone that include
/// each of these. Several threads may read; make(), and tables that come and go, are writes.
/// A query stays as long as the cache: for ids that come and go, such as pairs with one entity, ask the index.
class QueryCache {
public:
    using Index = ComponentIndex<Table*>;
    using Ids = std::span<const ComponentId>;

    /// The tables of a query. Its address is stable.
    class Entry {
        using Tables = TableList<Table*, std::int32_t, QueryMatch>;

    public:
        explicit Entry(Ids include) : tables_(include.size()), include_(include) {}
        /// The ids, in order.
        Ids include() const noexcept { return include_.span(); }
        /// The tables that have them, in the order in which they were created. @invalidates tables that come and go
        Tables::Range tables() const noexcept { return tables_.range(); }
        std::size_t size() const noexcept { return tables_.size(); }
        bool empty() const noexcept { return tables_.empty(); }
        auto begin() const noexcept { return tables_.range().begin(); }
        auto end() const noexcept { return tables_.range().end(); }
        /// The first place from `place` on whose table f accepts; SIZE_MAX if there is none. For walks that keep nothing but a
        /// number, so that it stays in a register.
        template <class F>
        std::size_t find(std::size_t place, F&& f) const {
            return tables_.find(place, f);
        }
        QueryMatch at(std::size_t place) const noexcept { return tables_.at(place); }
        /// The place of an id among the ids, and of its column in QueryMatch::columns. @pre the query includes it
        std::size_t place_of(ComponentId id) const noexcept { return IdSets::lower_bound(include(), id); }

    private:
        friend QueryCache;
        Tables tables_;
        PlainVector<ComponentId> include_;
        std::uint64_t marks_ = 0; // see mark_of()
        std::size_t watched_ = 0; // the place of the id under which it is registered
    };

    QueryCache() = default;
    QueryCache(const QueryCache&) = delete;
    QueryCache& operator=(const QueryCache&) = delete;
    /// `other` is empty then. Addresses of entries stay valid.
    QueryCache(QueryCache&& other) noexcept { swap(other); }
    QueryCache& operator=(QueryCache&& other) noexcept {
        QueryCache taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~QueryCache();
    void swap(QueryCache& other) noexcept;

    /// The number of queries.
    std::size_t size() const noexcept { return entries_.size(); }
    /// How often a query was compared with a table since the cache was made; for tests.
    std::uint64_t examined() const noexcept { return examined_; }

    /// The query with these ids, null when it is not here. @pre they are in order, each once
    const Entry* find(Ids include) const;
    /// The query with these ids; if it is not here, it is added with the tables of the index. @pre as find(), and `index` has
    /// the tables that this cache was notified of @throws what the allocator throws; strong
    /// @complexity as find(), else O(tables that have the rarest of the ids)
    const Entry& make(Ids include, const Index& index);
    /// Appends the table to the queries whose ids it has. @pre `index` has it, and it is the last that came there
    /// @throws what the allocator throws; strong
    /// @complexity O(ids of the table + queries registered under them ids of the query)
    void insert(Table* table, const Index& index);
    /// Takes the table out of the queries whose ids it has. @pre `index` still has it
    void erase(Table* table, const Index& index) noexcept;
    /// Room for append(table, index), so that it throws nothing. @throws what the allocator throws; strong
    void reserve_append(Table* table, const Index& index);
    /// The same as insert(), of a table that was erased. @pre reserve_append(table, index) was called, then erase(table, index)
    void append(Table* table, const Index& index) noexcept {
        const auto keys = index.keys(table);
        const std::uint64_t number = index.number(table);
        for (Entry* const entry : matched_) append(*entry, table, number, keys);
    }
    /// Brings the tables of each query into the order of the index, see ComponentIndex::reorder.
    /// @complexity O(tables of all queries log tables)
    void reorder(const Index& index) noexcept;
    std::size_t memory_usage() const noexcept;
    /// Whether each query has exactly the tables of the index that match it, in their order; for tests.
    bool check_invariants(const Index& index) const;

private:
    using Key = Index::Key;
    using Hash = Index::hasher;
    struct Stored : Entry {
        using Entry::Entry;
        std::uint32_t tag = 0;
        slot_t slot = no_slot;
    };
    // The queries that are registered under an id.
    struct Watchers {
        explicit Watchers(ComponentId own) : id(own) {}
        ComponentId id;
        std::uint32_t tag = 0;
        slot_t slot = no_slot;
        PlainVector<Entry*> entries{};
    };

    static Hash hash() noexcept { return Hash(); }
    static std::uint32_t tag_of(ComponentId id) { return static_cast<std::uint32_t>(mix_bits(hash()(id))); }
    // A bit of 64 for each id: a table without the bits of a query does not have its ids.
    static std::uint64_t mark_of(ComponentId id) { return std::uint64_t{1} << (tag_of(id) >> 26); }

    const Entry* find(Ids include, std::uint32_t tag) const;
    Watchers* watchers_of(ComponentId id, std::uint32_t tag) const;
    bool check_entry(const Stored& entry, const Index& index) const;
    // Into matched_, which has room for every query: the queries that match a table, which has these keys.
    void collect(const Table& table, std::span<const Key> keys);
    static bool has_all(std::span<const Key> keys, const PlainVector<ComponentId>& include) noexcept;
    // @pre there is room, and the table has the ids
    static void append(Entry& entry, Table* table, std::uint64_t number, std::span<const Key> keys) noexcept {
        entry.tables_.append(table, number, [&, key = std::size_t{0}](std::size_t i) mutable {
            while (!(keys[key].id == entry.include_[i])) ++key;
            return keys[key].entry.column;
        });
    }
    void fill(Entry& entry, const Index& index);
    void register_entry(Entry& entry);

    ObjectTable<Stored> entries_{};
    ObjectTable<Watchers> watchers_{};
    PlainVector<Entry*> all_{};     // of the query without ids
    PlainVector<Entry*> matched_{}; // work space, with room for every query
    std::uint64_t examined_ = 0;
};

/// The rules of a registry: `with` and `exclusive`, as far as they concern tables.
class ComponentRules {
public:
    explicit ComponentRules(const ComponentRegistry& registry) noexcept : registry_(std::addressof(registry)) {}
    /// Components count from 1; pairs have no number, nor has null.
    static std::size_t number(ComponentId id) noexcept { return std::size_t{id.number()} - 1; }
    /// Companions that are in tables. (A registry refuses pairs of switched relations as companions.)
    template <class F>
    void with(ComponentId id, F&& f) const {
        for (const ComponentId each : registry_->with_closure(id))
            if (!registry_->traits(each).sparse) f(each);
    }
    bool replaces(ComponentId added, ComponentId present) const;
    bool may_replace(ComponentId id) const { return id.is_pair() && registry_->traits(id).exclusive; }

private:
    const ComponentRegistry* registry_;
};

/// A table for each set of components that some entity had. A table is named by its number, from 0: the empty one, which is
/// always there. Numbers of erased tables are used again. Addresses of tables and queries are stable.
///
/// What makes a table has the strong guarantee: tables, index and queries are as before. The registry must outlive it, and stay
/// where it is.
class ArchetypeTables {
public:
    using Graph = ArchetypeGraph<Table, ComponentId, ColumnMapping, ComponentRules>;
    using Index = ComponentIndex<Table*>;
    using Cache = QueryCache;
    /// The tables that a query matches, see QueryCache::Entry.
    using Query = Cache::Entry;
    using Ids = std::span<const ComponentId>;
    using size_type = std::size_t;

    /// Where a change of components leads. `map` is null when it has no effect; `table` is then the one it began at.
    /// @invalidates `map`: erasing one of its tables
    struct Step {
        slot_t table;
        const ColumnMapping* map;
        explicit operator bool() const noexcept { return map != nullptr; }
    };

    /// The empty table. @throws what the allocator throws
    explicit ArchetypeTables(const ComponentRegistry& registry);

    //=== tables ===//

    /// The number of tables.
    size_type size() const noexcept { return graph_.size(); }
    /// The table without components.
    static constexpr slot_t root() noexcept { return 0; }
    /// Whether a table has this number.
    bool contains(slot_t table) const noexcept { return !graph_.handle_at(table).is_null(); }
    /// The table. @pre contains(table) (checked at level debug)
    SLOTWISE_ALWAYS_INLINE Table& operator[](slot_t table) noexcept { return graph_.at_slot(table); }
    SLOTWISE_ALWAYS_INLINE const Table& operator[](slot_t table) const noexcept { return graph_.at_slot(table); }
    /// The table of exactly these components, in any order; no_slot when there is none. @complexity O(ids)
    slot_t find(Ids ids) const {
        const auto found = graph_.find(ids);
        return found.is_null() ? no_slot : found.index();
    }
    /// The same; it is made if there is none. @throws as Table's constructor and the allocator; strong
    slot_t find_or_make(Ids ids);
    /// Calls f(number, table) for each table, by number. f may erase that table.
    template <class F>
    void for_each(F&& f) {
        graph_.for_each([&](Graph::handle_type handle, Table& table, Ids) { f(handle.index(), table); });
    }
    template <class F>
    void for_each(F&& f) const {
        graph_.for_each([&](Graph::handle_type handle, const Table& table, Ids) { f(handle.index(), table); });
    }

    //=== changes of components, see ArchetypeGraph ===//

    /// From a table to the one with `id`, its companions, and without the pair that it replaces.
    /// @throws as find_or_make(); strong @complexity O(1) expected once the transition was found
    SLOTWISE_ALWAYS_INLINE Step add(slot_t from, ComponentId id) {
        return walk(from, [&](slot_t node, MakeTable& make) { return graph_.add(node, id, make); });
    }
    SLOTWISE_ALWAYS_INLINE Step remove(slot_t from, ComponentId id) {
        return walk(from, [&](slot_t node, MakeTable& make) { return graph_.remove(node, id, make); });
    }
    Step replace(slot_t from, ComponentId old, ComponentId id) { return change(from, Ids(&id, 1), Ids(&old, 1)); }
    Step add_all(slot_t from, Ids ids) { return change(from, ids, Ids()); }
    Step remove_all(slot_t from, Ids ids) { return change(from, Ids(), ids); }
    /// Removes components and adds others, in one step, without tables between. One that is in both is added.
    Step change(slot_t from, Ids added, Ids removed);

    //=== erasing ===//

    /// How often a table was erased: numbers, transitions and addresses that were kept before may be wrong when it has changed.
    std::uint64_t erased() const noexcept { return erased_; }
    /// Erases a table, and the transitions from it and to it. @pre contains(table), it has no rows and is not root()
    /// (checked at level fast)
    void erase(slot_t table) noexcept;
    /// Erases all tables without rows but root(); returns how many. @complexity linear in tables
    size_type erase_empty() noexcept;
    /// Erases the tables without rows that have the component, or a pair that the wildcard stands for: those of a target that
    /// died. Returns how many. @throws what the allocator throws; nothing is erased then @complexity O(tables that have it)
    size_type erase_tables_with(ComponentId id) {
        PlainVector<slot_t> gone;
        gone.reserve(index_.count(id));
        return erase_tables_with(id, gone);
    }
    /// The same without an allocation. @param gone has room for index().count(id)
    size_type erase_tables_with(ComponentId id, PlainVector<slot_t>& gone) noexcept;

    /// Whether so many tables of pairs with entities were made since the last erase_left() that it pays to erase those that
    /// their rows have left: an entity that is related to n targets, one after the other, leaves n tables with up to n ids.
    SLOTWISE_ALWAYS_INLINE bool is_crowded() const noexcept { return made_ > most_made_; }
    /// Erases the tables without rows that have a pair with an entity. Others are as many as the program has kinds of entities.
    /// It takes O(ids of all tables), amortised O(ids) for each table that was made.
    void erase_left() noexcept;

    /// Makes a table the last one that is walked; root() stays the first. Called when a table gets its first row: the order of
    /// those with rows then does not depend on tables that had some before. @throws what the allocator throws; strong. It
    /// takes O(ids of the table log tables), amortised; O(1) if it is the last.
    SLOTWISE_INLINE SLOTWISE_COLD void move_to_end(slot_t slot);
    /// Whether it is known to be the last one.
    bool is_last(const Table& table) const noexcept { return &table == last_; }
    /// Makes this the order of tables, as if they had been made so. @pre `order` has each table once
    /// @complexity O(ids of all tables log tables)
    void reorder(std::span<Table* const> order) noexcept {
        last_ = nullptr;
        index_.reorder(order);
        cache_.reorder(index_);
    }

    //=== queries ===//

    /// Which tables have an id, and where.
    const Index& index() const noexcept { return index_; }
    const Cache& cache() const noexcept { return cache_; }
    /// The tables that have all these ids, in ascending order, wildcards among them. The list is kept, and follows the tables.
    /// @throws what the allocator throws; strong @complexity O(ids), the first time O(tables that have the rarest of them)
    const Query& query(Ids include) { return cache_.make(include, index_); }
    /// The same; null when nobody asked for it yet.
    const Query* find_query(Ids include) const { return cache_.find(include); }

    std::size_t memory_usage() const noexcept;
    /// Whether all parts agree; for tests.
    bool check_invariants() const;

private:
    // In ids: some MB of tables that may be entered again.
    static constexpr std::size_t least_made = std::size_t{1} << 14;
    static std::size_t weight_of(const Table& table) noexcept { return table.ids().size() + 8; }
    static bool has_target(const Table& table) noexcept;
    // A type of its own: a lambda in registering() would be another one for each of its uses, and all of the graph with it.
    struct MakeTable {
        Table operator()(Graph::handle_type, Ids ids) {
            made = true;
            return Table(*registry, ids);
        }
        const ComponentRegistry* registry;
        bool made = false;
    };
    // Registers the table that change(make) made, if it made one.
    template <class Change>
    SLOTWISE_ALWAYS_INLINE Graph::Step registering(Change&& change) {
        MakeTable make{registry_};
        const Graph::Step step = change(make);
        if (make.made) [[unlikely]]
            register_table(step.node);
        return step;
    }
    template <class Change>
    SLOTWISE_ALWAYS_INLINE Step walk(slot_t from, Change&& change) {
        const auto step = registering([&](MakeTable& make) { return change(from, make); });
        return {step.node.index(), step.edge};
    }
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE void register_table(Graph::handle_type node);

    const ComponentRegistry* registry_;
    Graph graph_;
    Index index_{};
    Cache cache_{};
    std::uint64_t erased_ = 0;
    std::size_t made_ = 0; // the weight of tables that were made, see is_crowded()
    std::size_t most_made_ = least_made;
    const Table* last_ = nullptr; // the table that is walked last, if that is known: it saves a lookup for each new row
};

} // namespace detail

#ifdef SLOTWISE_COMPILED
extern template class ComponentIndex<Table*, ComponentId>;
extern template class ArchetypeGraph<Table, ComponentId, ColumnMapping, detail::ComponentRules>;
#endif

SLOTWISE_END

#if SLOTWISE_BODIES
#include "archetype_tables.inl.hpp"
#endif

#endif
