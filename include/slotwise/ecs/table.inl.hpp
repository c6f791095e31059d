// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bodies of table.hpp.
#ifndef SLOTWISE_ECS_TABLE_INL_HPP
#define SLOTWISE_ECS_TABLE_INL_HPP

#include "table.hpp"

SLOTWISE_BEGIN

namespace detail {

SLOTWISE_INLINE TableShape::TableShape(const ComponentRegistry& registry, std::span<const ComponentId> ids) : ids_(ids) {
    columns_.reserve(ids.size());
    for (std::size_t place = 0; place != ids.size(); ++place) {
        const ComponentId id = ids[place];
        if (!registry.is_switched_alone(id)) registry.expect(id, "Table");
        if (place != 0 && id <= ids[place - 1])
            throw_invalid_argument("Table: the ids are not ascending, or one is there twice; sort them and remove duplicates");
        const bool has_column = registry.has_column(id);
        columns_.push_back(has_column ? static_cast<std::int32_t>(places_.size()) : none);
        if (has_column) places_.push_back(static_cast<std::uint32_t>(place));
        if (registry.traits(id).hides) hiding_.push_back(id);
        const std::uint32_t number = id.number();
        if (number == 0 || number >= low_numbers) continue;
        if (number < near_numbers) { // such ids come first, so that their places are low, too
            near_[number] = {static_cast<std::uint8_t>(place), static_cast<std::int8_t>(columns_.back())};
            continue;
        }
        low_.resize(number + std::size_t{1}, none);
        low_[number] = static_cast<std::int32_t>(place);
    }
}

bool TableShape::names_all_hiding(std::span<const ComponentId> named) const noexcept {
    auto at = named.begin();
    for (const ComponentId id : hiding_) {
        while (at != named.end() && *at < id) ++at;
        if (at == named.end() || *at != id) return false;
    }
    return true;
}

SLOTWISE_INLINE TableMarks::TableMarks(const ComponentRegistry& registry, const TableShape& shape) {
    for (std::size_t place = 0; place != shape.ids().size(); ++place) {
        const ComponentTraits& traits = registry.traits(shape.ids()[place]);
        if (traits.toggle) bits_.push_back({place, {}});
        if (traits.tracked) ticks_.push_back({place, {}});
    }
    active_ = !ticks_.empty();
}

SLOTWISE_INLINE TableMarks::TableMarks(TableMarks&& other) noexcept
    : bits_(std::move(other.bits_)), ticks_(std::move(other.ticks_)), made_(std::exchange(other.made_, 0)),
      active_(std::exchange(other.active_, false)) {
    other.bits_.clear();
    other.ticks_.clear();
}

SLOTWISE_INLINE void TableMarks::swap(TableMarks& other) noexcept {
    bits_.swap(other.bits_);
    ticks_.swap(other.ticks_);
    std::swap(made_, other.made_);
    std::swap(active_, other.active_);
}

SLOTWISE_INLINE std::size_t TableMarks::memory_usage() const noexcept {
    std::size_t bytes = memory_of_vector(bits_) + memory_of_vector(ticks_);
    for (const BitsAt& each : bits_) bytes += each.column.memory_usage();
    for (const TicksAt& each : ticks_) bytes += each.column.memory_usage();
    return bytes;
}

SLOTWISE_INLINE MarksPlan TableMarks::plan(const TableMarks& from, std::span<const ComponentId> ids_from, const TableMarks& to,
                                           std::span<const ComponentId> ids_to) {
    MarksPlan plan;
    plan.bits = match(from.bits_, ids_from, to.bits_, ids_to);
    plan.ticks = match(from.ticks_, ids_from, to.ticks_, ids_to);
    return plan;
}

SLOTWISE_INLINE void TableMarks::enable(std::size_t rows, std::size_t row, std::size_t place, bool value) {
    BitsAt& at = *find(*this, place);
    if (value && !at.made) return;
    if (!at.made) make(at, rows, rows);
    at.column.set(row, value);
}

SLOTWISE_INLINE void TableMarks::reserve(std::size_t rows) {
    for (BitsAt& each : bits_)
        if (each.made) each.column.reserve(rows);
    for (TicksAt& each : ticks_) each.column.reserve(rows);
}

SLOTWISE_INLINE void TableMarks::swap_erase(std::size_t row) noexcept {
    for (BitsAt& each : bits_)
        if (each.made) each.column.swap_erase(row);
    for (TicksAt& each : ticks_) each.column.swap_erase(row);
}

SLOTWISE_INLINE void TableMarks::swap_rows(std::size_t a, std::size_t b) noexcept {
    for (BitsAt& each : bits_)
        if (each.made) each.column.swap_rows(a, b);
    for (TicksAt& each : ticks_) each.column.swap_rows(a, b);
}

SLOTWISE_INLINE void TableMarks::clear() noexcept {
    for (BitsAt& each : bits_) {
        each.column.clear();
        each.made = false;
    }
    for (TicksAt& each : ticks_) each.column.clear();
    made_ = 0;
    active_ = !ticks_.empty();
}

SLOTWISE_INLINE void TableMarks::prepare_move(const TableMarks& from, std::size_t row, TableMarks& to, std::size_t rows,
                                              std::size_t room, const MarksPlan& plan) {
    for (const MarksPlan::Step& step : plan.bits) {
        BitsAt& at = to.bits_[static_cast<std::size_t>(step.to)];
        if (!at.made && step.from >= 0 && !from.enabled(step.from, row)) to.make(at, rows, room);
    }
    to.reserve(room);
}

SLOTWISE_INLINE void TableMarks::prepare_any_move(const TableMarks& from, std::size_t row, TableMarks& to, std::size_t rows,
                                                  std::size_t room, const MarksPlan& plan) {
    for (BitsAt& each : to.bits_) each.column.reserve(room);
    prepare_move(from, row, to, rows, room, plan);
}

SLOTWISE_INLINE void TableMarks::prepare_rows(const TableMarks& from, const RowBatch& batch, TableMarks& to, std::size_t rows,
                                              std::size_t room, const MarksPlan& plan) {
    for (const slot_t row : batch.rows)
        for (const MarksPlan::Step& step : plan.bits) {
            BitsAt& at = to.bits_[static_cast<std::size_t>(step.to)];
            if (!at.made && step.from >= 0 && !from.enabled(step.from, row)) to.make(at, rows, room);
        }
    to.reserve(room);
}

SLOTWISE_INLINE void TableMarks::append_rows(const TableMarks& from, const RowBatch& batch, TableMarks& to,
                                             const MarksPlan& plan, tick_t tick) noexcept {
    for (const MarksPlan::Step& step : plan.bits) {
        BitsAt& at = to.bits_[static_cast<std::size_t>(step.to)];
        if (!at.made) continue;
        for (const slot_t row : batch.rows) at.column.push_back(step.from < 0 || from.enabled(step.from, row));
    }
    for (const MarksPlan::Step& step : plan.ticks) {
        TickColumn& column = to.ticks_[static_cast<std::size_t>(step.to)].column;
        if (step.from < 0) {
            column.append(batch.rows.size(), tick);
            continue;
        }
        const TickColumn& old = from.ticks_[static_cast<std::size_t>(step.from)].column;
        for (const slot_t row : batch.rows) column.push_back(old.added(row), old.changed(row));
    }
}

SLOTWISE_INLINE void TableMarks::erase_rows(const RowBatch& batch, std::size_t left) noexcept {
    for (const RowFill each : batch.fills) swap_rows(each.row, each.from);
    for (std::size_t row = left + batch.rows.size(); row-- != left;) swap_erase(row);
}

SLOTWISE_INLINE void TableMarks::commit_move(TableMarks& from, std::size_t row, TableMarks& to, const MarksPlan& plan,
                                             tick_t tick) noexcept {
    const auto one = static_cast<slot_t>(row);
    append_rows(from, {{&one, 1}, {}, true}, to, plan, tick);
    from.swap_erase(row);
}

SLOTWISE_INLINE void TableMarks::prepare_move_all(const TableMarks& from, TableMarks& to, std::size_t room,
                                                  const MarksPlan& plan, bool any) {
    for (const MarksPlan::Step& step : plan.bits) {
        BitsAt& at = to.bits_[static_cast<std::size_t>(step.to)];
        if (any || at.made || (step.from >= 0 && from.bits_[static_cast<std::size_t>(step.from)].made)) at.column.reserve(room);
    }
    for (TicksAt& each : to.ticks_) each.column.reserve(room);
}

SLOTWISE_INLINE void TableMarks::commit_move_all(TableMarks& from, std::size_t count, TableMarks& to, std::size_t rows,
                                                 const MarksPlan& plan, tick_t tick) noexcept {
    for (const MarksPlan::Step& step : plan.bits) {
        BitsAt& at = to.bits_[static_cast<std::size_t>(step.to)];
        const BitsAt* const old = step.from < 0 ? nullptr : &from.bits_[static_cast<std::size_t>(step.from)];
        const bool some = old != nullptr && old->made;
        if (!at.made && !some) continue;
        if (!at.made) to.make(at, rows, rows + count);
        if (!some) {
            at.column.append(count, true);
            continue;
        }
        for (std::size_t row = 0; row != count; ++row) at.column.push_back(old->column.test(row));
    }
    for (const MarksPlan::Step& step : plan.ticks) {
        TickColumn& column = to.ticks_[static_cast<std::size_t>(step.to)].column;
        if (step.from < 0) {
            column.append(count, tick);
            continue;
        }
        const TickColumn& old = from.ticks_[static_cast<std::size_t>(step.from)].column;
        for (std::size_t row = 0; row != count; ++row) column.push_back(old.added(row), old.changed(row));
    }
    from.clear();
}

SLOTWISE_INLINE TableMarks TableMarks::without_rows() const {
    TableMarks fresh;
    for (const BitsAt& each : bits_) fresh.bits_.push_back({each.place, {}});
    for (const TicksAt& each : ticks_) fresh.ticks_.push_back({each.place, {}});
    fresh.active_ = !ticks_.empty();
    return fresh;
}

SLOTWISE_INLINE TableMarks TableMarks::permuted(const slot_t* order, std::size_t rows) const {
    TableMarks fresh = without_rows();
    for (std::size_t i = 0; i != bits_.size(); ++i) {
        if (!bits_[i].made) continue;
        const BitColumn& old = bits_[i].column;
        BitsAt& to = fresh.bits_[i];
        fresh.make(to, 0, old.capacity());
        for (std::size_t row = 0; row != rows; ++row) to.column.push_back(old.test(order[row]));
    }
    for (std::size_t i = 0; i != ticks_.size(); ++i) {
        const TickColumn& old = ticks_[i].column;
        TickColumn& to = fresh.ticks_[i].column;
        to.reserve(old.capacity());
        for (std::size_t row = 0; row != rows; ++row) to.push_back(old.added(order[row]), old.changed(order[row]));
    }
    return fresh;
}

SLOTWISE_INLINE bool TableMarks::is_sound(std::size_t rows) const noexcept {
    std::size_t made = 0;
    for (const BitsAt& each : bits_) {
        made += each.made;
        if (each.column.size() != (each.made ? rows : 0) || !each.column.check_invariants()) return false;
    }
    for (const TicksAt& each : ticks_)
        if (each.column.size() != rows || !each.column.check_invariants()) return false;
    return made == made_ && active_ == (made_ != 0 || !ticks_.empty());
}

SLOTWISE_INLINE void TableMarks::make(BitsAt& at, std::size_t rows, std::size_t capacity) {
    at.column.reserve(capacity);
    at.column.append(rows, true);
    at.made = true;
    ++made_;
    active_ = true;
}

} // namespace detail

