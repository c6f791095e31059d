// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// QueryWalk: the tables and rows that a query matches, as runs.
#ifndef SLOTWISE_ECS_QUERY_WALK_HPP
#define SLOTWISE_ECS_QUERY_WALK_HPP

#include "query_rows.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A store is walked as long as it lives: structure must not change.
class QueryWalkScope {
public:
    explicit QueryWalkScope(const StoreCore& core) noexcept : core_(&core) { core.begin_walk(); }
    QueryWalkScope(QueryWalkScope&& other) noexcept : core_(std::exchange(other.core_, nullptr)) {}
    QueryWalkScope& operator=(QueryWalkScope&& other) noexcept {
        std::swap(core_, other.core_);
        return *this;
    }
    ~QueryWalkScope() {
        if (core_ != nullptr) core_->end_walk();
    }

private:
    const StoreCore* core_;
};

/// A list of tables that match, which the store keeps.
using QueryTables = ArchetypeTables::Query;

/// Rows [first, last) of a table. `columns` has the column of each of QueryTerms::tables().
template <class TableType>
struct QueryRun {
    TableType* table;
    const std::int32_t* columns;
    std::size_t first, last;
};

/// The runs of rows that a query matches, in steps: a table, or all entities that have a sparse component. Tables come in the
/// order of ArchetypeTables. It does not know the types of components.
/// @tparam Core StoreCore, or const StoreCore
template <class Core>
class QueryWalk {
public:
    using table_type = std::conditional_t<std::is_const_v<Core>, const Table, Table>;
    using Run = QueryRun<table_type>;

    /// @param cached the tables that match; null: they are looked for
    QueryWalk(Core& core, const QueryTerms& terms, const QueryTables* cached)
        : core_(&core), terms_(&terms), filter_(core, terms.looked_at()) {
        if (terms.by_entity() && choose_entities(cached)) return;
        if (cached != nullptr) {
            drive_ = Drive::matches;
            match_ = cached->begin();
            end_of_matches_ = cached->end();
        } else
            choose_tables();
    }

    /// Calls sink(run) for the runs of the next step; false when there is none. Columns of the run are valid until sink
    /// returns, or as long as the list of tables is if keeps_columns().
    template <class Sink>
    bool next(Sink&& sink) {
        return next([&](table_type& table, const std::int32_t* columns) { for_each_run(table, columns, sink); }, sink);
    }
    /// The same, but calls on_table(table, columns) for a table some rows of which may match; for_each_run() has its runs.
    template <class OnTable, class Sink>
    bool next(OnTable&& on_table, Sink&& sink) {
        switch (drive_) {
        case Drive::matches: {
            if (match_ == end_of_matches_) return false;
            const auto match = *match_;
            ++match_;
            enter(*match.table, match.columns, on_table);
            return true;
        }
        case Drive::tables: {
            if (table_ == end_of_tables_) return false;
            table_type& table = *(*table_).table;
            ++table_;
            if (look_up(table)) enter(table, columns_.data(), on_table);
            return true;
        }
        case Drive::entities:
            break;
        }
        if (std::exchange(visited_, true)) return false;
        visit_entities(sink);
        return true;
    }
    /// Calls sink(run) for the runs of the table that is on_table's.
    template <class Sink>
    void for_each_run(table_type& table, const std::int32_t* columns, Sink&& sink) const {
        if (!terms_->by_row()) return sink(Run{&table, columns, 0, table.size()});
        filter_.for_each_run([&](std::size_t first, std::size_t last) { sink(Run{&table, columns, first, last}); });
    }
    /// What leaves out rows of that table.
    const QueryRowFilter& filter() const noexcept { return filter_; }
    bool keeps_columns() const noexcept { return drive_ == Drive::matches; }
    /// The columns of a table that matches. They hold until the next call and the next step.
    const std::int32_t* columns(const Table& table) {
        look_up(table);
        return columns_.data();
    }

private:
    enum class Drive : std::uint8_t { matches, tables, entities };
    using Index = ArchetypeTables::Index;

    template <class OnTable>
    void enter(table_type& table, const std::int32_t* columns, OnTable& on_table) {
        if (table.size() != 0 && filter_.enter(table)) on_table(table, columns);
    }
    template <class Sink>
    void visit_entities(Sink& sink) {
        table_type* entered = nullptr;
        bool accepted = false;
        rarest_.front().for_each([&](Entity entity) {
            const EntityLocation* const at = core_->location(entity);
            if (at == nullptr) return;
            table_type& table = core_->table(*at);
            if (&table != entered) {
                entered = &table;
                accepted = look_up(table) && filter_.enter(table);
            }
            const std::size_t row = at->row();
            if (accepted && filter_.accepts(row)) sink(Run{&table, columns_.data(), row, row + 1});
        });
    }
    /// The columns of a table; false if it does not have all that is asked for.
    bool look_up(const Table& table) {
        columns_.clear();
        for (const ComponentId id : terms_->tables()) {
            std::size_t place = 0;
            if (!find_place(table, id, [&](std::size_t found) {
                    place = found;
                    return true;
                }))
                return false;
            columns_.push_back(table.column_at(place));
        }
        return true;
    }
    /// Walks those that have the rarest sparse component or target, if they are fewer than the rows of the tables.
    bool choose_entities(const QueryTables* cached) {
        const QueryOutside* const rarest = filter_.rarest();
        if (rarest == nullptr) return false;
        if (cached != nullptr && !terms_->tables().empty()) {
            const std::size_t fewest = rarest->count();
            std::size_t rows = 0;
            for (const auto match : *cached) {
                rows += match.table->size();
                if (rows > fewest) break;
            }
            if (rows <= fewest) return false;
        }
        drive_ = Drive::entities;
        rarest_.push_back(*rarest);
        return true;
    }
    /// Walks the tables that have the rarest of the components; all tables if none is asked for.
    void choose_tables() {
        drive_ = Drive::tables;
        const Index& index = core_->tables.index();
        auto tables = index.tables();
        for (const ComponentId id : terms_->tables())
            if (const auto those = index.tables(id); those.size() < tables.size()) tables = those;
        table_ = tables.begin();
        end_of_tables_ = tables.end();
    }

    Core* core_;
    const QueryTerms* terms_;
    QueryRowFilter filter_;
    Drive drive_ = Drive::entities;
    decltype(std::declval<const QueryTables&>().begin()) match_{}, end_of_matches_{};
    typename Index::Tables::iterator table_{}, end_of_tables_{};
    PlainVector<QueryOutside> rarest_{}; // one, if its entities are walked
    bool visited_ = false;
    PlainVector<std::int32_t> columns_{};
};

} // namespace detail
SLOTWISE_END

#endif
