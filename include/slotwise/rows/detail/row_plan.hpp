// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// RowPlan: the steps of a move of a row from some columns to others, computed once. PlannedRows: rows that move by it.
#ifndef SLOTWISE_ROWS_DETAIL_ROW_PLAN_HPP
#define SLOTWISE_ROWS_DETAIL_ROW_PLAN_HPP

#include "../../memory/plain_vector.hpp"
#include "../any_rows.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The steps of a move of a row, a step a column, grouped by what is to be done: loops over a group have no branches.
class RowPlan {
public:
    /// A column of the source, and that of the destination if it has it: where their places are, in bytes behind the first.
    struct Step {
        std::uint32_t from, to;
        std::size_t bytes;
        const AnyColumnPlace& source(const AnyColumnPlace* first) const noexcept { return place(first, from); }
        const AnyColumnPlace& target(const AnyColumnPlace* first) const noexcept { return place(first, to); }
        static Step of(std::uint32_t from_column, std::uint32_t to_column, std::size_t bytes) noexcept {
            constexpr std::uint32_t size = sizeof(AnyColumnPlace);
            return {from_column * size, to_column * size, bytes};
        }

    private:
        static const AnyColumnPlace& place(const AnyColumnPlace* first, std::uint32_t offset) noexcept {
            return *reinterpret_cast<const AnyColumnPlace*>(reinterpret_cast<const std::byte*>(first) + offset);
        }
    };
    /// Values of both that are copied as bytes, so many of them; values of the source of such sizes that need no destruction;
    /// the same for other sizes; values of both that are moved by functions of their types; values of the source that are
    /// destroyed.
    enum Group : unsigned char {
        copied_8,
        copied_4,
        copied_12,
        copied_16,
        dropped,
        copied,
        dropped_large,
        moved,
        destroyed,
        groups
    };

    RowPlan() = default;
    /// map[i] is the column of `from` whose values go to column i of `to`, or -1: then they are built. The other columns of
    /// `from` are dropped; all of them if `to` has no columns: the plan of an erasure. @throws what the allocator throws
    template <class Allocator>
    RowPlan(const AnyColumns<Allocator>& from, const AnyColumns<Allocator>& to, std::span<const std::int32_t> map)
        : throwing_(from.throwing()) {
        PlainVector<Step> steps[groups];
        PlainVector<bool> taken;
        taken.resize(from.count());
        for (std::uint32_t i = 0; i != map.size(); ++i) {
            if (map[i] >= 0) taken[static_cast<std::size_t>(map[i])] = true;
            if (to.is_tag(i)) continue;
            if (map[i] < 0)
                built_.push_back(i);
            else
                steps[to[i].trivial ? copied_by(to[i].stride) : moved].push_back(
                    Step::of(static_cast<std::uint32_t>(map[i]), i, to[i].stride));
        }
        for (const Group sizes : {copied_8, copied_4, copied_12, copied_16, copied}) // equal sizes side by side
            for (std::uint32_t i = 0; i != from.count(); ++i)
                if (!taken[i] && !from.is_tag(i) && copied_by(from[i].stride) == sizes)
                    steps[dropped_by(from[i])].push_back(Step::of(i, i, from[i].stride));
        for (std::size_t group = 0; group != groups; ++group) {
            steps_.append(steps[group].data(), steps[group].size());
            ends_[group] = static_cast<std::uint32_t>(steps_.size());
        }
        plain_ = !throwing_ && ends_[dropped] == steps_.size();
    }

