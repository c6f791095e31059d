// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// QueryWalk: the tables and rows that a query matches, as runs.
#ifndef SLOTWISE_ECS_DETAIL_QUERY_WALK_HPP
#define SLOTWISE_ECS_DETAIL_QUERY_WALK_HPP

#include "../../core/detail/call_form.hpp"
#include "../component_registry.hpp"
#include "store_core.hpp"

#include <array>
#include <tuple>

SLOTWISE_BEGIN

// What a query asks for: the types of its components, and its terms in the form in which walks use them.

/// A component that a query delivers where it is: f gets X*, null where an entity does not have it or has it disabled.
/// @tparam X the component, const for reading only
template <class X>
struct Optional {};

namespace detail {

/// A component type in the list of a query.
template <class T>
struct QueryArgument {
    static constexpr bool sound = std::is_object_v<T> && !std::is_volatile_v<T>;
    using value = std::conditional_t<sound, T, std::remove_cvref_t<T>>;
    using component = std::remove_const_t<value>;
    using reference = value&; // what f gets
    static constexpr bool optional = false, constant = std::is_const_v<value> || is_tag_type<component>;
    // Last, because clang reads no further, and what is missing then is an error of its own.
    static_assert(!std::is_same_v<component, Entity>,
                  "query<Ts...>(): an Entity is no component; f(entity, values...) gets it");
    static_assert(sound, "query<Ts...>(): a component is named as T, or as const T if it is only read; without a reference");
};
template <class T>
struct QueryArgument<Optional<T>> : QueryArgument<T> {
    static_assert(!is_tag_type<std::remove_const_t<T>>, "optional<X>(): X is a tag and has no value; ask store.has<X>(entity)");
    using reference = T*;
    static constexpr bool optional = true;
};

/// The components of a query that have values, in their order: what f gets.
template <class...>
struct QueryValues {};
template <class Done, class... Ts>
struct ValuesOf {
    using type = Done;
};
template <class... Done, class T, class... Ts>
struct ValuesOf<QueryValues<Done...>, T, Ts...>
    : std::conditional_t<is_tag_type<typename QueryArgument<T>::component>, ValuesOf<QueryValues<Done...>, Ts...>,
                         ValuesOf<QueryValues<Done..., T>, Ts...>> {};
template <class... Ts>
using query_values = typename ValuesOf<QueryValues<>, Ts...>::type;

/// What a term asks of an entity.
enum class QueryTermKind : std::uint8_t { with, without, optional, changed, added };

/// Something that is looked at in each table or row. What decides over tables alone is in QueryTerms::tables().
struct QueryTerm {
    ComponentId id;
    QueryTermKind kind;
    bool outside = false; // sparse, or a pair of a switched relation: each row is looked up
    bool either = false;  // pairs of any relation, of which some are switched: in the table, or outside
    bool toggle = false;
    tick_t since = 0;
};

/// A component that f gets.
struct QueryColumn {
    ComponentId id{};
    std::uint32_t place = 0; // in QueryTerms::tables(); of an optional one it means nothing
    bool optional = false;
    bool outside = false;
    bool toggle = false;
    bool stamps = false; // tracked, and f may write
};

/// Finds the id of a type that is not registered yet; null as long as it is not.
using FindComponent = ComponentId (*)(const ComponentRegistry&) noexcept;

/// The terms of a query.
class QueryTerms {
public:
    /// A term. Ids are checked. @throws std::invalid_argument when the registry does not know the id, or the component is not
    /// tracked and the term asks when it changed; what the allocator throws
    /// @param in_tables a pair of any relation is looked for in tables only
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
            term.outside = traits.sparse || (traits.switched && id.is_pair() && !id.has_any_target());
            if (traits.switched && id.is_pair()) {
                id = registry.id(id.relation_number()); // which is in the tables
                if (!term.outside) term.id = id;
            }
        }
        if (by_tick && (id.is_wildcard() || !registry.traits(id).tracked))
            throw_invalid_argument("Query: changed and added ask when a component changed, and this one is not tracked; "
                                   "register it with the trait tracked");
        const bool must = kind != QueryTermKind::without && kind != QueryTermKind::optional;
        if (must && !term.either && !(term.outside && !id.is_pair() && registry.traits(id).sparse)) insert_sorted(tables_, id);
        if (by_tick && term.toggle) look_at({.id = id, .kind = QueryTermKind::with, .toggle = true});
        const bool by_table = kind == QueryTermKind::with || kind == QueryTermKind::optional;
        if (!by_table || term.outside || term.toggle || term.either) look_at(term);
    }
    /// A term whose type is not registered yet. A query of a const store cannot register it.
    void add_late(FindComponent find, QueryTermKind kind, tick_t since = 0) { late_.push_back({find, kind, since}); }
    /// Looks for types that were not registered when the query was made. False when a term asks for one that still is not: no
    /// entity has it.
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
    bool is_complete() const noexcept { return late_.empty(); }

    /// The ids that a table must have, in ascending order.
    std::span<const ComponentId> tables() const noexcept { return tables_.span(); }
    /// Whether one of them is a pair with an entity.
    bool names_entity() const noexcept {
        for (std::size_t i = tables_.size(); i-- != 0 && tables_[i].is_pair();) // pairs come last
            if (tables_[i].target()) return true;
        return false;
    }
    std::uint32_t place_of(ComponentId id) const noexcept {
        std::uint32_t place = 0;
        while (place != tables_.size() && tables_[place] < id) ++place;
        return place;
    }
    /// What is to be looked at in each table that has those.
    const PlainVector<QueryTerm>& looked_at() const noexcept { return looked_at_; }
    /// Whether a term may leave out some rows of a table, or optional components of some rows.
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
    void look_at(const QueryTerm& term) {
        if (term.kind == QueryTermKind::optional && term.outside) return; // it is looked up
        looked_at_.push_back(term);
        by_row_ = by_row_ || term.toggle || term.outside || term.either || term.kind != QueryTermKind::without;
        by_entity_ = by_entity_ || (term.outside && term.kind == QueryTermKind::with);
    }

    PlainVector<ComponentId> tables_{};
    PlainVector<QueryTerm> looked_at_{};
    PlainVector<Late> late_{};
    bool by_row_ = false;
    bool by_entity_ = false;
};

