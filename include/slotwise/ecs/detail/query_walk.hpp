// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a Query stands on, from the bottom up: QueryTerms are what it asks for, QueryRowFilter and QueryWalk find the rows that
// match, and QueryFetch hands the values of those rows to the caller. Types of components are known to QueryFetch only.
#ifndef SLOTWISE_ECS_DETAIL_QUERY_WALK_HPP
#define SLOTWISE_ECS_DETAIL_QUERY_WALK_HPP

#include "../../core/detail/call_form.hpp"
#include "../../core/with.hpp"
#include "../component_registry.hpp"
#include "store_core.hpp"

#include <array>
#include <tuple>

SLOTWISE_BEGIN

namespace detail {

//=== terms ===//

/// What a term asks of an entity.
enum class QueryTermKind : std::uint8_t { with, without, optional, changed, added };

/// A term that is checked in each table or row. QueryTerms::tables() has what can be decided for a table by its ids alone.
struct QueryTerm {
    ComponentId id;
    QueryTermKind kind;
    bool sparse = false; // a sparse component, or a pair of a switched relation: it is looked up for each row
    bool either = false; // pairs of any relation, and some relations are switched: in the table or sparse
    bool toggle = false;
    tick_t since = 0;
};

/// A component whose values a query delivers.
struct QueryColumn {
    ComponentId id{};
    std::uint32_t place = 0; // in QueryTerms::tables(), unless the component is optional
    bool optional = false;
    bool sparse = false;
    bool toggle = false;
    bool stamps = false; // tracked, and not const
};

/// Finds the id of a component type; null as long as the type is not registered.
using FindComponent = ComponentId (*)(const ComponentRegistry&) noexcept;

/// The terms of a query: which ids a table must have, and what is checked beyond that.
class QueryTerms {
public:
    /// Adds a term. @throws std::invalid_argument when the registry does not know the id, or when the term asks whether a
    /// component changed that is not tracked; what the allocator throws
    /// @param in_tables whether pairs of any relation are looked for in tables only
    void add(const ComponentRegistry& registry, ComponentId id, QueryTermKind kind, tick_t since = 0, bool in_tables = false) {
        registry.expect_term(id, "ArchetypeStore::query");
        const bool by_tick = kind == QueryTermKind::changed || kind == QueryTermKind::added;
        QueryTerm term{.id = id, .kind = kind, .since = since};
        if (id.has_any_relation()) {
            term.either = !in_tables && has_switched(registry);
            term.toggle = true; // a relation among them may have it
        } else {
            const ComponentTraits& traits = registry.traits(id);
            term.toggle = traits.toggle;
            term.sparse = traits.sparse || (traits.switched && id.is_pair() && !id.has_any_target());
            if (traits.switched && id.is_pair()) {
                id = registry.id(id.relation_number()); // tables have the relation and not its targets
                if (!term.sparse) term.id = id;
            }
        }
        if (by_tick && (id.is_wildcard() || !registry.traits(id).tracked))
            throw_invalid_argument("Query: changed and added ask when a component changed, and this one is not tracked; "
                                   "register it with the trait tracked");
        const bool must = kind != QueryTermKind::without && kind != QueryTermKind::optional;
        if (must && !term.either && !(term.sparse && !id.is_pair() && registry.traits(id).sparse)) insert_sorted(tables_, id);
        if (by_tick && term.toggle) add_checked({.id = id, .kind = QueryTermKind::with, .toggle = true});
        const bool by_table = kind == QueryTermKind::with || kind == QueryTermKind::optional;
        if (!by_table || term.sparse || term.toggle || term.either) add_checked(term);
    }
    /// Adds a term whose type is not registered yet and cannot be, because the store is const.
    void add_late(FindComponent find, QueryTermKind kind, tick_t since = 0) { late_.push_back({find, kind, since}); }
    /// Adds the late terms whose types are registered by now. Returns false when no entity can match, because a term asks for
    /// a type that still is not registered.
    bool complete(const ComponentRegistry& registry) {
        bool possible = true;
        for (const Late& late : std::exchange(late_, {})) {
            if (const ComponentId id = late.find(registry))
                add(registry, id, late.kind, late.since);
            else {
                possible = possible && (late.kind == QueryTermKind::without || late.kind == QueryTermKind::optional);
                late_.push_back(late);
            }
        }
        return possible;
    }
    /// Whether no late term is left.
    bool is_complete() const noexcept { return late_.empty(); }

