// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bodies of query_walk.hpp.
#ifndef SLOTWISE_ECS_DETAIL_QUERY_WALK_INL_HPP
#define SLOTWISE_ECS_DETAIL_QUERY_WALK_INL_HPP

#include "query_walk.hpp"

#include <array>

SLOTWISE_BEGIN

namespace detail {

//=== terms ===//

SLOTWISE_INLINE QueryTerms::QueryTerms(const QueryTerms& other) = default;
SLOTWISE_INLINE QueryTerms::~QueryTerms() = default;

SLOTWISE_INLINE void QueryTerms::add(const ComponentRegistry& registry, ComponentId id, QueryTermKind kind, tick_t since,
                                     bool in_tables) {
    registry.expect_term(id, "ArchetypeStore::query");
    const auto has_outside = [&] { // relations whose pairs are in no table
        for (std::uint32_t number = 1; number <= registry.size(); ++number)
            if (registry.needs_target(registry.id(number))) return true;
        return false;
    };
    const bool by_tick = kind == QueryTermKind::changed || kind == QueryTermKind::added;
    QueryTerm term{.id = id, .kind = kind, .group = kind == QueryTermKind::either ? groups_ : 0, .since = since};
    if (id.has_any_relation()) {
        term.anywhere = !in_tables && has_outside();
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
        throw_invalid_argument(("Query: changed and added ask when a component changed, and " + registry.name(id) +
                                " is not tracked; register it with the trait tracked")
                                   .c_str());
    const bool must = kind != QueryTermKind::without && kind != QueryTermKind::optional && kind != QueryTermKind::either;
    if (must && !term.anywhere && !(term.sparse && registry.traits(id).sparse)) insert_sorted(tables_, id);
    if (kind != QueryTermKind::without && !id.has_any_relation() && registry.traits(id).hides) {
        insert_sorted(shown_, id);
        shows_more_ = shows_more_ || !must;
    }
    if (by_tick && term.toggle) add_checked({.id = id, .kind = QueryTermKind::with, .toggle = true});
    const bool by_table = kind == QueryTermKind::with || kind == QueryTermKind::optional;
    if (!by_table || term.sparse || term.toggle || term.anywhere) add_checked(term);
}

SLOTWISE_INLINE bool QueryTerms::complete(const ComponentRegistry& registry) {
    bool possible = true;
    const std::uint32_t groups = groups_;
    for (const Late& late : std::exchange(late_, {})) {
        groups_ = late.group;
        if (const ComponentId id = late.find(registry))
            add(registry, id, late.kind, late.since);
        else
            late_.push_back(late);
    }
    groups_ = groups;
    for (const Late& late : late_)
        possible = possible && (late.kind == QueryTermKind::without || late.kind == QueryTermKind::optional ||
                                (late.kind == QueryTermKind::either && has_group(late.group)));
    return possible;
}

SLOTWISE_INLINE bool QueryTerms::has_group(std::uint32_t group) const noexcept {
    for (const QueryTerm& term : checked_)
        if (term.group == group) return true;
    return false;
}

SLOTWISE_INLINE bool QueryTerms::names_entity() const noexcept {
    for (std::size_t i = tables_.size(); i-- != 0 && tables_[i].is_pair();) // pairs come last
        if (tables_[i].target()) return true;
    return false;
}

SLOTWISE_INLINE void QueryTerms::add_checked(const QueryTerm& term) {
    if (term.kind == QueryTermKind::optional && term.sparse) return; // QueryFetch looks it up
    std::size_t place = checked_.size();
    if (has_group(term.group) && term.group != 0)
        while (checked_[place - 1].group != term.group) --place;
    checked_.insert(place, term);
    by_row_ = by_row_ || term.toggle || term.sparse || term.anywhere ||
              (term.kind != QueryTermKind::without && term.kind != QueryTermKind::either);
    by_entity_ = by_entity_ || (term.sparse && term.kind == QueryTermKind::with);
}

SLOTWISE_INLINE bool has_enabled(const StoreCore& core, const QueryTerm& term, const Table& table, std::size_t row) {
    const auto enabled = [&](std::size_t place) {
        const BitColumn* const bits = table.bits(place);
        return bits == nullptr || bits->test(row);
    };
    if (!term.sparse && find_place(table, term.id, enabled)) return true;
    return (term.sparse || term.anywhere) && core.sparse.has(table.entities()[row], term.id);
}

/// The alternatives of which this term is the first; of another kind itself.
inline Slice<const QueryTerm> alternatives(const QueryTerm* first, const QueryTerm* end) noexcept {
    const QueryTerm* last = first + 1;
    while (first->group != 0 && last != end && last->group == first->group) ++last;
    return {first, last};
}

SLOTWISE_INLINE bool QueryTerms::accept(const StoreCore& core, const Table& table, std::size_t row) const {
    for (const QueryTerm *term = checked_.begin(), *end = checked_.end(); term != end;) {
        const Slice<const QueryTerm> all = alternatives(term, end);
        bool accepted = true;
        switch (term->kind) {
        case QueryTermKind::with:
        case QueryTermKind::either:
            accepted = false;
            for (const QueryTerm& each : all) accepted = accepted || has_enabled(core, each, table, row);
            break;
        case QueryTermKind::without:
            accepted = !has_enabled(core, *term, table, row);
            break;
        case QueryTermKind::changed:
        case QueryTermKind::added: {
            const TickColumn& ticks = *table.ticks(static_cast<std::size_t>(table.place_of(term->id)));
            accepted = term->kind == QueryTermKind::added ? ticks.added_since(row, term->since)
                                                          : ticks.changed_since(row, term->since);
            break;
        }
        case QueryTermKind::optional:
        case QueryTermKind::up:
        case QueryTermKind::cascade:
            break;
        }
        if (!accepted) return false;
        term = all.end();
    }
    return true;
}

//=== plan ===//

SLOTWISE_INLINE void QueryPlan::add(const ComponentRegistry& registry, Slice<const QueryRequest> asked) {
    if (!asked.empty() && asked[0].kind == QueryTermKind::either) terms.begin_group(); // of all that is asked now
    for (const QueryRequest& each : asked) {
        if (each.kind == QueryTermKind::cascade)
            follow(registry, each.id);
        else if (each.value) {
            QueryColumn column;
            column.find = each.find;
            column.optional = each.kind == QueryTermKind::optional || each.kind == QueryTermKind::up;
            if (each.kind == QueryTermKind::up) {
                follow(registry, registry.id(each.since));
                column.up = order;
                column.sparse = order.by_row;
            }
            column.constant = each.constant;
            if (each.id) set(registry, column, each.id);
            columns.push_back(column);
        } else if (each.find == nullptr)
            terms.add(registry, each.id, each.kind, each.since, each.in_tables);
        else
            terms.add_late(each.find, each.kind, each.since);
    }
    memo.set(nullptr);
    bind();
}

SLOTWISE_INLINE void QueryPlan::follow(const ComponentRegistry& registry, ComponentId relation) {
    if (!registry.is_relation(relation)) [[unlikely]]
        throw_invalid_argument("Query: up and cascade follow a relation, and this is none of the store's registry; register it "
                               "by add_relation or relation<T>");
    if (order.relation && order.relation != relation) [[unlikely]]
        throw_invalid_argument("Query: up and cascade name two relations, and a walk is in the order of one; ask "
                               "store.target(entity, relation) in the other one");
    const bool in_tables = !is_sparse(registry, relation);
    const ComponentTraits& traits = registry.traits(relation);
    order = {relation, in_tables, traits.switched, !in_tables || traits.toggle};
}

SLOTWISE_INLINE void QueryPlan::set(const ComponentRegistry& registry, QueryColumn& column, ComponentId id) {
    column.id = id;
    if (column.up.relation) return registry.expect_term(id, "ArchetypeStore::query");
    terms.add(registry, id, column.optional ? QueryTermKind::optional : QueryTermKind::with);
    const ComponentTraits& traits = registry.traits(id);
    column.sparse = traits.sparse;
    column.toggle = traits.toggle;
    column.stamps = traits.tracked && !column.constant;
}

SLOTWISE_INLINE void QueryPlan::bind() noexcept {
    sparse = stamps = splits = false;
    complete = terms.is_complete();
    for (QueryColumn& column : columns) {
        if (!column.optional && !column.sparse) column.place = terms.place_of(column.id);
        complete = complete && column.id;
        sparse = sparse || column.sparse;
        stamps = stamps || column.stamps;
        splits = splits || (column.optional && column.toggle);
    }
    whole_tables = complete && !terms.by_row() && !sparse && !stamps && !order.relation;
    some_tables = whole_tables && !terms.checked().empty();
    own_ids = complete && !terms.by_row();
    for (const ComponentId id : terms.tables()) own_ids = own_ids && !id.is_pair();
    for (const QueryTerm& term : terms.checked()) own_ids = own_ids && !term.id.is_pair() && term.group == 0;
}

bool QueryPlan::matches_slowly(const StoreCore& core, const Table& table, std::size_t row) const {
    if (table.is_hidden_from(terms.shown())) return false;
    for (const ComponentId id : terms.tables())
        if (!find_place(table, id, [](std::size_t) { return true; })) return false;
    return terms.accept(core, table, row);
}

bool QueryPlan::leaves_out(const Table& table) const noexcept {
    const PlainVector<QueryTerm>& checked = terms.checked();
    const auto has = [&](const QueryTerm& term) { return find_place(table, term.id, [](std::size_t) { return true; }); };
    for (const QueryTerm* term = checked.begin(); term != checked.end();) { // none of these components has bits
        if (term->group == 0) {
            if (has(*term)) return true;
            ++term;
            continue;
        }
        const Slice<const QueryTerm> all = alternatives(term, checked.end());
        bool found = false;
        for (const QueryTerm& each : all) found = found || has(each);
        if (!found) return true;
        term = all.end();
    }
    return false;
}

std::size_t QueryPlan::next_table(const QueryTables& tables, std::size_t place) const noexcept {
    return tables.find(place, [&](const Table* table) { return !table->empty() && !(some_tables && leaves_out(*table)); });
}

SLOTWISE_INLINE std::size_t QueryPlan::count(const QueryTables& tables) const noexcept {
    std::size_t rows = 0;
    for (const auto match : tables)
        if (!some_tables || !leaves_out(*match.table)) rows += match.table->size();
    return rows;
}

SLOTWISE_INLINE Entity QueryPlan::first(const QueryTables& tables) const noexcept {
    const std::size_t place = next_table(tables, 0);
    return place == static_cast<std::size_t>(-1) ? Entity() : tables.at(place).table->entities()[0];
}

SLOTWISE_INLINE void QueryPlan::expect_arrays() const {
    if (sparse) [[unlikely]]
        throw_invalid_argument("Query: a component is sparse, so its values are not in one array; walk by for_each, or "
                               "leave the component out and ask for it by with<X>()");
}

const QueryTables* QueryPlan::find_tables(StoreCore& core) const {
    if (terms.names_entity() || terms.shows_more()) return nullptr;
    const QueryTables* const found = &core.tables.query(terms.tables());
    memo.set(found);
    return found;
}

const QueryTables* QueryPlan::find_tables(const StoreCore& core) const {
    const QueryTables* const found = terms.shows_more() ? nullptr : core.tables.find_query(terms.tables());
    memo.set(found);
    return found;
}

SLOTWISE_INLINE void QueryPlan::stamp_columns(tick_t tick, Table& table, std::size_t first, std::size_t last) const {
    for (const QueryColumn& column : columns) {
        const std::int32_t place = column.stamps ? table.place_of(column.id) : -1;
        if (place < 0) continue;
        const auto at = static_cast<std::size_t>(place);
        if (!column.toggle || !column.optional || table.is_enabled(first, at)) table.ticks(at)->mark(first, last, tick);
    }
}

void QueryPlanRef::release(const Own* own) noexcept {
    if (own->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete own;
}

SLOTWISE_INLINE QueryAccess QueryPlan::access() const {
    QueryAccess all;
    for (const QueryColumn& column : columns)
        if (column.id) insert_sorted(column.constant ? all.reads_ : all.writes_, column.id);
    for (const QueryTerm& term : terms.checked()) { // whether a value changed is read, because who writes it says when
        const bool by_tick = term.kind == QueryTermKind::changed || term.kind == QueryTermKind::added;
        insert_sorted(by_tick ? all.reads_ : all.filters_, term.id);
    }
    for (const ComponentId id : terms.tables()) insert_sorted(all.filters_, id);
    if (order.relation) insert_sorted(all.filters_, pair(order.relation, any));
    return all;
}

/// A plan, and what it is found by.
struct QueryPlans::Kept : QueryPlan {
    const QueryPlan* before = nullptr;
    PlainVector<QueryRequest> asked{};
    const Kept* next = nullptr;
};

SLOTWISE_INLINE QueryPlans::~QueryPlans() {
    for (auto& first : first_)
        for (const Kept* each = first.load(std::memory_order_relaxed); each != nullptr;) delete std::exchange(each, each->next);
}

SLOTWISE_INLINE QueryPlanRef QueryPlans::get(const ComponentRegistry& registry, const QueryPlan* before,
                                             Slice<const QueryRequest> asked) const {
    constexpr std::uint64_t factor = 0x9E37'79B9'7F4A'7C15u; // Knuth's multiplicative hashing, of id by id
    bool keeps = before == nullptr || before->kept;
    std::uint64_t hash = reinterpret_cast<std::uintptr_t>(before) * factor;
    for (const QueryRequest& each : asked) {
        keeps = keeps && each.id && (each.since == 0 || each.kind == QueryTermKind::up) && !each.id.has_any_relation() &&
                !each.id.target();
        hash = ((hash ^ hash >> 32) + each.id.bits() + each.since + static_cast<std::uint64_t>(each.kind) +
                (each.constant ? 8 : 0)) *
               factor;
    }
    if (!keeps) {
        auto* const own = new QueryPlanRef::Own();
        QueryPlanRef result(own);
        if (before != nullptr) static_cast<QueryPlan&>(*own) = *before;
        own->kept = false;
        own->add(registry, asked);
        return result;
    }
    std::atomic<const Kept*>& first = first_[bits::to_size(hash >> 58)];
    static_assert(lists == 64);
    const Kept* newest = first.load(std::memory_order_acquire);
    const auto is_asked = [&](const Kept& plan) {
        if (plan.before != before || plan.asked.size() != asked.size()) return false;
        for (std::size_t i = 0; i != asked.size(); ++i)
            if (plan.asked[i] != asked[i]) return false;
        return true;
    };
    for (const Kept* each = newest; each != nullptr; each = each->next)
        if (is_asked(*each)) return QueryPlanRef(*each);
    auto* const made = new Kept();
    ScopeGuard undo([&]() noexcept { delete made; });
    if (before != nullptr) static_cast<QueryPlan&>(*made) = *before;
    made->add(registry, asked);
    made->kept = true;
    made->before = before;
    made->asked.append(asked.data(), asked.size());
    undo.dismiss();
    made->next = newest;
    while (!first.compare_exchange_weak(made->next, made, std::memory_order_release, std::memory_order_relaxed)) {
    } // two threads may make one plan twice: each uses its own, and later the newer one is found
    return QueryPlanRef(*made);
}

SLOTWISE_INLINE std::size_t QueryPlans::memory_usage() const noexcept {
    std::size_t bytes = 0;
    for (const auto& first : first_)
        for (const Kept* each = first.load(std::memory_order_acquire); each != nullptr; each = each->next)
            bytes += sizeof *each + each->memory_usage() + each->asked.memory_usage();
    return bytes;
}

//=== rows ===//

/// Collects runs, because the call of a sink takes as long as a row. So which rows match is decided before the rows of up to
/// `capacity` runs are visited, and before those of the runs that end in the same 64 rows.
class QueryRunBuffer {
public:
    static constexpr std::size_t capacity = 64;

    explicit QueryRunBuffer(const QuerySink& sink) noexcept : sink_(&sink) {}
    /// Runs that are added are of this table. @pre close() was called for another one
    void enter(Table& table, const std::int32_t* columns) noexcept {
        table_ = &table;
        columns_ = columns;
    }
    void add(std::size_t first, std::size_t last) {
        edges_[count_] = static_cast<slot_t>(first);
        edges_[count_ + 1] = static_cast<slot_t>(last);
        count_ += 2;
        if (count_ >= 2 * capacity) flush();
    }
    /// Adds rows of word number `word`, which is higher than those before. A run that reaches its end may go on in the next.
    /// @param cuts those of the rows that begin a run though the row before matches, too
    void add_word(std::size_t word, bits::word_t rows, bits::word_t cuts) {
        if (word != next_ && count_ % 2 != 0) edges_[count_++] = row_of(next_);
        next_ = word + 1;
        cuts &= rows & (rows << 1 | count_ % 2);
        slot_t* to = edges_.data() + count_;
        if (cuts == 0) [[likely]]
            to = put_edges(to, row_of(word), rows, count_ % 2);
        else {
            bits::word_t edges = (rows ^ (rows << 1 | count_ % 2)) | cuts;
            for (; edges != 0; edges &= edges - 1) { // where a run is cut one ends, and another begins
                to[0] = to[1] = row_of(word) + bits::lowest(edges);
                to += 1 + ((cuts >> bits::lowest(edges)) & 1);
            }
        }
        count_ = static_cast<std::size_t>(to - edges_.data());
        if (count_ >= 2 * capacity) flush();
    }
    /// Calls the sink with all rows of the table that are set in this column. @pre nothing was added of the table
    void pass(const BitSource& bits, std::size_t rows) const { (*sink_)(*table_, columns_, RowRuns(bits, rows)); }
    /// Ends the run that the last word has left open, and calls the sink.
    void close() {
        if (count_ % 2 != 0) edges_[count_++] = row_of(next_);
        next_ = 0;
        if (count_ != 0) flush();
    }

private:
    static slot_t row_of(std::size_t word) noexcept { return static_cast<slot_t>(word * bits::word_bits); }
    /// Writes at which rows of a word a run begins or ends, in turns. A search for the next set and the next clear bit, with
    /// masks for the part that is done, took a third longer at 50 % set. @param open 1 if a run goes on from the word before
    SLOTWISE_ALWAYS_INLINE static slot_t* put_edges(slot_t* to, slot_t first, bits::word_t rows, bits::word_t open) noexcept {
        for (bits::word_t edges = rows ^ (rows << 1 | open); edges != 0; edges &= edges - 1)
            *to++ = first + bits::lowest(edges);
        return to;
    }
    SLOTWISE_NEVER_INLINE void flush() {
        (*sink_)(*table_, columns_, RowRuns(edges_.data(), count_ / 2));
        edges_[0] = edges_[count_ - 1];
        count_ %= 2;
    }

    const QuerySink* sink_;
    Table* table_ = nullptr;
    const std::int32_t* columns_ = nullptr;
    std::size_t next_ = 0;  // word
    std::size_t count_ = 0; // of edges; odd: a run is open
    // The first count_; the others are not written, as a walk over five rows would notice. A word adds 128 at most.
    std::array<slot_t, 2 * (capacity + bits::word_bits) + 2> edges_;
};

/// Whether the bit of a row is set.
SLOTWISE_ALWAYS_INLINE bool test_bit(const BitSource& bits, std::size_t row) noexcept {
    return (bits.word(bits::word_of(row)) & bits::bit_of(row)) != 0;
}

SLOTWISE_INLINE void QueryRowFilter::begin(const StoreCore& core, const PlainVector<QueryTerm>& terms) {
    core_ = &core;
    terms_ = &terms;
    sparse_.clear(), with_.clear(), without_.clear(), split_.clear(), ticks_.clear(), looked_up_.clear();
    for (const QueryTerm& term : terms)
        if (term.sparse && term.group == 0) sparse_.push_back(QuerySparseTerm(core.sparse, term));
}

SLOTWISE_INLINE bool QueryRowFilter::enter(const Table& table) {
    table_ = &table;
    with_.clear(), without_.clear(), split_.clear(), ticks_.clear(), looked_up_.clear();
    for (Term term = terms_->begin(), end = terms_->end(); term != end;) {
        const Slice<const QueryTerm> all = alternatives(term, end);
        if (!(term->group != 0 ? enter_group(table, all) : term->sparse || enter(table, *term))) return false;
        term = all.end();
    }
    return true;
}

// The same of alternatives.
SLOTWISE_INLINE bool QueryRowFilter::enter_group(const Table& table, Slice<const QueryTerm> all) {
    bool possible = false;
    for (const QueryTerm& term : all) {
        bool everywhere = false;
        const auto note = [&](std::size_t place) { return (everywhere = table.bits(place) == nullptr); };
        const auto found = [&](std::size_t place) {
            possible = true;
            return note(place);
        };
        if (!term.sparse) static_cast<void>(find_place(table, term.id, found));
        if (everywhere) return true;
        possible = possible || term.sparse || term.anywhere;
    }
    if (possible) looked_up_.push_back(all);
    return possible;
}

// Notes what one term asks of this table's rows. Returns false when no row satisfies it.
SLOTWISE_INLINE bool QueryRowFilter::enter(const Table& table, const QueryTerm& term) {
    switch (term.kind) {
    case QueryTermKind::without: // a disabled component counts as not there
        if (term.anywhere) looked_up_.push_back({&term, &term + 1});
        return !find_place(table, term.id, [&](std::size_t place) {
            const BitColumn* const bits = table.bits(place);
            if (bits != nullptr) without_.push_back(*bits);
            return bits == nullptr;
        });
    case QueryTermKind::with:
        if (!table.any_disabled_columns() && !term.anywhere) return true;
        if (term.id.is_wildcard()) {
            if (!find_place(table, term.id, [&](std::size_t place) { return table.bits(place) == nullptr; }))
                looked_up_.push_back({&term, &term + 1});
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
    case QueryTermKind::either:
    case QueryTermKind::up:
    case QueryTermKind::cascade:
        break;
    }
    return true;
}

SLOTWISE_INLINE const QuerySparseTerm* QueryRowFilter::rarest() const {
    const QuerySparseTerm* rarest = nullptr;
    for (const QuerySparseTerm& term : sparse_)
        if (term.wanted() && (rarest == nullptr || term.count() < rarest->count())) rarest = &term;
    return rarest;
}

SLOTWISE_INLINE bool QueryRowFilter::accepts(std::size_t row) const {
    for (const BitSource& bits : with_)
        if (!test_bit(bits, row)) return false;
    for (const BitSource& bits : without_)
        if (test_bit(bits, row)) return false;
    return accepts_beyond_bits(row);
}

// Whether the row satisfies the terms that are not columns of bits.
SLOTWISE_INLINE bool QueryRowFilter::accepts_beyond_bits(std::size_t row) const {
    for (const Ticks& ticks : ticks_)
        if (!(ticks.added ? ticks.column->added_since(row, ticks.since) : ticks.column->changed_since(row, ticks.since)))
            return false;
    if (looked_up_.empty() && sparse_.empty()) return true;
    const Entity entity = table_->entities()[row];
    for (const Slice<const QueryTerm> terms : looked_up_)
        if (has_any(terms, row) == (terms.first->kind == QueryTermKind::without)) return false;
    for (const QuerySparseTerm& term : sparse_)
        if (!term.accepts(entity)) return false;
    return true;
}

SLOTWISE_INLINE bool QueryRowFilter::has_any(Slice<const QueryTerm> terms, std::size_t row) const {
    for (const QueryTerm& term : terms)
        if (has_enabled(*core_, term, *table_, row)) return true;
    return false;
}

SLOTWISE_INLINE void QueryRowFilter::add_runs(QueryRunBuffer& runs) const {
    const std::size_t rows = table_->size(), words = bits::word_count(rows);
    const auto in_word = [&](std::size_t word) { return bits::low_mask(static_cast<unsigned>(rows - word * bits::word_bits)); };
    const bool by_bits = split_.empty() && looked_up_.empty() && sparse_.empty();
    const bool all_bits = by_bits && with_.empty() && without_.empty();
    const auto for_each_newer = [&](auto&& f) {
        const Ticks& drive = ticks_.front();
        if (drive.added)
            drive.column->for_each_added(drive.since, f);
        else
            drive.column->for_each_changed(drive.since, f);
    };
    if (all_bits && ticks_.size() == 1) { // few rows of a word are usual: they are joined one by one
        std::size_t first = 0, last = 0;
        for_each_newer([&](std::size_t row) {
            if (row != last) {
                if (first != last) runs.add(first, last);
                first = row;
            }
            last = row + 1;
        });
        if (first != last) runs.add(first, last);
    } else if (!ticks_.empty()) {
        bits::word_t newer = 0;
        std::size_t word = 0;
        for_each_newer([&](std::size_t row) {
            if (bits::word_of(row) != word) {
                if (newer != 0) add_word(word, newer, runs);
                newer = 0;
                word = bits::word_of(row);
            }
            newer |= bits::bit_of(row);
        });
        if (newer != 0) add_word(word, newer, runs);
    } else if (all_bits) {
        runs.add(0, rows);
    } else if (by_bits && with_.size() == 1 && without_.empty()) { // a loop over one column takes half as long
        runs.pass(with_.front(), rows);
    } else {
        for (std::size_t word = 0; word + 1 < words; ++word) add_word(word, bits::full_word, runs);
        add_word(words - 1, in_word(words - 1), runs);
    }
    runs.close();
}

// Adds those of these rows of a word that satisfy all terms but the first of ticks_.
SLOTWISE_INLINE void QueryRowFilter::add_word(std::size_t word, bits::word_t rows, QueryRunBuffer& runs) const {
    for (const BitSource& bits : with_) rows &= bits.word(word);
    for (const BitSource& bits : without_) rows &= ~bits.word(word);
    const std::size_t first = word * bits::word_bits;
    if (ticks_.size() > 1 || !looked_up_.empty()) {
        for (bits::word_t left = rows; left != 0; left &= left - 1)
            if (const unsigned row = bits::lowest(left); !accepts_beyond_bits(first + row)) rows &= ~bits::bit_of(row);
    } else
        for (const QuerySparseTerm& term : sparse_) rows = term.accepted(table_->entities().data() + first, rows);
    bits::word_t cuts = 0; // where an optional component is enabled in one row and disabled in the next
    for (const BitSource& bits : split_)
        cuts |= bits.word(word) ^ (bits.word(word) << 1 | (word == 0 ? 0 : bits.word(word - 1) >> (bits::word_bits - 1)));
    runs.add_word(word, rows, cuts);
}

//=== walk ===//

SLOTWISE_INLINE QueryWalk::QueryWalk() = default;
SLOTWISE_INLINE QueryWalk::~QueryWalk() = default;

SLOTWISE_INLINE void QueryWalk::begin(const StoreCore& core, const QueryTerms& terms, const QueryTables* cached,
                                      const QueryAncestors& order) {
    core_ = &core;
    terms_ = &terms;
    if (!terms.checked().empty()) filter_.begin(core, terms.checked());
    visited_ = false;
    if (terms.by_entity() && choose_entities(cached)) {
        // The entities of the rarest sparse term are walked.
    } else if (cached != nullptr) {
        drive_ = Drive::matches;
        match_ = cached->begin();
        end_of_matches_ = cached->end();
    } else
        choose_tables();
    if (order.relation) choose_order(order);
}

SLOTWISE_INLINE void QueryWalk::end() noexcept {
    constexpr std::size_t most_kept = 4096;
    depths_.end();
    if (ordered_.capacity() > most_kept) ordered_ = PlainVector<Ordered>();
}

SLOTWISE_INLINE bool QueryWalk::next(const QuerySink& sink) {
    switch (drive_) {
    case Drive::matches: {
        if (match_ == end_of_matches_) return false;
        const auto match = *match_;
        ++match_;
        enter(*match.table, match.columns, sink);
        return true;
    }
    case Drive::tables: {
        if (table_ == end_of_tables_) return false;
        Table& table = *(*table_).table;
        ++table_;
        if (look_up(table)) enter(table, columns_.data(), sink);
        return true;
    }
    case Drive::ordered: {
        if (next_ordered_ == ordered_.size()) return false;
        if (by_row_) {
            visit_ordered_rows(sink);
            return true;
        }
        const Ordered& next = ordered_[next_ordered_++];
        if (next.columns != nullptr)
            enter(*next.table, next.columns, sink);
        else if (look_up(*next.table))
            enter(*next.table, columns_.data(), sink);
        return true;
    }
    case Drive::entities:
        break;
    }
    if (std::exchange(visited_, true)) return false;
    visit_entities(sink);
    return true;
}

// Puts what was chosen into an order of depth.
SLOTWISE_INLINE void QueryWalk::choose_order(const QueryAncestors& in) {
    depths_.begin(*core_, in);
    ordered_.clear();
    next_ordered_ = 0;
    by_row_ = in.by_row || drive_ == Drive::entities;
    const auto slot_of = [&](const Table& table) { return core_->location(table.entities()[0])->table(); };
    if (by_row_) {
        auto note = [&](Table& table, const std::int32_t*, RowRuns runs) {
            const slot_t slot = slot_of(table);
            runs.for_each([&](std::size_t first, std::size_t last) {
                for (auto row = static_cast<slot_t>(first); row != last; ++row)
                    ordered_.push_back({&table, nullptr, row, depths_.of(EntityLocation(slot, row))});
            });
        };
        const QuerySink sink(note);
        while (next(sink)) {}
    } else {
        const auto note = [&](Table& table, const std::int32_t* columns) {
            if (!table.empty()) ordered_.push_back({&table, columns, 0, depths_.of(EntityLocation(slot_of(table), 0))});
        };
        if (drive_ == Drive::matches)
            for (; match_ != end_of_matches_; ++match_) note(*(*match_).table, (*match_).columns);
        else
            for (; table_ != end_of_tables_; ++table_) note(*(*table_).table, nullptr);
    }
    sort_by_depth();
    drive_ = Drive::ordered;
}

// Stable: those of one depth stay in the order of tables and rows.
SLOTWISE_INLINE void QueryWalk::sort_by_depth() {
    const std::size_t count = ordered_.size();
    bool ascends = true;
    for (std::size_t i = 1; i < count; ++i) ascends = ascends && ordered_[i - 1].depth <= ordered_[i].depth;
    if (ascends) return;
    counts_.assign(std::size_t{depths_.deepest()} + 1, 0);
    for (const Ordered& each : ordered_) ++counts_[each.depth];
    std::size_t begin = 0;
    for (std::size_t& each : counts_) begin += std::exchange(each, begin);
    ordered_.resize(2 * count); // and back: a copy in order is made behind them
    for (std::size_t i = 0; i != count; ++i) ordered_[count + counts_[ordered_[i].depth]++] = ordered_[i];
    for (std::size_t i = 0; i != count; ++i) ordered_[i] = ordered_[count + i];
    ordered_.resize(count);
}

SLOTWISE_INLINE void QueryWalk::visit_ordered_rows(const QuerySink& sink) {
    QueryRunBuffer runs(sink);
    const Table* entered = nullptr;
    std::size_t last = 0;
    const auto end_run = [&](std::size_t first) {
        if (last != first) runs.add(first, last);
    };
    std::size_t first = 0;
    for (; next_ordered_ != ordered_.size(); ++next_ordered_) {
        const Ordered& each = ordered_[next_ordered_];
        if (each.table == entered && each.row == last) {
            ++last;
            continue;
        }
        end_run(first);
        if (each.table != entered) {
            runs.close(); // before the columns are those of another table
            entered = each.table;
            static_cast<void>(look_up(*each.table));
            runs.enter(*each.table, columns_.data());
        }
        first = each.row;
        last = first + 1;
    }
    end_run(first);
    runs.close();
}

//=== ancestors ===//

SLOTWISE_INLINE EntityLocation query_parent(const StoreCore& core, const Table& table, std::size_t row,
                                            const QueryAncestors& in) {
    Entity parent{};
    if (in.in_tables) { // pairs with components as targets come first
        const auto ids = table.ids();
        std::size_t place = IdSets::lower_bound(ids, pair(in.relation, Entity(0, 1)));
        for (; !parent && place != ids.size() && ids[place].relation_number() == in.relation.number(); ++place)
            if (!in.by_row || table.is_enabled(row, place)) parent = ids[place].target();
    } else if (in.switched)
        parent = ComponentIdParts::entity_of(core.sparse.target(table.entities()[row], in.relation.number()));
    else
        parent = core.target(table.entities()[row], in.relation);
    const EntityLocation* const at = parent ? core.location(parent) : nullptr;
    return at == nullptr ? EntityLocation() : *at;
}

SLOTWISE_INLINE const void* query_up(const StoreCore& core, const Table& table, std::size_t row, const QueryColumn& of) {
    EntityLocation at = query_parent(core, table, row, of.up);
    EntityLocation mark{}; // Brent's algorithm: it goes along at powers of two, so that a circle comes back to it
    for (std::size_t step = 0, power = 1; at.has_row(); ++step) {
        const Table& its = core.table(at);
        if (const std::int32_t place = its.place_of(of.id); place < 0) {
            if (at.has_sparse())
                if (const void* const value = core.sparse.get(its.entities()[at.row()], of.id)) return value;
        } else if (its.is_enabled(at.row(), static_cast<std::size_t>(place)))
            return its.value(static_cast<std::size_t>(its.column_at(static_cast<std::size_t>(place))), at.row());
        if (step == power) {
            mark = at;
            power *= 2;
        }
        at = query_parent(core, its, at.row(), of.up);
        if (at == mark) break;
    }
    return nullptr;
}

SLOTWISE_INLINE void QueryDepths::begin(const StoreCore& core, const QueryAncestors& in) {
    core_ = &core;
    in_ = in;
    depths_.clear();
    begins_.clear();
    deepest_ = 0;
}

SLOTWISE_INLINE void QueryDepths::end() noexcept {
    constexpr std::size_t most_kept = 4096;
    if (depths_.capacity() > most_kept) depths_ = PlainVector<std::uint32_t>();
    if (begins_.capacity() > most_kept) begins_ = PlainVector<std::size_t>();
    if (path_.capacity() > most_kept) path_ = PlainVector<std::size_t>();
}

// Where the depth of a row is.
SLOTWISE_INLINE std::size_t QueryDepths::place_of(EntityLocation at) {
    if (at.table() >= begins_.size()) begins_.resize(std::size_t{at.table()} + 1);
    std::size_t& begin = begins_[at.table()];
    if (begin == 0) {
        const std::size_t before = depths_.size();
        depths_.resize(before + (in_.by_row ? core_->table(at).size() : 1));
        begin = before + 1;
    }
    return begin - 1 + (in_.by_row ? at.row() : 0);
}

SLOTWISE_INLINE std::uint32_t QueryDepths::of(EntityLocation at) {
    const std::size_t asked = place_of(at);
    if (depths_[asked] != 0) return depths_[asked];
    std::uint32_t depth = 0;
    path_.clear();
    std::size_t place = asked;
    while (true) {
        depths_[place] = on_path;
        path_.push_back(place);
        at = query_parent(*core_, core_->table(at), at.row(), in_);
        if (!at.has_row()) break;
        place = place_of(at);
        if (depths_[place] == 0) continue;
        if (depths_[place] != on_path)
            depth = depths_[place];
        else { // a circle, of which this one is the root
            depth = 1;
            std::size_t i = path_.size();
            while (path_[--i] != place) depths_[path_[i]] = ++depth;
            if (depth > deepest_) deepest_ = depth;
            depths_[place] = depth = 1;
            path_.resize(i);
        }
        break;
    }
    for (std::size_t i = path_.size(); i-- != 0;) depths_[path_[i]] = ++depth;
    if (depth > deepest_) deepest_ = depth;
    return depths_[asked];
}

SLOTWISE_INLINE void QueryWalk::enter(Table& table, const std::int32_t* columns, const QuerySink& sink) {
    if (table.empty() || (!terms_->checked().empty() && !filter_.enter(table))) return;
    if (!terms_->by_row()) {
        const slot_t all[] = {0, static_cast<slot_t>(table.size())};
        return sink(table, columns, RowRuns(all, 1));
    }
    QueryRunBuffer runs(sink);
    runs.enter(table, columns);
    filter_.add_runs(runs);
}

SLOTWISE_INLINE void QueryWalk::visit_entities(const QuerySink& sink) {
    QueryRunBuffer runs(sink);
    const Table* entered = nullptr;
    bool accepted = false, all = false;
    rarest_->for_each([&](Entity entity) {
        const EntityLocation* const at = core_->location(entity);
        if (at == nullptr) return;
        const Table& table = core_->table(*at);
        if (&table != entered) {
            runs.close(); // before the columns are those of another table
            entered = &table;
            accepted = look_up(table) && filter_.enter(table);
            all = filter_.is_one_sparse_term(); // and that one is walked
            // The walk only reads the store. Lists of tables hand them out as this does; here the table is found by its entity.
            runs.enter(const_cast<Table&>(table), columns_.data());
        }
        const std::size_t row = at->row();
        if (accepted && (all || filter_.accepts(row))) runs.add(row, row + 1);
    });
    runs.close();
}

// Finds the columns of a table. Returns false if it does not have all of QueryTerms::tables().
SLOTWISE_INLINE bool QueryWalk::look_up(const Table& table) {
    columns_.clear();
    if (table.is_hidden_from(terms_->shown())) return false;
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

// Walks the entities that satisfy the rarest sparse term, if they are fewer than the rows of the tables. Returns whether it
// does.
SLOTWISE_INLINE bool QueryWalk::choose_entities(const QueryTables* cached) {
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
    rarest_ = rarest;
    return true;
}

// Walks the tables that have the rarest of the ids that tables must have, or all tables.
SLOTWISE_INLINE void QueryWalk::choose_tables() {
    drive_ = Drive::tables;
    const Index& index = core_->tables.index();
    auto tables = index.tables();
    for (const ComponentId id : terms_->tables())
        if (const auto those = index.tables(id); those.size() < tables.size()) tables = those;
    table_ = tables.begin();
    end_of_tables_ = tables.end();
}

SLOTWISE_INLINE QueryVisit::QueryVisit() = default;
SLOTWISE_INLINE QueryVisit::~QueryVisit() = default;

SLOTWISE_INLINE void SpareSteps::destroy(QueryVisit* object) noexcept { delete object; }
SLOTWISE_INLINE std::size_t SpareSteps::memory_of(const QueryVisit& object) noexcept { return object.memory_usage(); }

SLOTWISE_INLINE void QueryVisit::begin(const StoreCore& core, const QueryPlan& plan, const QueryTables* tables) {
    core_ = &core;
    plan_ = &plan;
    possible_ = true;
    runs_.clear();
    next_ = last_ = run_.rows.last = 0;
    if (plan.complete)
        walk_.begin(core, plan.terms, tables, plan.order);
    else
        complete(core);
}

SLOTWISE_INLINE void QueryVisit::end() noexcept {
    constexpr std::size_t most_kept = 512;
    late_.clear();
    if (runs_.capacity() > most_kept) runs_ = PlainVector<Run>();
    walk_.end();
    numbered_.clear();
    if (numbered_.capacity() > most_kept) numbered_ = PlainVector<NumberedEntity>();
}

SLOTWISE_INLINE void QueryVisit::complete(const StoreCore& core) {
    late_.clear();
    late_.push_back(*plan_);
    QueryPlan& plan = late_.front();
    possible_ = plan.terms.complete(core.registry);
    for (QueryColumn& column : plan.columns) {
        if (column.id) continue;
        if (const ComponentId id = column.find(core.registry))
            plan.set(core.registry, column, id);
        else
            possible_ = possible_ && column.optional;
    }
    plan.bind();
    plan_ = &plan;
    plan.memo.set(nullptr); // of fewer terms
    walk_.begin(core, plan.terms, plan.tables(core), plan.order);
}

SLOTWISE_INLINE std::size_t QueryVisit::memory_usage() const noexcept {
    return sizeof *this + memory_of(walk_, runs_, numbered_) + memory_of_vector(late_);
}

const QueryVisit::Run* QueryVisit::next_run() {
    const bool one_row = plan_->stamps || plan_->sparse;
    if (one_row && run_.rows.last != last_)
        run_.rows.first = run_.rows.last;
    else if (!find_run())
        return nullptr;
    if (one_row) {
        if (run_.rows.last != run_.rows.first) last_ = run_.rows.last; // it is new
        run_.rows.last = run_.rows.first + 1;
        plan_->stamp(core_->tick, *run_.table, run_.rows.first, run_.rows.last);
    }
    return &run_;
}

SLOTWISE_INLINE bool QueryVisit::find_run() {
    if (next_ == runs_.size()) {
        auto keep = [this](Table& table, const std::int32_t* columns, RowRuns runs) {
            runs.for_each([&](std::size_t first, std::size_t last) { runs_.push_back({&table, columns, {first, last}}); });
        };
        const QuerySink sink(keep);
        next_ = 0;
        do runs_.clear();
        while (next(sink) && runs_.empty());
        if (runs_.empty()) return false;
    }
    run_ = runs_[next_++];
    if (!keeps_columns()) run_.columns = columns_of(*run_.table);
    return true;
}

QueryVisit* QueryVisiting::take(const StoreCore& core, bool alone, const QueryPlan& plan, const QueryTables* tables) {
    QueryVisit* visit = alone ? core.first_visit : core.spare_visits.take();
    if (visit == nullptr) {
        visit = new QueryVisit();
        if (alone) core.first_visit = visit;
    }
    ScopeGuard undo([&]() noexcept { give_back(core, alone, visit); });
    visit->begin(core, plan, tables);
    undo.dismiss();
    return visit;
}

void QueryVisiting::give_back(const StoreCore& core, bool alone, QueryVisit* visit) noexcept {
    visit->end();
    if (!alone) core.spare_visits.give(visit);
}

SLOTWISE_INLINE void QueryVisit::walk(const QuerySink& sink) {
    while (next(sink)) {}
}

SLOTWISE_INLINE void sort_entities(NumberedEntity* first, std::size_t count) noexcept {
    std::sort(first, first + count, [](const NumberedEntity& a, const NumberedEntity& b) {
        return a.key != b.key ? a.key < b.key : a.entity.index() < b.entity.index();
    });
}

SLOTWISE_INLINE FoundRows find_rows(StoreCore& core, const QueryPlan& plan, const char* call) {
    FoundRows rows;
    core.expect_idle(call);
    const QueryVisiting visit(core, plan);
    visit->for_each([&](Table& table, const std::int32_t*, RowRuns runs) {
        runs.for_each([&](std::size_t first, std::size_t last) { rows.add(table, first, last); });
    });
    return rows;
}

SLOTWISE_INLINE std::size_t QueryVisit::count() {
    std::size_t rows = 0;
    for_each([&](const Table&, const std::int32_t*, RowRuns runs) {
        runs.for_each([&](std::size_t first, std::size_t last) { rows += last - first; });
    });
    return rows;
}

SLOTWISE_INLINE Entity QueryVisit::first() {
    Entity found{};
    auto note = [&](const Table& table, const std::int32_t*, RowRuns runs) {
        runs.for_each([&](std::size_t first, std::size_t) {
            if (!found) found = table.entities()[first];
        });
    };
    const QuerySink sink(note);
    while (!found && next(sink)) {}
    return found;
}

SLOTWISE_INLINE PlainVector<ComponentId> query_pair_parts(const StoreCore& core, ComponentId asked) {
    core.registry.expect_term(asked, "Query::for_each_pair");
    if (!asked.is_pair())
        throw_invalid_argument(("Query::for_each_pair: the component " + core.registry.name(asked) +
                                " is no pair; name pair(relation, target) or a wildcard")
                                   .c_str());
    PlainVector<ComponentId> parts;
    parts.push_back(asked);
    if (!asked.has_any_relation()) return parts;
    constexpr std::uint64_t target_bits = 0xFFFF'FFFF'FFFFu;
    for (const std::uint32_t number : core.sparse.numbers())
        if (core.sparse.targets(number) != nullptr || core.sparse.pairs(number) != nullptr)
            parts.push_back(ComponentId::from_bits((pair(core.registry.id(number), any).bits() & ~target_bits) |
                                                   (asked.bits() & target_bits)));
    return parts;
}

} // namespace detail

SLOTWISE_INLINE QueryAccess& QueryAccess::add(const QueryAccess& other) {
    QueryAccess all(*this); // so that nothing has changed when memory runs out
    for (const ComponentId id : other.reads_) detail::insert_sorted(all.reads_, id);
    for (const ComponentId id : other.writes_) detail::insert_sorted(all.writes_, id);
    for (const ComponentId id : other.filters_) detail::insert_sorted(all.filters_, id);
    return *this = std::move(all);
}

SLOTWISE_INLINE bool QueryAccess::meets(const detail::PlainVector<ComponentId>& a,
                                        const detail::PlainVector<ComponentId>& b) noexcept {
    for (const ComponentId each : a)
        for (const ComponentId other : b)
            if (each == other || detail::matches_id(each, other) || detail::matches_id(other, each)) return true;
    return false;
}

SLOTWISE_END

#endif
