// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// QueryRowFilter: the rows of a table that satisfy what a query asks of each row, as runs.
#ifndef SLOTWISE_ECS_QUERY_ROWS_HPP
#define SLOTWISE_ECS_QUERY_ROWS_HPP

#include "query_terms.hpp"
#include "store_core.hpp"

SLOTWISE_BEGIN
namespace detail {

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
            if (term.outside) outside_.push_back(QueryOutside(core.outside, term));
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
        return find_place(*table_, term.id, enabled) || (term.either && core_->outside.has(entity, term.id));
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

} // namespace detail
SLOTWISE_END

#endif