    /// The ids that a table must have, in ascending order.
    std::span<const ComponentId> tables() const noexcept { return tables_.span(); }
    /// Whether a table must have a pair whose target is an entity.
    bool names_entity() const noexcept {
        for (std::size_t i = tables_.size(); i-- != 0 && tables_[i].is_pair();) // pairs come last
            if (tables_[i].target()) return true;
        return false;
    }
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
    /// Whether a term asks for a sparse component or a target of a switched relation.
    bool by_entity() const noexcept { return by_entity_; }

private:
    struct Late {
        FindComponent find;
        QueryTermKind kind;
        tick_t since;
    };
    static bool has_switched(const ComponentRegistry& registry) {
        for (std::uint32_t number = 1; number <= registry.size(); ++number)
            if (registry.traits(registry.id(number)).switched) return true;
        return false;
    }
    void add_checked(const QueryTerm& term) {
        if (term.kind == QueryTermKind::optional && term.sparse) return; // QueryFetch looks it up
        checked_.push_back(term);
        by_row_ = by_row_ || term.toggle || term.sparse || term.either || term.kind != QueryTermKind::without;
        by_entity_ = by_entity_ || (term.sparse && term.kind == QueryTermKind::with);
    }

    PlainVector<ComponentId> tables_{};
    PlainVector<QueryTerm> checked_{};
    PlainVector<Late> late_{};
    bool by_row_ = false;
    bool by_entity_ = false;
};

//=== rows ===//

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

/// A term that asks for a sparse component, or for a target of a switched relation.
class QuerySparseTerm {
public:
    QuerySparseTerm(const SparseComponents& sparse, const QueryTerm& term) noexcept
        : column_(term.id.is_pair() ? nullptr : sparse.column(term.id.number())),
          targets_(term.id.is_pair() ? sparse.targets(term.id.relation_number()) : nullptr),
          target_(ComponentIdParts::target_of(term.id)), wanted_(term.kind == QueryTermKind::with) {}

    /// Whether entities must have it; otherwise they must not.
    bool wanted() const noexcept { return wanted_; }
    /// Whether the entity satisfies the term.
    bool accepts(Entity entity) const noexcept {
        if (column_ != nullptr) return column_->contains(entity) == wanted_;
        const Entity* const target = targets_ == nullptr ? nullptr : targets_->get(entity);
        return (target != nullptr && *target == target_) == wanted_;
    }
    /// How many entities have it.
    std::size_t count() const {
        if (column_ != nullptr) return column_->size();
        return targets_ == nullptr ? 0 : targets_->count(target_);
    }
    /// Calls f(entity) for each entity that has it.
    template <class F>
    void for_each(F&& f) const {
        if (column_ != nullptr) std::as_const(*column_).for_each([&](Entity entity, const void*) { f(entity); });
        if (targets_ == nullptr) return;
        for (const Entity entity : targets_->of(target_)) f(entity);
    }

private:
    const SparseColumn* column_;
    const SparseComponents::Targets* targets_;
    Entity target_;
    bool wanted_;
};

/// Which rows of a table satisfy the terms that a query checks row by row.
class QueryRowFilter {
public:
    QueryRowFilter(const StoreCore& core, const PlainVector<QueryTerm>& terms) : core_(&core), terms_(&terms) {
        for (const QueryTerm& term : terms)
            if (term.sparse) sparse_.push_back(QuerySparseTerm(core.sparse, term));
    }