SLOTWISE_INLINE Table::Table(const ComponentRegistry& registry, std::span<const ComponentId> ids)
    : shape_(registry, ids), marks_(registry, shape_), rows_(types(registry, shape_)),
      erasure_(detail::PlannedRows::columns(rows_), detail::AnyColumns<AnyRows::allocator_type>(), {}) {}

SLOTWISE_INLINE void Table::swap(Table& other) noexcept {
    std::swap(shape_, other.shape_);
    marks_.swap(other.marks_);
    rows_.swap(other.rows_);
    std::swap(erasure_, other.erasure_);
}

SLOTWISE_INLINE Entity Table::swap_erase(size_type row) {
    expect_row(row);
    const bool last = row == size() - 1;
    const Entity filled = last ? Entity() : entity_data()[size() - 1];
    detail::PlannedRows::swap_erase(rows_, row, erasure_);
    if (marks_.active()) [[unlikely]]
        marks_.swap_erase(row);
    return filled;
}

SLOTWISE_INLINE void Table::reserve_move_all(const Table& from, Table& to, const ColumnMapping& map, bool calls) {
    const size_type room = to.room(from.size());
    expect_fits(to.size() + from.size());
    detail::TableMarks::prepare_move_all(from.marks_, to.marks_, room, map.marks_, calls);
    if (room > to.capacity()) to.rows_.reserve(room);
}