    /// The steps of a group.
    Slice<const Step> steps(Group group) const noexcept { return {begin() + (group == 0 ? 0 : ends_[group - 1]), end(group)}; }
    const Step* begin() const noexcept { return steps_.data(); }
    const Step* end(Group group) const noexcept { return steps_.data() + ends_[group]; }
    /// Columns of the destination alone.
    std::span<const std::uint32_t> built() const noexcept { return {built_.data(), built_.size()}; }
    /// Whether all values have the usual sizes, and are plain bytes: nothing throws, and nothing is called.
    bool plain() const noexcept { return plain_; }
    /// Whether plain(), all values of both have 8 bytes, as entities have, and the source has no others.
    bool only_8() const noexcept { return ends_[copied_8] == ends_[dropped]; }
    /// Whether no value of the source alone has a usual size and needs no destruction.
    bool drops_nothing() const noexcept { return ends_[copied_16] == ends_[dropped]; }
    std::size_t memory_usage() const noexcept { return memory_of(steps_, built_); }
    /// Whether a move within the source may throw.
    bool throwing() const noexcept { return throwing_; }

private:
    static Group copied_by(std::size_t bytes) noexcept {
        return bytes == 8 ? copied_8 : bytes == 4 ? copied_4 : bytes == 12 ? copied_12 : bytes == 16 ? copied_16 : copied;
    }
    static Group dropped_by(const AnyColumnPlace& column) noexcept {
        return !column.trivial ? destroyed : copied_by(column.stride) == copied ? dropped_large : dropped;
    }

    PlainVector<Step> steps_{};
    PlainVector<std::uint32_t> built_{};
    std::uint32_t ends_[groups] = {};
    bool throwing_ = false, plain_ = true;
};

/// A row whose place one of the last rows takes.
struct RowFill {
    slot_t row, from;
};
/// Rows that go at once.
struct RowBatch {
    std::span<const slot_t> rows;   ///< each once, in the order in which they come to their destination
    std::span<const RowFill> fills; ///< for each of these that is not among the last ones, the one that takes its place
    bool adjacent = false;          ///< they are side by side, in ascending order
};

/// Refers to a function build(column, to): what is called rarely is compiled once for all such functions.
class RowBuild {
public:
    template <class Build>
    RowBuild(Build& build) noexcept
        : build_(&build), call_([](const void* function, std::size_t column, void* to) {
              (*static_cast<Build*>(const_cast<void*>(function)))(column, to); // as const as Build is
          }) {}
    void operator()(std::size_t column, void* to) const { call_(build_, column, to); }

private:
    const void* build_;
    void (*call_)(const void* function, std::size_t column, void* to);
};