    /// Goes to a table. Returns false when no row of it satisfies the terms. @pre it has all of QueryTerms::tables()
    bool enter(const Table& table) {
        table_ = &table;
        with_.clear(), without_.clear(), split_.clear(), ticks_.clear(), either_.clear();
        for (const QueryTerm& term : *terms_)
            if (!term.sparse && !enter(table, term)) return false;
        return true;
    }
    /// Whether an optional component is disabled in some rows of the table. Its pointer then differs from run to run.
    bool splits() const noexcept { return !split_.empty(); }
    /// The wanted sparse term that the fewest entities satisfy; null if there is none.
    const QuerySparseTerm* rarest() const {
        const QuerySparseTerm* rarest = nullptr;
        for (const QuerySparseTerm& term : sparse_)
            if (term.wanted() && (rarest == nullptr || term.count() < rarest->count())) rarest = &term;
        return rarest;
    }
    /// Whether row `row` of the table satisfies all terms.
    bool accepts(std::size_t row) const {
        for (const BitSource& bits : with_)
            if (!test(bits, row)) return false;
        for (const BitSource& bits : without_)
            if (test(bits, row)) return false;
        return accepts_beyond_bits(row);
    }
    /// Calls sink(first, last) for the runs of rows that satisfy all terms, in ascending order.
    template <class Sink>
    void for_each_run(Sink&& sink) const {
        const std::size_t rows = table_->size();
        const bool by_row = !either_.empty() || !sparse_.empty();
        if (!splits() && ticks_.empty() && !by_row) return for_each_enabled(rows, sink); // directly, so that sink is inlined
        const auto pass_run = [&](std::size_t first, std::size_t last) { pass_split(first, last, sink); };
        if (!ticks_.empty()) {
            RunsOfRows<decltype(pass_run)> runs(pass_run);
            const Ticks& drive = ticks_.front();
            const auto add = [&](std::size_t row) {
                if (accepts(row)) runs.add(row);
            };
            if (drive.added)
                drive.column->for_each_added(drive.since, add);
            else
                drive.column->for_each_changed(drive.since, add);
            return runs.flush();
        }
        const auto take = [&](std::size_t first, std::size_t last) {
            if (!by_row) return pass_run(first, last);
            RunsOfRows<decltype(pass_run)> runs(pass_run);
            for (; first != last; ++first)
                if (accepts_beyond_bits(first)) runs.add(first);
            runs.flush();
        };
        for_each_enabled(rows, take);
    }

private:
    struct Ticks {
        const TickColumn* column;
        tick_t since;
        bool added;
    };
    /// Joins rows that come one by one to runs.
    template <class PassRun>
    class RunsOfRows {
    public:
        explicit RunsOfRows(PassRun& pass_run) noexcept : pass_run_(pass_run) {}
        void add(std::size_t row) {
            if (row != last_) {
                flush();
                first_ = row;
            }
            last_ = row + 1;
        }
        void flush() {
            if (first_ != last_) pass_run_(first_, last_);
            first_ = last_;
        }

    private:
        PassRun& pass_run_;
        std::size_t first_ = 0, last_ = 0;
    };