SLOTWISE_INLINE void Table::move_all(Table& from, Table& to, const ColumnMapping& map, tick_t tick) noexcept {
    const size_type count = from.size(), rows = to.size();
    SLOTWISE_EXPECT_DEBUG(map.columns_from_ == from.column_count() && map.columns_to_ == to.column_count() &&
                              map.built().empty(),
                          "Table::move_all: the map was made for other tables, or builds values");
    const bool marks = from.marks_.active() || to.marks_.active();
    detail::PlannedRows::move_all(from.rows_, to.rows_, map.rows_);
    if (marks) detail::TableMarks::commit_move_all(from.marks_, count, to.marks_, rows, map.marks_, tick);
}

SLOTWISE_INLINE void Table::permute(const slot_t* order) {
    if (!marks_.active()) return detail::PlannedRows::permute(rows_, order);
    detail::TableMarks marks = marks_.permuted(order, size());
    detail::PlannedRows::permute(rows_, order);
    marks_.swap(marks);
}

SLOTWISE_INLINE void Table::describe(const ComponentRegistry& registry) {
    for (size_type i = 0; i != column_count(); ++i) detail::PlannedRows::describe(rows_, i, *registry.type(column_id(i)));
}

SLOTWISE_INLINE bool Table::check_invariants() const noexcept {
    return rows_.check_invariants() && rows_.size() <= max_rows && rows_.column_count() == column_count() + 1 &&
           marks_.is_sound(rows_.size());
}