/// What tables do with AnyRows beyond its public interface: they add rows whose values a function build(column, to) builds in
/// place. It is not called for tags. Values may refer to the rows, because memory that is replaced is freed last.
struct PlannedRows {
    template <class Rows>
    static const auto& columns(const Rows& rows) noexcept {
        return rows.columns_;
    }
    /// A column gets another description of its type, of the same size and alignment. @pre operations do the same
    template <class Rows>
    static void describe(Rows& rows, std::size_t column, const TypeDescriptor& type) noexcept {
        rows.columns_.describe(column, type);
    }
    /// Whether push_back_plain() may be called.
    template <class Rows>
    SLOTWISE_ALWAYS_INLINE static bool has_room(const Rows& rows) noexcept {
        return rows.size_ != rows.columns_.capacity();
    }
    /// Adds a row where there is room for it. Returns it. @pre has_room(); there is no tag @throws what build throws; strong
    template <class Rows, class Build>
    SLOTWISE_ALWAYS_INLINE static std::size_t push_back_plain(Rows& rows, Build&& build) {
        const auto& columns = rows.columns_;
        const std::size_t row = rows.size_, count = columns.count();
        std::size_t done = 0;
        ScopeGuard undo([&]() noexcept {
            for (std::size_t i = 0; i != done; ++i) columns[i].destroy(row, row + 1);
        });
        for (; done != count; ++done) build(done, static_cast<void*>(columns[done].at(row)));
        undo.dismiss();
        rows.size_ = row + 1;
        return row;
    }
    /// The same, when write(row) builds all values. @pre has_room(); write throws nothing
    template <class Rows, class Write>
    SLOTWISE_ALWAYS_INLINE static std::size_t push_back_written(Rows& rows, Write&& write) noexcept {
        const std::size_t row = rows.size_;
        write(row);
        rows.size_ = row + 1;
        return row;
    }
    /// Adds a row, which is returned.
    /// @throws what the allocator and build throw, and moves that may throw, when it grows; strong as AnyRows::push_back
    template <class Rows, class Build>
    static std::size_t push_back(Rows& rows, Build&& build) {
        rows.add_row(Rows::every, build);
        return rows.size_++;
    }
    /// Adds `count` rows. build(column, to, count) builds as many values side by side, all of them or, if it throws, none.
    /// Returns the first row. @throws as push_back; strong
    template <class Rows, class Build>
    static std::size_t append(Rows& rows, std::size_t count, Build&& build) {
        const std::size_t first = rows.size_;
        build_rows(
            rows, count, rows.columns_.count(), [](std::size_t i) { return i; }, build);
        rows.size_ += count;
        return first;
    }
    /// Moves rows of `from` to the end of `to`, column by column. build(column, to, count) builds the values of plan.built().
    /// @pre the plan is that of both, and not throwing() @throws what the allocator and build throw, and moves that may throw,
    /// when it grows; strong as append()
    template <class Rows, class Build>
    static void move_rows(Rows& from, const RowBatch& batch, Rows& to, const RowPlan& plan, Build&& build) {
        build_rows(
            to, batch.rows.size(), plan.built().size(), [&](std::size_t i) { return std::size_t{plan.built()[i]}; }, build);
        pass_rows(from, batch, &to, plan);
        to.size_ += batch.rows.size();
    }
    /// Removes rows. @pre the plan is that of an erasure, and not throwing()
    template <class Rows>
    static void erase_rows(Rows& rows, const RowBatch& batch, const RowPlan& plan) noexcept {
        pass_rows(rows, batch, static_cast<Rows*>(nullptr), plan);
    }
    /// Whether pass_row_plain() may be called, after build_next_row().
    template <class Rows>
    SLOTWISE_ALWAYS_INLINE static bool can_move_plain(const Rows& to, const RowPlan& plan) noexcept {
        return plan.plain() && has_room(to);
    }
    /// Builds the values of the next row that no row of the source has: where there is room, in the case of pass_row_plain().
    /// @throws what build does; strong
    template <class Rows, class Build>
    SLOTWISE_ALWAYS_INLINE static void build_next_row(Rows& to, const RowPlan& plan, Build& build) {
        build_row(to.columns_, to.size_, plan, build);
    }
    /// Moves row `row` of `from` to the end of `to`, as AnyRows::move_row does, in the case that calls nothing: so it needs few
    /// registers, and is compiled once. @pre the plan is that of `from` and `to`; can_move_plain(); what no row of the source
    /// has is built
    template <class Rows>
    SLOTWISE_ALWAYS_INLINE static void pass_row_plain(Rows& from, std::size_t row, Rows& to, const RowPlan& plan) noexcept {
        const std::size_t end = to.size_, last = from.size_ - 1;
        pass_values(from, row, to, plan);
        if (row != last && !plan.drops_nothing()) fill(from, row, plan);
        from.size_ = last;
        to.size_ = end + 1;
    }
    /// The same. @pre the plan is only_8()
    template <class Rows>
    SLOTWISE_ALWAYS_INLINE static void pass_row_of_8(Rows& from, std::size_t row, Rows& to, const RowPlan& plan) noexcept {
        const std::size_t end = to.size_++, last = --from.size_;
        pass_group<std::uint64_t>(plan.begin(), plan.end(RowPlan::copied_8), from.columns_.begin(), row, last,
                                  to.columns_.begin(), end);
    }
    /// Removes row `row` as AnyRows::swap_erase does, but returns nothing. @pre the plan is that of an erasure
    /// @throws as AnyRows::swap_erase
    template <class Rows>
    SLOTWISE_ALWAYS_INLINE static void swap_erase(Rows& rows, std::size_t row, const RowPlan& plan) {
        if (!plan.plain()) [[unlikely]] {
            rows.swap_erase(row);
            return;
        }
        if (row != rows.size_ - 1) fill(rows, row, plan);
        --rows.size_;
    }
    /// Moves a row in every case. @throws as AnyRows::move_row
    template <class Rows, class Build>
    static RowMove move_row(Rows& from, std::size_t row, Rows& to, const RowPlan& plan, Build&& build) {
        build_or_grow(to, plan, build);
        return pass_row(from, row, to, plan);
    }
    /// The same, with a call of ready() between what may fail and the moves: no value of `from` has moved then. Only moves that
    /// may throw fail after it. What ready() throws changes nothing.
    template <class Rows, class Build, class Ready>
    static RowMove move_row(Rows& from, std::size_t row, Rows& to, const RowPlan& plan, Build&& build, Ready&& ready) {
        build_or_grow(to, plan, build);
        ScopeGuard undo([&]() noexcept { destroy_built(to.columns_, to.size_, plan.built()); });
        ready();
        undo.dismiss();
        return pass_row(from, row, to, plan);
    }