    /// Calls sink for the runs in which all columns of bits allow it.
    template <class Sink>
    void for_each_enabled(std::size_t rows, Sink& sink) const {
        if (with_.empty() && without_.empty()) return sink(std::size_t{0}, rows);
        if (with_.size() == 1 && without_.empty()) // a loop over one column takes half as long
            return slotwise::for_each_run(rows, include(with_.front()), exclude(), sink);
        slotwise::for_each_run(rows, include(with_.span()), exclude(without_.span()), sink);
    }
    static bool test(const BitSource& bits, std::size_t row) noexcept {
        return (bits.word(bits::word_of(row)) & bits::bit_of(row)) != 0;
    }
    /// Notes what one term asks of this table's rows. Returns false when no row satisfies it.
    bool enter(const Table& table, const QueryTerm& term) {
        switch (term.kind) {
        case QueryTermKind::without: // a disabled component counts as not there
            if (term.either) either_.push_back(&term);
            return !find_place(table, term.id, [&](std::size_t place) {
                const BitColumn* const bits = table.bits(place);
                if (bits != nullptr) without_.push_back(*bits);
                return bits == nullptr;
            });
        case QueryTermKind::with:
            if (!table.any_disabled_columns() && !term.either) return true;
            if (term.id.is_wildcard()) {
                if (!find_place(table, term.id, [&](std::size_t place) { return table.bits(place) == nullptr; }))
                    either_.push_back(&term);
            } else if (const BitColumn* const bits = table.bits(static_cast<std::size_t>(table.place_of(term.id))))
                with_.push_back(*bits);
            return true;
        case QueryTermKind::optional:
            find_place(table, term.id, [&](std::size_t place) {
                if (const BitColumn* const bits = table.bits(place)) split_.push_back(*bits);
                return true;
            });
            return true;
        case QueryTermKind::changed:
        case QueryTermKind::added: {
            const TickColumn* const ticks = table.ticks(static_cast<std::size_t>(table.place_of(term.id)));
            ticks_.push_back({ticks, term.since, term.kind == QueryTermKind::added});
            return true;
        }
        }
        return true;
    }
    /// Whether the row satisfies the terms that are not columns of bits.
    bool accepts_beyond_bits(std::size_t row) const {
        for (const Ticks& ticks : ticks_)
            if (!(ticks.added ? ticks.column->added_since(row, ticks.since) : ticks.column->changed_since(row, ticks.since)))
                return false;
        if (either_.empty() && sparse_.empty()) return true;
        const Entity entity = table_->entities()[row];
        for (const QueryTerm* const term : either_)
            if (has_either(*term, row, entity) != (term->kind == QueryTermKind::with)) return false;
        for (const QuerySparseTerm& term : sparse_)
            if (!term.accepts(entity)) return false;
        return true;
    }
    bool has_either(const QueryTerm& term, std::size_t row, Entity entity) const {
        const auto enabled = [&](std::size_t place) {
            const BitColumn* const bits = table_->bits(place);
            return bits == nullptr || bits->test(row);
        };
        return find_place(*table_, term.id, enabled) || (term.either && core_->sparse.has(entity, term.id));
    }
    /// Cuts a run where an optional component is enabled in one row and disabled in the next.
    template <class Sink>
    void pass_split(std::size_t first, std::size_t last, Sink& sink) const {
        if (split_.empty()) return sink(first, last);
        for (std::size_t row = first; first != last; first = row) {
            for (++row; row != last && same(first, row);) ++row;
            sink(first, row);
        }
    }
    bool same(std::size_t a, std::size_t b) const noexcept {
        for (const BitSource& bits : split_)
            if (test(bits, a) != test(bits, b)) return false;
        return true;
    }

    const StoreCore* core_;
    const PlainVector<QueryTerm>* terms_;
    PlainVector<QuerySparseTerm> sparse_{};
    // What follows is about the table that was entered.
    const Table* table_ = nullptr;
    PlainVector<BitSource> with_{}, without_{}, split_{};
    PlainVector<Ticks> ticks_{};
    PlainVector<const QueryTerm*> either_{}; // wildcards that no pair satisfies for the whole table
};

//=== walk ===//

/// Forbids changes of structure in a store as long as it lives.
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

/// The runs of rows that a query matches, in steps. A step is a table, in the order of ArchetypeTables, or all entities that
/// have the rarest sparse component.
/// @tparam Core StoreCore, or const StoreCore
template <class Core>
class QueryWalk {
public:
    using table_type = std::conditional_t<std::is_const_v<Core>, const Table, Table>;
    /// Rows [first, last) of a table.
    struct Run {
        table_type* table;
        const std::int32_t* columns; // for each of QueryTerms::tables() its column in the table
        std::size_t first, last;
    };