SLOTWISE_INLINE AnyRows Table::types(const ComponentRegistry& registry, const detail::TableShape& shape) {
    detail::PlainVector<const TypeDescriptor*> types;
    for (const std::uint32_t place : shape.places()) types.push_back(registry.type(shape.ids()[place]));
    types.push_back(&registry.type_of_entities()); // a column too, behind the others: one memory, one growth
    return AnyRows(types.span());
}

SLOTWISE_INLINE void Table::prepare(size_type more) {
    if (more > capacity() - size()) [[unlikely]] {
        if (more > max_rows) expect_fits(more);
        expect_fits(size() + more);
    }
    if (marks_.active()) [[unlikely]]
        marks_.reserve(room(more));
}

SLOTWISE_INLINE Table::size_type Table::room(size_type more) const noexcept {
    const size_type wanted = size() + more, grown = detail::PlannedRows::columns(rows_).grown();
    return wanted <= capacity() ? capacity() : wanted < grown ? grown : wanted;
}

SLOTWISE_INLINE ColumnMapping::ColumnMapping(const Table& from, const Table& to) {
    detail::PlainVector<std::int32_t> map;
    map.reserve(to.column_count() + 1);
    std::size_t source = 0;
    for (std::size_t i = 0; i != to.column_count(); ++i) {
        const ComponentId id = to.shape_.column_id(i);
        while (source != from.column_count() && from.shape_.column_id(source) < id) ++source;
        const bool shared = source != from.column_count() && from.shape_.column_id(source) == id;
        map.push_back(shared ? static_cast<std::int32_t>(source) : -1);
    }
    map.push_back(static_cast<std::int32_t>(from.column_count())); // entities
    columns_from_ = from.column_count();
    columns_to_ = to.column_count();
    rows_ = detail::RowPlan(detail::PlannedRows::columns(from.rows_), detail::PlannedRows::columns(to.rows_), map.span());
    marks_ = detail::TableMarks::plan(from.marks_, from.ids(), to.marks_, to.ids());
}

slot_t Table::push_back_any(tick_t tick, detail::RowBuild build) {
    prepare(1);
    const size_type row = detail::PlannedRows::push_back(rows_, build);
    if (marks_.active()) marks_.append(1, tick);
    return static_cast<slot_t>(row);
}

Table::Moved Table::move_any_row(Table& from, size_type row, Table& to, const ColumnMapping& map, tick_t tick,
                                 detail::RowBuild build) {
    expect_other(from, to);
    expect_fits(to.size() + 1);
    const bool marks = from.marks_.active() || to.marks_.active();
    if (marks) detail::TableMarks::prepare_move(from.marks_, row, to.marks_, to.size(), to.room(1), map.marks_);
    const RowMove move = detail::PlannedRows::move_row(from.rows_, row, to.rows_, map.rows_, build);
    if (marks) detail::TableMarks::commit_move(from.marks_, row, to.marks_, map.marks_, tick);
    return moved(from, row, move);
}

SLOTWISE_INLINE Table::Table(Table&& other) noexcept = default;
SLOTWISE_INLINE Table::~Table() = default;

SLOTWISE_END

#endif
