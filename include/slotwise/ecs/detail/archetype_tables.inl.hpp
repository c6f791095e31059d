// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bodies of archetype_tables.hpp.
#ifndef SLOTWISE_ECS_DETAIL_ARCHETYPE_TABLES_INL_HPP
#define SLOTWISE_ECS_DETAIL_ARCHETYPE_TABLES_INL_HPP

#include "archetype_tables.hpp"

SLOTWISE_BEGIN

namespace detail {

SLOTWISE_INLINE QueryCache::~QueryCache() = default;

SLOTWISE_INLINE void QueryCache::swap(QueryCache& other) noexcept {
    entries_.swap(other.entries_);
    watchers_.swap(other.watchers_);
    all_.swap(other.all_);
    matched_.swap(other.matched_);
    std::swap(examined_, other.examined_);
}

SLOTWISE_INLINE const QueryCache::Entry* QueryCache::find(Ids include) const {
    SLOTWISE_EXPECT_DEBUG(IdSets::is_set(include), "QueryCache find(include): the ids are in order, each once");
    return find(include, IdSets::tag(include, hash()));
}

SLOTWISE_INLINE const QueryCache::Entry& QueryCache::make(Ids include, const Index& index) {
    const std::uint32_t tag = IdSets::tag(include, hash());
    if (const Entry* const found = find(include, tag)) return *found;
    SLOTWISE_EXPECT(IdSets::is_set(include), "QueryCache make(include, index): the ids are in order, each once");
    matched_.reserve(size() + 1); // insert() then needs no room here
    Stored& made = entries_.emplace(tag, include);
    ScopeGuard undo([&]() noexcept { entries_.erase(made); });
    for (ComponentId id : include) made.marks_ |= mark_of(id);
    for (std::size_t i = 1; i < include.size(); ++i) // of several equal ones the last: pairs come after components
        if (index.count(include[i]) <= index.count(include[made.watched_])) made.watched_ = i;
    fill(made, index);
    register_entry(made);
    undo.dismiss();
    return made;
}

SLOTWISE_INLINE void QueryCache::insert(Table* table, const Index& index) {
    const auto keys = index.keys(table);
    collect(*table, keys);
    for (Entry* const entry : matched_) entry->tables_.reserve_one();
    const std::uint64_t number = index.number(table);
    for (Entry* const entry : matched_) append(*entry, table, number, keys);
}

SLOTWISE_INLINE void QueryCache::erase(Table* table, const Index& index) noexcept {
    collect(*table, index.keys(table));
    const std::uint64_t number = index.number(table);
    for (Entry* const entry : matched_) entry->tables_.erase(number);
}

SLOTWISE_INLINE void QueryCache::reserve_append(Table* table, const Index& index) {
    collect(*table, index.keys(table));
    for (Entry* const entry : matched_) entry->tables_.reserve_one();
}

SLOTWISE_INLINE void QueryCache::reorder(const Index& index) noexcept {
    entries_.pool().for_each([&](Stored& entry) { entry.tables_.renumber([&](Table* table) { return index.number(table); }); });
}

SLOTWISE_INLINE std::size_t QueryCache::memory_usage() const noexcept {
    return memory_of(all_, matched_) + entries_.memory_usage([](const Stored& each) {
        return memory_of(each.tables_, each.include_);
    }) + watchers_.memory_usage([](const Watchers& each) { return each.entries.memory_usage(); });
}

SLOTWISE_INLINE bool QueryCache::check_invariants(const Index& index) const {
    std::size_t watched = all_.size();
    watchers_.pool().for_each([&](const Watchers& each) { watched += each.entries.size(); });
    bool all = watched == size() && entries_.check_invariants() && watchers_.check_invariants();
    entries_.pool().for_each([&](const Stored& entry) { all = all && check_entry(entry, index); });
    return all;
}

SLOTWISE_INLINE const QueryCache::Entry* QueryCache::find(Ids include, std::uint32_t tag) const {
    return entries_.find(tag, [&](const Stored& each) { return IdSets::equal(each.include(), include); });
}

SLOTWISE_INLINE QueryCache::Watchers* QueryCache::watchers_of(ComponentId id, std::uint32_t tag) const {
    return watchers_.find(tag, [&](const Watchers& each) { return each.id == id; });
}

SLOTWISE_INLINE bool QueryCache::check_entry(const Stored& entry, const Index& index) const {
    const Ids include = entry.include();
    if (find(include, entry.tag) != std::addressof(entry) || !entry.tables_.check_invariants()) return false;
    auto match = entry.begin();
    for (const auto all : index.tables()) {
        const auto has = [&](ComponentId id) { return index.find(id, all.table) != nullptr; };
        bool has_each = !all.table->is_hidden_from(include);
        for (ComponentId id : include) has_each = has_each && has(id);
        if (!has_each) continue;
        if (match == entry.end() || (*match).table != all.table) return false;
        for (std::size_t i = 0; i != include.size(); ++i)
            if ((*match).columns[i] != index.find(include[i], all.table)->column) return false;
        ++match;
    }
    return match == entry.end();
}

SLOTWISE_INLINE void QueryCache::collect(const Table& table, std::span<const Key> keys) {
    matched_.clear();
    std::uint64_t marks = 0;
    for (const Key& key : keys) marks |= mark_of(key.id);
    if (!table.is_hidden_from({})) matched_.append(all_.data(), all_.size());
    if (watchers_.empty()) return;
    for (const Key& key : keys) {
        const Watchers* const watchers = watchers_of(key.id, tag_of(key.id));
        if (watchers == nullptr) continue;
        for (Entry* const entry : watchers->entries) {
            ++examined_;
            if ((entry->marks_ & ~marks) == 0 && has_all(keys, entry->include_) && !table.is_hidden_from(entry->include()))
                matched_.push_back(entry);
        }
    }
}

SLOTWISE_INLINE bool QueryCache::has_all(std::span<const Key> keys, const PlainVector<ComponentId>& include) noexcept {
    std::size_t key = 0;
    for (ComponentId id : include) {
        while (key != keys.size() && keys[key].id < id) ++key;
        if (key == keys.size() || !(keys[key].id == id)) return false;
    }
    return true;
}

SLOTWISE_INLINE void QueryCache::fill(Entry& entry, const Index& index) {
    const Ids include = entry.include();
    const auto tables = include.empty() ? index.tables() : index.tables(include[entry.watched_]);
    for (const auto each : tables) {
        const auto keys = index.keys(each.table);
        if (!has_all(keys, entry.include_) || each.table->is_hidden_from(include)) continue;
        entry.tables_.reserve_one();
        append(entry, each.table, index.number(each.table), keys);
    }
}

SLOTWISE_INLINE void QueryCache::register_entry(Entry& entry) {
    if (entry.include_.empty()) return all_.push_back(std::addressof(entry));
    ComponentId id = entry.include_[entry.watched_];
    const std::uint32_t tag = tag_of(id);
    Watchers* watchers = watchers_of(id, tag);
    if (watchers == nullptr) watchers = std::addressof(watchers_.emplace(tag, id)); // of no query, if push_back throws
    watchers->entries.push_back(std::addressof(entry));
}

SLOTWISE_INLINE bool ComponentRules::replaces(ComponentId added, ComponentId present) const {
    return added.is_pair() && present.is_pair() && added.relation_number() == present.relation_number() &&
           registry_->traits(added).exclusive;
}

SLOTWISE_INLINE ArchetypeTables::ArchetypeTables(const ComponentRegistry& registry)
    : registry_(std::addressof(registry)), graph_(ComponentRules(registry)) {
    static_cast<void>(find_or_make({}));
}

SLOTWISE_INLINE slot_t ArchetypeTables::find_or_make(Ids ids) {
    const auto inserted = [&](MakeTable& make) { return Graph::Step{graph_.insert(ids, make)}; };
    return registering(inserted).node.index();
}

SLOTWISE_INLINE ArchetypeTables::Step ArchetypeTables::change(slot_t from, Ids added, Ids removed) {
    return walk(from, [&](slot_t node, MakeTable& make) { return graph_.change(node, added, removed, make); });
}

SLOTWISE_INLINE void ArchetypeTables::erase(slot_t table) noexcept {
    Table& gone = (*this)[table];
    SLOTWISE_EXPECT(gone.empty() && table != root(), "ArchetypeTables erase(table): it has rows, or is the empty one");
    if (last_ == &gone) last_ = nullptr;
    cache_.erase(&gone, index_);
    index_.erase(&gone);
    graph_.erase(graph_.handle_at(table));
    ++erased_;
}

SLOTWISE_INLINE ArchetypeTables::size_type ArchetypeTables::erase_empty() noexcept {
    const size_type before = size();
    for_each([&](slot_t number, const Table& table) {
        if (table.empty() && number != root()) erase(number);
    });
    return before - size();
}

SLOTWISE_INLINE ArchetypeTables::size_type ArchetypeTables::erase_tables_with(ComponentId id,
                                                                              PlainVector<slot_t>& gone) noexcept {
    gone.clear();
    for (const auto entry : index_.tables(id))
        if (entry.table->empty()) gone.push_back(find(entry.table->ids()));
    for (const slot_t table : gone) erase(table);
    return gone.size();
}

SLOTWISE_INLINE void ArchetypeTables::erase_left() noexcept {
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

SLOTWISE_INLINE std::size_t ArchetypeTables::memory_usage() const noexcept {
    const auto own = [](const auto& each) { return each.memory_usage(); };
    return graph_.memory_usage(own, own) + memory_of(index_, cache_);
}

SLOTWISE_INLINE bool ArchetypeTables::check_invariants() const {
    bool all = size() == index_.size() && contains(root()) && (*this)[root()].ids().empty();
    for_each([&](slot_t, const Table& table) {
        all = all && index_.contains(const_cast<Table*>(&table)) && table.check_invariants();
    });
    return all && graph_.check_invariants() && index_.check_invariants() && cache_.check_invariants(index_);
}

SLOTWISE_INLINE bool ArchetypeTables::has_target(const Table& table) noexcept {
    const Ids ids = table.ids();
    for (std::size_t i = ids.size(); i-- != 0 && ids[i].is_pair();) // components come first
        if (ids[i].target()) return true;
    return false;
}

void ArchetypeTables::move_to_end(slot_t slot) {
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

void ArchetypeTables::register_table(Graph::handle_type node) {
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

} // namespace detail

SLOTWISE_END

#endif