    /// @param cached the tables that match; null: they are searched for
    QueryWalk(Core& core, const QueryTerms& terms, const QueryTables* cached)
        : core_(&core), terms_(&terms), filter_(core, terms.checked()) {
        if (terms.by_entity() && choose_entities(cached)) return;
        if (cached != nullptr) {
            drive_ = Drive::matches;
            match_ = cached->begin();
            end_of_matches_ = cached->end();
        } else
            choose_tables();
    }

    /// Calls sink(run) for the runs of the next step; returns false when there is none. Run::columns is valid until sink
    /// returns, and as long as the list of tables if keeps_columns().
    template <class Sink>
    bool next(Sink&& sink) {
        return next([&](table_type& table, const std::int32_t* columns) { for_each_run(table, columns, sink); }, sink);
    }
    /// The same, but calls on_table(table, columns) when the step is a table. It can call for_each_run() for the runs.
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
    /// Calls sink(run) for the runs of the table that on_table was called with.
    template <class Sink>
    void for_each_run(table_type& table, const std::int32_t* columns, Sink&& sink) const {
        if (!terms_->by_row()) return sink(Run{&table, columns, 0, table.size()});
        filter_.for_each_run([&](std::size_t first, std::size_t last) { sink(Run{&table, columns, first, last}); });
    }
    /// The filter of that table's rows.
    const QueryRowFilter& filter() const noexcept { return filter_; }
    /// Whether Run::columns outlives the step.
    bool keeps_columns() const noexcept { return drive_ == Drive::matches; }
    /// The columns of a table that matches, valid until the next call or step.
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
    /// Finds the columns of a table. Returns false if it does not have all of QueryTerms::tables().
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
    /// Walks the entities that satisfy the rarest sparse term, if they are fewer than the rows of the tables. Returns whether
    /// it does.
    bool choose_entities(const QueryTables* cached) {
        const QuerySparseTerm* const rarest = filter_.rarest();
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
    /// Walks the tables that have the rarest of the ids that tables must have, or all tables.
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
    PlainVector<QuerySparseTerm> rarest_{}; // one element, if its entities are walked
    bool visited_ = false;
    PlainVector<std::int32_t> columns_{};
};

//=== values ===//

/// A component type as it is written in Query<Store, Ts...>.
template <class T>
struct QueryArgument {
    static constexpr bool sound = std::is_object_v<T> && !std::is_volatile_v<T>;
    using value = std::conditional_t<sound, T, std::remove_cvref_t<T>>;
    using component = component_type<value>;
    using reference = value&; // what the caller's function gets
    static constexpr bool optional = false, constant = std::is_const_v<value> || is_tag_type<component>;
    // Last, because clang reads no further, and what is missing then is an error of its own.
    static_assert(sound, "query<Ts...>(): a component is named as T, or as const T if it is only read; without a reference");
};
template <class T>
struct QueryArgument<Optional<T>> : QueryArgument<T> {
    static_assert(!is_tag_type<std::remove_const_t<T>>, "optional<X>(): X is a tag and has no value; ask store.has<X>(entity)");
    using reference = T*;
    static constexpr bool optional = true;
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
        if constexpr (QueryArgument<V>::optional)
            return data == nullptr ? nullptr : data + row;
        else
            return data[row];
    }
};

/// How the values of a query's components get from tables to the caller's function.
/// @tparam Values query_values<Ts...>
template <class Values>
struct QueryFetch;
template <class... Vs>
struct QueryFetch<TypeList<Vs...>> {
    static constexpr std::size_t count = sizeof...(Vs);
    static constexpr std::index_sequence_for<Vs...> indices{};
    using Columns = std::array<QueryColumn, count>;
    using Pointers = std::tuple<QueryPointer<Vs>...>;
    template <std::size_t Nth>
    using Value = std::tuple_element_t<Nth, std::tuple<Vs...>>;
    using Row = std::tuple<typename QueryArgument<Vs>::reference...>;
    using EntityRow = std::tuple<Entity, typename QueryArgument<Vs>::reference...>;

