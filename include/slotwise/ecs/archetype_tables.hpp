// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ArchetypeTables: the tables of a store, with the graph, the index and the query cache that find them.
#ifndef SLOTWISE_ECS_ARCHETYPE_TABLES_HPP
#define SLOTWISE_ECS_ARCHETYPE_TABLES_HPP

#include "archetype_graph.hpp"
#include "query_cache.hpp"
#include "table.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The rules of a registry: `with` and `exclusive`. Ids are those of tables, without what is outside of them.
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
    bool replaces(ComponentId added, ComponentId present) const {
        return added.is_pair() && present.is_pair() && added.relation_number() == present.relation_number() &&
               registry_->traits(added).exclusive;
    }
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
    using Graph = ArchetypeGraph<Table, ComponentId, RowMap, ComponentRules>;
    using Index = ComponentIndex<Table*>;
    using Cache = QueryCache<Table*>;
    /// The tables that a query matches, see QueryCache::Entry.
    using Query = Cache::Entry;
    using Ids = std::span<const ComponentId>;
    using size_type = std::size_t;

    /// Where a change of components leads. `map` is null when it has no effect; `table` is then the one it began at.
    /// @invalidates `map`: erasing one of its tables
    struct Step {
        slot_t table;
        const RowMap* map;
        explicit operator bool() const noexcept { return map != nullptr; }
    };

    /// The empty table. @throws what the allocator throws
    explicit ArchetypeTables(const ComponentRegistry& registry)
        : registry_(std::addressof(registry)), graph_(ComponentRules(registry)) {
        static_cast<void>(find_or_make({}));
    }

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
    slot_t find_or_make(Ids ids) {
        const auto inserted = [&](MakeTable& make) { return Graph::Step{graph_.insert(ids, make)}; };
        return registering(inserted).node.index();
    }
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
    /// @throws as find_or_make(); strong @complexity O(1) expected once the step was made
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
    Step change(slot_t from, Ids added, Ids removed) {
        return walk(from, [&](slot_t node, MakeTable& make) { return graph_.change(node, added, removed, make); });
    }

    //=== erasing ===//

    /// How often a table was erased: numbers, steps and addresses that were kept before may be wrong when it has changed.
    std::uint64_t erased() const noexcept { return erased_; }
    /// Erases a table, and the steps from it and to it. @pre contains(table), it has no rows and is not root()
    /// (checked at level fast)
    void erase(slot_t table) noexcept {
        Table& gone = (*this)[table];
        SLOTWISE_EXPECT(gone.empty() && table != root(), "ArchetypeTables erase(table): it has rows, or is the empty one");
        if (last_ == &gone) last_ = nullptr;
        cache_.erase(&gone, index_);
        index_.erase(&gone);
        graph_.erase(graph_.handle_at(table));
        ++erased_;
    }
    /// Erases all tables without rows but root(); returns how many. @complexity linear in tables
    size_type erase_empty() noexcept {
        const size_type before = size();
        for_each([&](slot_t number, const Table& table) {
            if (table.empty() && number != root()) erase(number);
        });
        return before - size();
    }
    /// Erases the tables without rows that have the component, or a pair that the wildcard stands for: those of a target that
    /// died. Returns how many. @throws what the allocator throws; nothing is erased then @complexity O(tables that have it)
    size_type erase_tables_with(ComponentId id) {
        PlainVector<slot_t> gone;
        gone.reserve(index_.count(id));
        return erase_tables_with(id, gone);
    }
    /// The same without an allocation. @param gone has room for index().count(id)
    size_type erase_tables_with(ComponentId id, PlainVector<slot_t>& gone) noexcept {
        gone.clear();
        for (const auto entry : index_.tables(id))
            if (entry.table->empty()) gone.push_back(find(entry.table->ids()));
        for (const slot_t table : gone) erase(table);
        return gone.size();
    }

    /// Whether so many tables of pairs with entities were made since the last erase_left() that it pays to erase those that
    /// their rows have left: an entity that is related to n targets, one after the other, leaves n tables with up to n ids.
    SLOTWISE_ALWAYS_INLINE bool is_crowded() const noexcept { return made_ > most_made_; }
    /// Erases the tables without rows that have a pair with an entity. Others are as many as the program has kinds of entities.
    /// It takes O(ids of all tables), amortised O(ids) for each table that was made.
    void erase_left() noexcept {
        made_ = 0;
        std::size_t kept = size();
        for_each([&](slot_t number, const Table& table) {
            if (!has_target(table)) return;
            if (table.empty())
                erase(number);
            else
                kept += weight_of(table);
        });
        most_made_ = kept < least_made ? least_made : kept;
    }

    /// Makes a table the last one that is walked; root() stays the first. Called when a table gets its first row: the order of
    /// those with rows then does not depend on tables that had some before. @throws what the allocator throws; strong. It
    /// takes O(ids of the table log tables), amortised; O(1) if it is the last.
    SLOTWISE_COLD void move_to_end(slot_t slot) {
        Table* const table = &(*this)[slot];
        if (table == last_ || slot == root() || index_.is_last(table)) return;
        last_ = nullptr;
        cache_.reserve_append(table, index_);
        index_.reserve_move_to_end(table);
        cache_.erase(table, index_);
        index_.move_to_end(table);
        cache_.append(table, index_);
        last_ = table;
    }
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

    std::size_t memory_usage() const noexcept {
        const auto own = [](const auto& each) { return each.memory_usage(); };
        return graph_.memory_usage(own, own) + memory_of(index_, cache_);
    }
    /// Whether all parts agree; for tests.
    bool check_invariants() const {
        bool all = size() == index_.size() && contains(root()) && (*this)[root()].ids().empty();
        for_each([&](slot_t, const Table& table) {
            all = all && index_.contains(const_cast<Table*>(&table)) && table.check_invariants();
        });
        return all && graph_.check_invariants() && index_.check_invariants() && cache_.check_invariants(index_);
    }

private:
    // In ids: some MB of tables that may be entered again.
    static constexpr std::size_t least_made = std::size_t{1} << 14;
    static std::size_t weight_of(const Table& table) noexcept { return table.ids().size() + 8; }
    static bool has_target(const Table& table) noexcept {
        const Ids ids = table.ids();
        for (std::size_t i = ids.size(); i-- != 0 && ids[i].is_pair();) // components come first
            if (ids[i].target()) return true;
        return false;
    }
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
    SLOTWISE_NEVER_INLINE void register_table(Graph::handle_type node) {
        ScopeGuard undo_node([&]() noexcept { graph_.erase(node); });
        Table& table = graph_[node];
        index_.insert(&table, table.ids(), [&](slot_t place) { return table.column_at(place); });
        ScopeGuard undo_index([&]() noexcept { index_.erase(&table); });
        cache_.insert(&table, index_);
        if (has_target(table)) made_ += weight_of(table);
        last_ = &table;
        undo_index.dismiss();
        undo_node.dismiss();
    }

    const ComponentRegistry* registry_;
    Graph graph_;
    Index index_{};
    Cache cache_{};
    std::uint64_t erased_ = 0;
    std::size_t made_ = 0; // the weight of tables that were made, see is_crowded()
    std::size_t most_made_ = least_made;
    const Table* last_ =
        nullptr; // the table that is walked last, if that is known: a lookup less for a row that comes and goes
};

} // namespace detail
SLOTWISE_END

#endif
