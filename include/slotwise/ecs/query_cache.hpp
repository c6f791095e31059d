// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// QueryCache: for each set of ids that queries ask for, the tables that have all of them.
#ifndef SLOTWISE_ECS_QUERY_CACHE_HPP
#define SLOTWISE_ECS_QUERY_CACHE_HPP

#include "component_index.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A table that has all ids of a query.
template <class TableRef>
struct QueryMatch {
    TableRef table;
    const std::int32_t*
        columns; ///< one for each id, in the order of the ids: of a wildcard the first that matches; -1 for none
    static QueryMatch of(TableRef table, const std::int32_t* columns) noexcept { return {table, columns}; }
};

/// Queries by what they include; what they exclude is asked of each table. A table that comes is appended to the queries whose
/// ids it has, one that goes is taken out of them, and no table is looked at twice. A query is registered under one of its ids,
/// the one with the fewest tables when it was made, so a new table looks only at queries that are registered under its own
/// ids and their wildcards. A query that is made before the first table with its ids, or before the first pair, finds them
/// later. The query without ids has all tables. Several threads may read; make(), and tables that come and go, are writes.
/// A query stays as long as the cache: for ids that come and go, such as pairs with one entity, ask the index.
/// @tparam TableRef as that of ComponentIndex
/// @tparam Id as that of ComponentIndex
/// @tparam With as those of ComponentIndex
template <class TableRef, class Id = ComponentId, class... With>
class QueryCache {
public:
    using Index = ComponentIndex<TableRef, Id, With...>;
    using Match = QueryMatch<TableRef>;
    using Ids = std::span<const Id>;

    /// The tables of a query. Its address is stable.
    class Entry {
        using Tables = TableList<TableRef, std::int32_t, Match>;

    public:
        explicit Entry(Ids include) : tables_(include.size()), include_(include) {}
        /// The ids, in order.
        Ids include() const noexcept { return include_.span(); }
        /// The tables that have them, in the order in which they were created. @invalidates tables that come and go
        typename Tables::Range tables() const noexcept { return tables_.range(); }
        std::size_t size() const noexcept { return tables_.size(); }
        bool empty() const noexcept { return tables_.empty(); }
        auto begin() const noexcept { return tables_.range().begin(); }
        auto end() const noexcept { return tables_.range().end(); }
        /// The place of an id among the ids, and of its column in Match::columns. @pre the query includes it
        std::size_t place_of(const Id& id) const noexcept { return IdSets::lower_bound(include(), id); }

    private:
        friend QueryCache;
        Tables tables_;
        PlainVector<Id> include_;
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
    ~QueryCache() = default;
    void swap(QueryCache& other) noexcept {
        entries_.swap(other.entries_);
        watchers_.swap(other.watchers_);
        all_.swap(other.all_);
        matched_.swap(other.matched_);
        std::swap(examined_, other.examined_);
    }

    /// The number of queries.
    std::size_t size() const noexcept { return entries_.size(); }
    /// How often a query was compared with a table since the cache was made; for tests.
    std::uint64_t examined() const noexcept { return examined_; }

    /// The query with these ids, null when it is not here. @pre they are in order, each once
    const Entry* find(Ids include) const {
        SLOTWISE_EXPECT_DEBUG(IdSets::is_set(include), "QueryCache find(include): the ids are in order, each once");
        return find(include, IdSets::tag(include, hash()));
    }
    /// The query with these ids; if it is not here, it is added with the tables of the index. @pre as find(), and `index` has
    /// the tables that this cache was notified of @throws what the allocator throws; strong
    /// @complexity as find(), else O(tables that have the rarest of the ids)
    const Entry& make(Ids include, const Index& index) {
        const std::uint32_t tag = IdSets::tag(include, hash());
        if (const Entry* const found = find(include, tag)) return *found;
        SLOTWISE_EXPECT(IdSets::is_set(include), "QueryCache make(include, index): the ids are in order, each once");
        matched_.reserve(size() + 1); // insert() then needs no room here
        Stored& made = entries_.emplace(tag, include);
        ScopeGuard undo([&]() noexcept { entries_.erase(made); });
        for (const Id& id : include) made.marks_ |= mark_of(id);
        for (std::size_t i = 1; i < include.size(); ++i) // of several equal ones the last: pairs come after components
            if (index.count(include[i]) <= index.count(include[made.watched_])) made.watched_ = i;
        fill(made, index);
        register_entry(made);
        undo.dismiss();
        return made;
    }
    /// Appends the table to the queries whose ids it has. @pre `index` has it, and it is the last that came there
    /// @throws what the allocator throws; strong
    /// @complexity O(ids of the table + queries registered under them ids of the query)
    void insert(TableRef table, const Index& index) {
        const auto keys = index.keys(table);
        collect(keys);
        for (Entry* const entry : matched_) entry->tables_.reserve_one();
        const std::uint64_t number = index.number(table);
        for (Entry* const entry : matched_) append(*entry, table, number, keys);
    }
    /// Takes the table out of the queries whose ids it has. @pre `index` still has it
    void erase(TableRef table, const Index& index) noexcept {
        collect(index.keys(table));
        const std::uint64_t number = index.number(table);
        for (Entry* const entry : matched_) entry->tables_.erase(number);
    }
    /// Room for append(table, index), so that it throws nothing. @throws what the allocator throws; strong
    void reserve_append(TableRef table, const Index& index) {
        collect(index.keys(table));
        for (Entry* const entry : matched_) entry->tables_.reserve_one();
    }
    /// The same as insert(), of a table that was erased. @pre reserve_append(table, index) was called, then erase(table, index)
    void append(TableRef table, const Index& index) noexcept {
        const auto keys = index.keys(table);
        const std::uint64_t number = index.number(table);
        for (Entry* const entry : matched_) append(*entry, table, number, keys);
    }
    /// Brings the tables of each query into the order of the index, see ComponentIndex::reorder.
    /// @complexity O(tables of all queries log tables)
    void reorder(const Index& index) noexcept {
        entries_.pool().for_each(
            [&](Stored& entry) { entry.tables_.renumber([&](TableRef table) { return index.number(table); }); });
    }
    std::size_t memory_usage() const noexcept {
        return memory_of(all_, matched_) + entries_.memory_usage([](const Stored& each) {
            return memory_of(each.tables_, each.include_);
        }) + watchers_.memory_usage([](const Watchers& each) { return each.entries.memory_usage(); });
    }
    /// Whether each query has exactly the tables of the index that have its ids, in their order; for tests.
    bool check_invariants(const Index& index) const {
        std::size_t watched = all_.size();
        watchers_.pool().for_each([&](const Watchers& each) { watched += each.entries.size(); });
        bool all = watched == size() && entries_.check_invariants() && watchers_.check_invariants();
        entries_.pool().for_each([&](const Stored& entry) { all = all && check_entry(entry, index); });
        return all;
    }

private:
    using Key = typename Index::Key;
    using Hash = typename Index::hasher;
    struct Stored : Entry {
        using Entry::Entry;
        std::uint32_t tag = 0;
        slot_t slot = no_slot;
    };
    // The queries that are registered under an id.
    struct Watchers {
        explicit Watchers(const Id& own) : id(own) {}
        Id id;
        std::uint32_t tag = 0;
        slot_t slot = no_slot;
        PlainVector<Entry*> entries{};
    };