    /// The values of one component. @param first the row in which an optional component must be enabled
    template <class V, class TableType>
    SLOTWISE_ALWAYS_INLINE static QueryPointer<V> pointer(TableType& table, const std::int32_t* columns, const QueryColumn& of,
                                                          std::size_t first) {
        using component = typename QueryArgument<V>::component;
        if constexpr (QueryArgument<V>::optional)
            return {optional_data<component>(table, of, first)};
        else
            return {table.template data<component>(static_cast<std::size_t>(columns[of.place]))};
    }
    /// The values of all components. @pre none is sparse
    template <class TableType>
    SLOTWISE_ALWAYS_INLINE static Pointers pointers(TableType& table, const std::int32_t* columns, const Columns& of,
                                                    std::size_t first) {
        return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            return Pointers{pointer<Vs>(table, columns, of[Nth], first)...};
        }(indices);
    }
    /// The address of one value, which is looked up if it is sparse; null if an optional component is missing.
    template <class V, class Core, class TableType>
    static auto* value(Core& core, TableType& table, const std::int32_t* columns, const QueryColumn& of, std::size_t row) {
        using value = typename QueryArgument<V>::value;
        if (of.sparse) return static_cast<value*>(core.sparse.get(table.entities()[row], of.id));
        const auto at = pointer<V>(table, columns, of, row);
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
    template <class F, class TableType>
    SLOTWISE_ALWAYS_INLINE static void each_row(F& f, TableType& table, const std::int32_t* columns, const Columns& of,
                                                std::size_t first, std::size_t last) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            loop(f, table.entities().data(), first, last, pointer<Vs>(table, columns, of[Nth], first)...);
        }(indices);
    }
    /// The same for the runs of rows for which for_each_run(sink) calls sink(first, last). A run of one row is not looped
    /// over: the prologue of a vectorised loop takes three times as long as the row.
    /// @pre an optional component is present in all runs or in none
    template <class F, class TableType, class ForEachRun>
    static void each_run(F& f, TableType& table, const std::int32_t* columns, const Columns& of, ForEachRun&& for_each_run) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            [&f, entities = table.entities().data(), &for_each_run](auto... pointers) {
                for_each_run([&f, entities, pointers...](std::size_t first, std::size_t last) {
                    if (last - first == 1) return call(f, entities, first, pointers[first]...);
                    loop(f, entities, first, last, pointers...);
                });
            }(pointer<Vs>(table, columns, of[Nth], 0)...);
        }(indices);
    }
    /// Calls f(spans...), or f(entities, spans...), for rows [first, last) at once. @pre no component is sparse
    template <class F, class TableType>
    static void each_span(F& f, TableType& table, const std::int32_t* columns, const Columns& of, std::size_t first,
                          std::size_t last) {
        const std::span<const Entity> entities = table.entities().subspan(first, last - first);
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            call_spans(f, entities, span_of(pointer<Vs>(table, columns, of[Nth], first), first, last)...);
        }(indices);
    }
    /// Calls f(entity, values...) for one row. Components may be sparse.
    template <class F, class Core, class TableType>
    static void row_with_entity(F&& f, Core& core, TableType& table, const std::int32_t* columns, const Columns& of,
                                std::size_t row) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            f(table.entities()[row], look_up<Vs>(core, table, columns, of[Nth], row)...);
        }(indices);
    }
    /// Calls f as each_row does, for one row. Components may be sparse.
    template <class F, class Core, class TableType>
    static void one_row(F& f, Core& core, TableType& table, const std::int32_t* columns, const Columns& of, std::size_t row) {
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

#endif