    /// Brings rows into another order: row i becomes what row order[i] was. @throws as AnyRows::reserve; strong as that
    template <class Rows>
    static void permute(Rows& rows, const slot_t* order) {
        rows.columns_.permute(order, rows.size_);
    }
    /// Moves all rows of `from` behind those of `to`, a column at a time.
    /// @pre the plan is that of `from` and `to`, and builds nothing; there is room; no move throws
    template <class Rows>
    static void move_all(Rows& from, Rows& to, const RowPlan& plan) noexcept {
        const std::size_t count = std::exchange(from.size_, 0), first = to.size_;
        const AnyColumnPlace *const source = from.columns_.begin(), *const target = to.columns_.begin();
        for (const RowPlan::Group group :
             {RowPlan::copied_8, RowPlan::copied_4, RowPlan::copied_12, RowPlan::copied_16, RowPlan::copied})
            for (const RowPlan::Step& step : plan.steps(group))
                std::memcpy(step.target(target).at(first), step.source(source).data, count * step.bytes);
        for (const RowPlan::Step& typed : plan.steps(RowPlan::moved)) {
            const AnyColumnPlace &column = typed.source(source), &there = typed.target(target);
            for (std::size_t row = 0; row != count; ++row) column.move(there.at(first + row), column.at(row));
            column.destroy(0, count);
        }
        for (const RowPlan::Step& typed : plan.steps(RowPlan::destroyed)) typed.source(source).destroy(0, count);
        to.size_ = first + count;
    }

private:
    /// Builds the values of `count` rows behind the last one, which are not counted yet, in `columns` columns: nth(i) is the
    /// i-th of them.
    template <class Rows, class Nth, class Build>
    static void build_rows(Rows& rows, std::size_t count, std::size_t columns, const Nth& nth, Build& build) {
        const std::size_t first = rows.size_;
        auto& here = rows.columns_;
        const auto destroy = [first, count, &nth](auto& in, std::size_t done) noexcept {
            for (std::size_t i = 0; i != done; ++i)
                if (!in.is_tag(nth(i))) in[nth(i)].destroy(first, first + count);
        };
        const auto build_in = [&](auto& in) {
            std::size_t done = 0;
            ScopeGuard undo([&]() noexcept { destroy(in, done); });
            for (; done != columns; ++done)
                if (!in.is_tag(nth(done))) build(nth(done), in[nth(done)].at(first), count);
            undo.dismiss();
        };
        if (count <= here.capacity() - first) return build_in(here);
        if (count > static_cast<std::size_t>(-1) / 2 - first) throw_length_error("rows: so many rows do not fit; add fewer");
        const std::size_t grown = here.grown(), wanted = first + count;
        here.resize(wanted < grown ? grown : wanted, first, [&](auto& fresh) {
            build_in(fresh);
            return ScopeGuard([&fresh, columns, &destroy]() noexcept { destroy(fresh, columns); });
        });
    }
    /// The second half of a move of many rows, and all of their erasure, column by column.
    /// @param to null: they are erased
    template <class Rows>
    static void pass_rows(Rows& from, const RowBatch& batch, Rows* to, const RowPlan& plan) noexcept {
        const AnyColumnPlace* const source = from.columns_.begin();
        const std::size_t end = to == nullptr ? 0 : to->size_, count = batch.rows.size();
        const auto target = [&](const RowPlan::Step& step) {
            return step.target((to == nullptr ? from : *to).columns_.begin()).at(end);
        };
        for (const RowPlan::Group group :
             {RowPlan::copied_8, RowPlan::copied_4, RowPlan::copied_12, RowPlan::copied_16, RowPlan::copied})
            for (const RowPlan::Step& step : plan.steps(group)) {
                const AnyColumnPlace& column = step.source(source);
                if (batch.adjacent)
                    std::memcpy(target(step), column.at(batch.rows[0]), count * step.bytes);
                else
                    gather(target(step), column.data, batch.rows, step.bytes);
                fill_bytes(column.data, batch.fills, step.bytes);
            }
        for (const RowPlan::Group group : {RowPlan::dropped, RowPlan::dropped_large})
            for (const RowPlan::Step& step : plan.steps(group)) fill_bytes(step.source(source).data, batch.fills, step.bytes);
        for (const RowPlan::Group group : {RowPlan::moved, RowPlan::destroyed})
            for (const RowPlan::Step& step : plan.steps(group)) {
                const AnyColumnPlace& column = step.source(source);
                std::byte* at = group == RowPlan::moved ? target(step) : nullptr;
                for (const slot_t row : batch.rows) {
                    if (group == RowPlan::moved) column.move(std::exchange(at, at + step.bytes), column.at(row));
                    column.destroy(row, row + std::size_t{1});
                }
                for (const RowFill each : batch.fills) {
                    column.move(column.at(each.row), column.at(each.from));
                    column.destroy(each.from, each.from + std::size_t{1});
                }
            }
        from.size_ -= count;
    }
    /// Copies values of a column side by side.
    static void gather(std::byte* to, const std::byte* column, std::span<const slot_t> rows, std::size_t bytes) noexcept {
        with_bytes(bytes, [=](auto size) {
            std::byte* at = to;
            for (const slot_t row : rows) {
                std::memcpy(at, column + row * size, size);
                at += size;
            }
        });
    }
    static void fill_bytes(std::byte* column, std::span<const RowFill> fills, std::size_t bytes) noexcept {
        with_bytes(bytes, [=](auto size) {
            for (const RowFill each : fills) std::memcpy(column + each.row * size, column + each.from * size, size);
        });
    }
    /// Calls f(bytes), with a constant for the sizes of most components.
    template <class F>
    SLOTWISE_ALWAYS_INLINE static void with_bytes(std::size_t bytes, F&& f) noexcept {
        switch (bytes) {
        case 4:
            return f(std::integral_constant<std::size_t, 4>());
        case 8:
            return f(std::integral_constant<std::size_t, 8>());
        case 12:
            return f(std::integral_constant<std::size_t, 12>());
        case 16:
            return f(std::integral_constant<std::size_t, 16>());
        default:
            return f(bytes);
        }
    }
    /// The first half of a move: memory, and the values that are built. The row is not counted yet.
    template <class Rows, class Build>
    SLOTWISE_ALWAYS_INLINE static void build_or_grow(Rows& to, const RowPlan& plan, Build& build) {
        if (to.size_ != to.columns_.capacity())
            build_row(to.columns_, to.size_, plan, build);
        else
            build_row_and_grow(to, plan, build);
    }
    /// The second half, which throws only if a move does.
    template <class Rows>
    SLOTWISE_ALWAYS_INLINE static RowMove pass_row(Rows& from, std::size_t row, Rows& to, const RowPlan& plan) {
        return plan.throwing() ? take_or_undo(from, row, to, plan) : take(from, row, to, plan);
    }
    /// Values of row `row` whose sizes are usual go to the end of `to`, those of the last row in their place.
    template <class Rows>
    SLOTWISE_ALWAYS_INLINE static void pass_values(const Rows& from, std::size_t row, const Rows& to,
                                                   const RowPlan& plan) noexcept {
        const std::size_t end = to.size_, last = from.size_ - 1;
        const AnyColumnPlace *const source = from.columns_.begin(), *const target = to.columns_.begin();
        const RowPlan::Step* step =
            pass_group<std::uint64_t>(plan.begin(), plan.end(RowPlan::copied_8), source, row, last, target, end);
        step = pass_group<std::uint32_t>(step, plan.end(RowPlan::copied_4), source, row, last, target, end);
        if (step == plan.end(RowPlan::copied_16)) return;
        step = pass_group<std::uint64_t, std::uint32_t>(step, plan.end(RowPlan::copied_12), source, row, last, target, end);
        pass_group<Sixteen>(step, plan.end(RowPlan::copied_16), source, row, last, target, end);
    }
    struct Sixteen {
        std::uint64_t parts[2];
    };
    /// The same for columns whose values consist of these parts. No lambda, because g++ keeps what one captures in memory, and
    /// waits for it: 12 ns of an add.
    template <class... Parts>
    SLOTWISE_ALWAYS_INLINE static const RowPlan::Step* pass_group(const RowPlan::Step* step, const RowPlan::Step* group_end,
                                                                  const AnyColumnPlace* source, std::size_t row,
                                                                  std::size_t last, const AnyColumnPlace* target,
                                                                  std::size_t end) noexcept {
        for (; step != group_end; ++step)
            pass_value<Parts...>(step->target(target).data, end, step->source(source).data, row, last);
        return step;
    }
    /// In the columns of the source alone whose sizes are usual the last value comes in the place of that of `row`.
    template <class Rows>
    SLOTWISE_ALWAYS_INLINE static void fill(const Rows& from, std::size_t row, const RowPlan& plan) noexcept {
        const std::size_t last = from.size_ - 1;
        const AnyColumnPlace* const source = from.columns_.begin();
        const RowPlan::Step *step = plan.steps(RowPlan::dropped).data(), *const end = plan.end(RowPlan::dropped);
        while (step != end) { // equal sizes are side by side: one comparison a column
            if (step->bytes == 8)
                step = fill_group<8>(step, end, source, row, last);
            else if (step->bytes == 4)
                step = fill_group<4>(step, end, source, row, last);
            else if (step->bytes == 12)
                step = fill_group<12>(step, end, source, row, last);
            else
                step = fill_group<16>(step, end, source, row, last);
        }
    }
    template <std::size_t Bytes>
    SLOTWISE_ALWAYS_INLINE static const RowPlan::Step* fill_group(const RowPlan::Step* step, const RowPlan::Step* end,
                                                                  const AnyColumnPlace* source, std::size_t row,
                                                                  std::size_t last) noexcept {
        do {
            std::byte* const column = step->source(source).data;
            std::memcpy(column + row * Bytes, column + last * Bytes, Bytes);
            ++step;
        } while (step != end && step->bytes == Bytes);
        return step;
    }
    /// The second half of a move that does not throw.
    template <class Rows>
    SLOTWISE_NEVER_INLINE static RowMove take(Rows& from, std::size_t row, Rows& to, const RowPlan& plan) noexcept {
        const std::size_t end = to.size_, last = from.size_ - 1;
        pass_values(from, row, to, plan);
        for (const RowPlan::Step& step : plan.steps(RowPlan::copied))
            std::memcpy(step.target(to.columns_.begin()).at(end), step.source(from.columns_.begin()).at(row), step.bytes);
        if (row != last) {
            fill(from, row, plan);
            for (const RowPlan::Group group : {RowPlan::copied, RowPlan::dropped_large})
                for (const RowPlan::Step& step : plan.steps(group)) {
                    const AnyColumnPlace& column = step.source(from.columns_.begin());
                    std::memcpy(column.at(row), column.at(last), step.bytes);
                }
        }
        const auto erase = [&](const AnyColumnPlace& column) {
            if (row != last) column.fill(row, last);
            column.destroy(last, last + 1);
        };
        for (const RowPlan::Step& typed : plan.steps(RowPlan::moved)) {
            const AnyColumnPlace& column = typed.source(from.columns_.begin());
            column.move(typed.target(to.columns_.begin()).at(end), column.at(row));
            erase(column);
        }
        for (const RowPlan::Step& typed : plan.steps(RowPlan::destroyed)) erase(typed.source(from.columns_.begin()));
        from.size_ = last;
        to.size_ = end + 1;
        return {end, row != last ? last : Rows::no_row};
    }
    template <class Columns, class Build>
    SLOTWISE_ALWAYS_INLINE static void build_row(Columns& columns, std::size_t row, const RowPlan& plan, Build& build) {
        const std::uint32_t *const first = plan.built().data(), *at = first, *const end = first + plan.built().size();
        ScopeGuard undo([&]() noexcept { destroy_built(columns, row, {first, at}); });
        for (; at != end; ++at) build(std::size_t{*at}, static_cast<void*>(columns[*at].at(row)));
        undo.dismiss();
    }
    template <class Columns>
    SLOTWISE_NEVER_INLINE static void destroy_built(Columns& columns, std::size_t row,
                                                    std::span<const std::uint32_t> built) noexcept {
        for (const std::uint32_t i : built) columns[i].destroy(row, row + 1);
    }
    template <class Rows, class Build>
    SLOTWISE_NEVER_INLINE static void build_row_and_grow(Rows& to, const RowPlan& plan, Build& build) {
        to.columns_.resize(to.columns_.grown(), to.size_, [&](auto& fresh) {
            build_row(fresh, to.size_, plan, build);
            return ScopeGuard(
                [columns = &fresh, row = to.size_, &plan]() noexcept { destroy_built(*columns, row, plan.built()); });
        });
    }
    /// The second half where a move may throw: the new row is there in part, and not counted.
    template <class Rows>
    SLOTWISE_NEVER_INLINE static RowMove take_or_undo(Rows& from, std::size_t row, Rows& to, const RowPlan& plan) {
        const std::size_t end = to.size_;
        std::size_t done = 0;
        ScopeGuard undo([&]() noexcept {
            for (std::size_t i = 0; i != done; ++i)
                plan.steps(RowPlan::moved)[i].target(to.columns_.begin()).destroy(end, end + 1);
            destroy_built(to.columns_, end, plan.built());
        });
        for (const RowPlan::Group group :
             {RowPlan::copied_8, RowPlan::copied_4, RowPlan::copied_12, RowPlan::copied_16, RowPlan::copied})
            for (const RowPlan::Step& step : plan.steps(group))
                std::memcpy(step.target(to.columns_.begin()).at(end), step.source(from.columns_.begin()).at(row), step.bytes);
        for (; done != plan.steps(RowPlan::moved).size(); ++done) {
            const RowPlan::Step& step = plan.steps(RowPlan::moved)[done];
            const AnyColumnPlace& column = step.source(from.columns_.begin());
            column.move(step.target(to.columns_.begin()).at(end), column.at(row));
        }
        const std::size_t filled_from = from.swap_erase(row);
        undo.dismiss();
        return {to.size_++, filled_from};
    }
};

} // namespace detail

SLOTWISE_END

#endif