    static Hash hash() noexcept { return Hash(); }
    static std::uint32_t tag_of(const Id& id) { return static_cast<std::uint32_t>(mix_bits(hash()(id))); }
    // A bit of 64 for each id: a table without the bits of a query does not have its ids.
    static std::uint64_t mark_of(const Id& id) { return std::uint64_t{1} << (tag_of(id) >> 26); }

    const Entry* find(Ids include, std::uint32_t tag) const {
        return entries_.find(tag, [&](const Stored& each) { return IdSets::equal(each.include(), include); });
    }
    Watchers* watchers_of(const Id& id, std::uint32_t tag) const {
        return watchers_.find(tag, [&](const Watchers& each) { return each.id == id; });
    }
    bool check_entry(const Stored& entry, const Index& index) const {
        const Ids include = entry.include();
        if (find(include, entry.tag) != std::addressof(entry) || !entry.tables_.check_invariants()) return false;
        auto match = entry.begin();
        for (const auto& all : index.tables()) {
            const auto has = [&](const Id& id) { return index.find(id, all.table) != nullptr; };
            bool has_each = true;
            for (const Id& id : include) has_each = has_each && has(id);
            if (!has_each) continue;
            if (match == entry.end() || (*match).table != all.table) return false;
            for (std::size_t i = 0; i != include.size(); ++i)
                if ((*match).columns[i] != index.find(include[i], all.table)->column) return false;
            ++match;
        }
        return match == entry.end();
    }
    // Into matched_, which has room for every query: the queries whose ids are among these.
    void collect(std::span<const Key> keys) {
        matched_.clear();
        std::uint64_t marks = 0;
        for (const Key& key : keys) marks |= mark_of(key.id);
        matched_.append(all_.data(), all_.size());
        if (watchers_.empty()) return;
        for (const Key& key : keys) {
            const Watchers* const watchers = watchers_of(key.id, tag_of(key.id));
            if (watchers == nullptr) continue;
            for (Entry* const entry : watchers->entries) {
                ++examined_;
                if ((entry->marks_ & ~marks) == 0 && has_all(keys, entry->include_)) matched_.push_back(entry);
            }
        }
    }
    static bool has_all(std::span<const Key> keys, const PlainVector<Id>& include) noexcept {
        std::size_t key = 0;
        for (const Id& id : include) {
            while (key != keys.size() && keys[key].id < id) ++key;
            if (key == keys.size() || !(keys[key].id == id)) return false;
        }
        return true;
    }
    // @pre there is room, and the table has the ids
    static void append(Entry& entry, TableRef table, std::uint64_t number, std::span<const Key> keys) noexcept {
        entry.tables_.append(table, number, [&, key = std::size_t{0}](std::size_t i) mutable {
            while (!(keys[key].id == entry.include_[i])) ++key;
            return keys[key].entry.column;
        });
    }
    void fill(Entry& entry, const Index& index) {
        const Ids include = entry.include();
        const auto tables = include.empty() ? index.tables() : index.tables(include[entry.watched_]);
        for (const auto& each : tables) {
            const auto keys = index.keys(each.table);
            if (!has_all(keys, entry.include_)) continue;
            entry.tables_.reserve_one();
            append(entry, each.table, index.number(each.table), keys);
        }
    }
    void register_entry(Entry& entry) {
        if (entry.include_.empty()) return all_.push_back(std::addressof(entry));
        const Id& id = entry.include_[entry.watched_];
        const std::uint32_t tag = tag_of(id);
        Watchers* watchers = watchers_of(id, tag);
        if (watchers == nullptr) watchers = std::addressof(watchers_.emplace(tag, id)); // of no query, if push_back throws
        watchers->entries.push_back(std::addressof(entry));
    }

    ObjectTable<Stored> entries_{};
    ObjectTable<Watchers> watchers_{};
    PlainVector<Entry*> all_{};     // of the query without ids
    PlainVector<Entry*> matched_{}; // work space, with room for every query
    std::uint64_t examined_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