// QueryRowFilter: the rows of a table that satisfy what a query asks of each row, as runs.

/// Calls f(place) for each of a table's ids that is the one of the term, or that its wildcard stands for, until f returns true;
/// returns whether it did.
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
class QueryOutside {
public:
    QueryOutside(const SparseComponents& outside, const QueryTerm& term) noexcept
        : column_(term.id.is_pair() ? nullptr : outside.column(term.id.number())),
          targets_(term.id.is_pair() ? outside.targets(term.id.relation_number()) : nullptr),
          target_(ComponentIdParts::target_of(term.id)), wanted_(term.kind == QueryTermKind::with) {}

    bool wanted() const noexcept { return wanted_; }
    /// Whether the term is satisfied.
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
    /// Calls f(entity) for each of them.
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

/// Which rows of a table satisfy the terms of a query that do not hold for all of its rows.
class QueryRowFilter {
public:
    QueryRowFilter(const StoreCore& core, const PlainVector<QueryTerm>& terms) : core_(&core), terms_(&terms) {
        for (const QueryTerm& term : terms)
            if (term.outside) outside_.push_back(QueryOutside(core.sparse, term));
    }

    /// Looks at a table. False when no row of it satisfies the terms. @pre it has what QueryTerms::tables() names
    bool enter(const Table& table) {
        table_ = &table;
        with_.clear(), without_.clear(), split_.clear(), ticks_.clear(), either_.clear();
        for (const QueryTerm& term : *terms_)
            if (!term.outside && !enter(table, term)) return false;
        return true;
    }
    /// Whether an optional component is disabled in some rows of the table: its pointer differs from run to run.
    bool splits() const noexcept { return !split_.empty(); }
    /// The term that the fewest entities satisfy by what they have outside the tables; null if no term asks for that.
    const QueryOutside* rarest() const {
        const QueryOutside* rarest = nullptr;
        for (const QueryOutside& term : outside_)
            if (term.wanted() && (rarest == nullptr || term.count() < rarest->count())) rarest = &term;
        return rarest;
    }
    /// Whether row `row` of the table satisfies all terms.
    bool accepts(std::size_t row) const {
        for (const BitSource& bits : with_)
            if (!test(bits, row)) return false;
        for (const BitSource& bits : without_)
            if (test(bits, row)) return false;
        return accepts_rest(row);
    }
    /// Calls sink(first, last) for the runs of rows that satisfy all terms, in ascending order.
    template <class Sink>
    void for_each_run(Sink&& sink) const {
        const std::size_t rows = table_->size();
        const bool by_row = !either_.empty() || !outside_.empty();
        if (!splits() && ticks_.empty() && !by_row) return for_each_enabled(rows, sink); // without a detour: sink is inlined
        const auto pass_run = [&](std::size_t first, std::size_t last) { emit_split(first, last, sink); };
        if (!ticks_.empty()) {
            Joined<decltype(pass_run)> runs(pass_run);
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
            Joined<decltype(pass_run)> runs(pass_run);
            for (; first != last; ++first)
                if (accepts_rest(first)) runs.add(first);
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
    /// Makes runs of rows that come one by one.
    template <class Emit>
    class Joined {
    public:
        explicit Joined(Emit& pass_run) noexcept : emit_(pass_run) {}
        void add(std::size_t row) {
            if (row != last_) {
                flush();
                first_ = row;
            }
            last_ = row + 1;
        }
        void flush() {
            if (first_ != last_) emit_(first_, last_);
            first_ = last_;
        }

    private:
        Emit& emit_;
        std::size_t first_ = 0, last_ = 0;
    };

    /// The runs that the columns of bits leave.
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
    /// What is not in columns of bits.
    bool accepts_rest(std::size_t row) const {
        for (const Ticks& ticks : ticks_)
            if (!(ticks.added ? ticks.column->added_since(row, ticks.since) : ticks.column->changed_since(row, ticks.since)))
                return false;
        if (either_.empty() && outside_.empty()) return true;
        const Entity entity = table_->entities()[row];
        for (const QueryTerm* const term : either_)
            if (has_either(*term, row, entity) != (term->kind == QueryTermKind::with)) return false;
        for (const QueryOutside& term : outside_)
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
    void emit_split(std::size_t first, std::size_t last, Sink& sink) const {
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
    PlainVector<QueryOutside> outside_{};
    // of the table that was entered
    const Table* table_ = nullptr;
    PlainVector<BitSource> with_{}, without_{}, split_{};
    PlainVector<Ticks> ticks_{};
    PlainVector<const QueryTerm*> either_{}; // wildcards that no pair satisfies for the whole table
};

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

// QueryFetch: the values of a query's components in a run of rows.

/// Where the values of a component are, from row 0 of a table on. Of an optional one it may be null.
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

template <class V>
struct QueryType {
    using type = V;
};

/// The components with values of a query, with what its walks need to know of each.
/// @tparam Values QueryValues<Vs...>
template <class Values>
struct QueryFetch;
template <class... Vs>
struct QueryFetch<QueryValues<Vs...>> {
    static constexpr std::size_t count = sizeof...(Vs);
    static constexpr std::index_sequence_for<Vs...> indices{};
    using Columns = std::array<QueryColumn, count>;
    using Pointers = std::tuple<QueryPointer<Vs>...>;
    template <std::size_t Nth>
    using Value = std::tuple_element_t<Nth, std::tuple<Vs...>>;
    using Row = std::tuple<typename QueryArgument<Vs>::reference...>;
    using EntityRow = std::tuple<Entity, typename QueryArgument<Vs>::reference...>;

    /// The values of one component, from row 0 on. @param first the row that says whether an optional one is enabled
    template <class V, class TableType>
    SLOTWISE_ALWAYS_INLINE static QueryPointer<V> pointer(TableType& table, const std::int32_t* columns, const QueryColumn& of,
                                                          std::size_t first) {
        using component = typename QueryArgument<V>::component;
        if constexpr (QueryArgument<V>::optional)
            return {optional_data<component>(table, of, first)};
        else
            return {table.template data<component>(static_cast<std::size_t>(columns[of.place]))};
    }
    /// Those of all components. @pre none is sparse
    template <class TableType>
    SLOTWISE_ALWAYS_INLINE static Pointers pointers(TableType& table, const std::int32_t* columns, const Columns& of,
                                                    std::size_t first) {
        return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            return Pointers{pointer<Vs>(table, columns, of[Nth], first)...};
        }(indices);
    }
    /// The address of one value, of which a sparse one is looked up; null if an optional one is not there.
    template <class V, class Core, class TableType>
    static auto* value(Core& core, TableType& table, const std::int32_t* columns, const QueryColumn& of, std::size_t row) {
        using value = typename QueryArgument<V>::value;
        if (of.outside) return static_cast<value*>(core.sparse.get(table.entities()[row], of.id));
        const auto at = pointer<V>(table, columns, of, row);
        return at.data == nullptr ? nullptr : static_cast<value*>(at.data) + row;
    }
    /// What f gets of a row, by value().
    template <class V, class Core, class TableType>
    static typename QueryArgument<V>::reference look_up(Core& core, TableType& table, const std::int32_t* columns,
                                                        const QueryColumn& of, std::size_t row) {
        auto* const found = value<V>(core, table, columns, of, row);
        if constexpr (QueryArgument<V>::optional)
            return found;
        else
            return *found;
    }

    /// Calls f(values...), or f(entity, values...) if its first parameter is an Entity. One that takes anything gets the
    /// values.
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
    /// Calls f for rows [first, last) of a table. No component is sparse. The pointers are parameters, not members, so that the
    /// compiler keeps them in registers and sees an array each.
    template <class F, class TableType>
    SLOTWISE_ALWAYS_INLINE static void each_row(F& f, TableType& table, const std::int32_t* columns, const Columns& of,
                                                std::size_t first, std::size_t last) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            loop(f, table.entities().data(), first, last, pointer<Vs>(table, columns, of[Nth], first)...);
        }(indices);
    }
    /// The same for the runs of rows that for_each_run(sink) calls sink(first, last) with. No optional component is there in
    /// one run and missing in another. A run of one row is no loop: what prepares a vectorised one takes three times as long.
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
    /// The same as each_row with f(spans...), or f(entities, spans...), for all rows at once.
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
    /// As each_row for one row. Components may be sparse.
    template <class F, class Core, class TableType>
    static void row_outside(F& f, Core& core, TableType& table, const std::int32_t* columns, const Columns& of,
                            std::size_t row) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            call(f, table.entities().data(), row, look_up<Vs>(core, table, columns, of[Nth], row)...);
        }(indices);
    }
    template <class V>
    static auto span_of(const QueryPointer<V>& of, std::size_t first, std::size_t last) noexcept {
        using Span = std::span<typename QueryPointer<V>::value>;
        return of.data == nullptr ? Span() : Span(of.data + first, last - first);
    }
    /// Calls f(i, type) for each component, with a null pointer to QueryType<V>.
    template <class F>
    static void for_each_value(F&& f) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) { (f(Nth, static_cast<QueryType<Vs>*>(nullptr)), ...); }(indices);
    }
    /// The number of component X.
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
