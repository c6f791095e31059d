// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TableMarks: bits and ticks of a table's rows. They follow the rows.
#ifndef SLOTWISE_ECS_TABLE_MARKS_HPP
#define SLOTWISE_ECS_TABLE_MARKS_HPP

#include "../rows/bit_column.hpp"
#include "../rows/tick_column.hpp"
#include "table_shape.hpp"

SLOTWISE_BEGIN
namespace detail {

/// How the marks of one table follow a row to another.
struct MarksPlan {
    struct Step {
        std::int32_t from, to; // numbers of columns of marks; from < 0: the row gets them new
    };
    PlainVector<Step> bits{}, ticks{};
};

/// For each id of a table with the trait toggle a column of bits: whether it is enabled in a row. It has memory from the first
/// time that one is disabled. For each id with the trait tracked a column of ticks.
class TableMarks {
public:
    TableMarks() = default;
    TableMarks(const ComponentRegistry& registry, const TableShape& shape) {
        for (std::size_t place = 0; place != shape.ids().size(); ++place) {
            const ComponentTraits& traits = registry.traits(shape.ids()[place]);
            if (traits.toggle) bits_.push_back({place, {}});
            if (traits.tracked) ticks_.push_back({place, {}});
        }
        active_ = !ticks_.empty();
    }
    TableMarks(TableMarks&& other) noexcept
        : bits_(std::move(other.bits_)), ticks_(std::move(other.ticks_)), made_(std::exchange(other.made_, 0)),
          active_(std::exchange(other.active_, false)) {
        other.bits_.clear();
        other.ticks_.clear();
    }
    TableMarks(const TableMarks&) = delete;
    TableMarks& operator=(const TableMarks&) = delete;
    TableMarks& operator=(TableMarks&&) = delete;
    ~TableMarks() = default;
    void swap(TableMarks& other) noexcept {
        bits_.swap(other.bits_);
        ticks_.swap(other.ticks_);
        std::swap(made_, other.made_);
        std::swap(active_, other.active_);
    }
    std::size_t memory_usage() const noexcept {
        std::size_t bytes = memory_of_vector(bits_) + memory_of_vector(ticks_);
        for (const BitsAt& each : bits_) bytes += each.column.memory_usage();
        for (const TicksAt& each : ticks_) bytes += each.column.memory_usage();
        return bytes;
    }
    /// @throws what the allocator throws
    static MarksPlan plan(const TableMarks& from, std::span<const ComponentId> ids_from, const TableMarks& to,
                          std::span<const ComponentId> ids_to) {
        MarksPlan plan;
        plan.bits = match(from.bits_, ids_from, to.bits_, ids_to);
        plan.ticks = match(from.ticks_, ids_from, to.ticks_, ids_to);
        return plan;
    }

    /// Whether anything is to be done when rows change.
    bool active() const noexcept { return active_; }
    /// Columns of bits that have memory.
    std::size_t made() const noexcept { return made_; }
    /// The bits of the id at this place; null as long as it is enabled in every row.
    const BitColumn* bits(std::size_t place) const noexcept {
        const BitsAt* const found = find(*this, place);
        return found != nullptr && found->made ? &found->column : nullptr;
    }
    template <class Self>
    static auto* ticks(Self& self, std::size_t place) noexcept {
        for (auto& each : self.ticks_)
            if (each.place == place) return &each.column;
        return static_cast<decltype(&self.ticks_[0].column)>(nullptr);
    }
    bool can_toggle(std::size_t place) const noexcept { return find(*this, place) != nullptr; }
    /// @pre can_toggle(place) @throws what the allocator throws, at the first that is disabled; strong
    void enable(std::size_t rows, std::size_t row, std::size_t place, bool value) {
        BitsAt& at = *find(*this, place);
        if (value && !at.made) return;
        if (!at.made) make(at, rows, rows);
        at.column.set(row, value);
    }

    /// Room for `rows` rows in every column that has memory. @throws what the allocator throws
    void reserve(std::size_t rows) {
        for (BitsAt& each : bits_)
            if (each.made) each.column.reserve(rows);
        for (TicksAt& each : ticks_) each.column.reserve(rows);
    }
    void shrink_to_fit() {
        for (BitsAt& each : bits_) each.column.shrink_to_fit();
        for (TicksAt& each : ticks_) each.column.shrink_to_fit();
    }
    /// @pre reserve() gave the room: nothing throws
    void append(std::size_t rows, tick_t tick) noexcept {
        for (BitsAt& each : bits_)
            if (each.made) each.column.append(rows, true);
        for (TicksAt& each : ticks_) each.column.append(rows, tick);
    }
    void swap_erase(std::size_t row) noexcept {
        for (BitsAt& each : bits_)
            if (each.made) each.column.swap_erase(row);
        for (TicksAt& each : ticks_) each.column.swap_erase(row);
    }
    void swap_rows(std::size_t a, std::size_t b) noexcept {
        for (BitsAt& each : bits_)
            if (each.made) each.column.swap_rows(a, b);
        for (TicksAt& each : ticks_) each.column.swap_rows(a, b);
    }
    void clear() noexcept {
        for (BitsAt& each : bits_) {
            each.column.clear();
            each.made = false;
        }
        for (TicksAt& each : ticks_) each.column.clear();
        made_ = 0;
        active_ = !ticks_.empty();
    }
    void clamp(tick_t now) noexcept {
        for (TicksAt& each : ticks_) each.column.clamp(now);
    }
    /// Room at `to`, for `room` rows, before row `row` of `from` comes there. @throws what the allocator throws
    static void prepare_move(const TableMarks& from, std::size_t row, TableMarks& to, std::size_t rows, std::size_t room,
                             const MarksPlan& plan) {
        for (const MarksPlan::Step& step : plan.bits) {
            BitsAt& at = to.bits_[static_cast<std::size_t>(step.to)];
            if (!at.made && step.from >= 0 && !from.enabled(step.from, row)) to.make(at, rows, room);
        }
        to.reserve(room);
    }
    /// The same, and memory for bits that are not made yet: whatever is disabled next, the same call of prepare_move() does not
    /// allocate. @throws what the allocator throws
    static void prepare_any_move(const TableMarks& from, std::size_t row, TableMarks& to, std::size_t rows, std::size_t room,
                                 const MarksPlan& plan) {
        for (BitsAt& each : to.bits_) each.column.reserve(room);
        prepare_move(from, row, to, rows, room, plan);
    }
    /// The marks of a row that was moved. @pre prepare_move()
    static void commit_move(TableMarks& from, std::size_t row, TableMarks& to, const MarksPlan& plan, tick_t tick) noexcept {
        for (const MarksPlan::Step& step : plan.bits) {
            BitsAt& at = to.bits_[static_cast<std::size_t>(step.to)];
            if (at.made) at.column.push_back(step.from < 0 || from.enabled(step.from, row));
        }
        for (const MarksPlan::Step& step : plan.ticks) {
            TickColumn& column = to.ticks_[static_cast<std::size_t>(step.to)].column;
            if (step.from < 0) {
                column.push_back(tick);
            } else {
                const TickColumn& old = from.ticks_[static_cast<std::size_t>(step.from)].column;
                column.push_back(old.added(row), old.changed(row));
            }
        }
        from.swap_erase(row);
    }
    bool is_sound(std::size_t rows) const noexcept {
        std::size_t made = 0;
        for (const BitsAt& each : bits_) {
            made += each.made;
            if (each.column.size() != (each.made ? rows : 0) || !each.column.check_invariants()) return false;
        }
        for (const TicksAt& each : ticks_)
            if (each.column.size() != rows || !each.column.check_invariants()) return false;
        return made == made_ && active_ == (made_ != 0 || !ticks_.empty());
    }

private:
    struct BitsAt {
        std::size_t place;
        BitColumn column;
        bool made = false;
    };
    struct TicksAt {
        std::size_t place;
        TickColumn column;
    };
    template <class Self>
    static auto find(Self& self, std::size_t place) noexcept -> decltype(&self.bits_[0]) {
        for (auto& each : self.bits_)
            if (each.place == place) return &each;
        return nullptr;
    }
    template <class Marks>
    static PlainVector<MarksPlan::Step> match(const Marks& from, std::span<const ComponentId> ids_from, const Marks& to,
                                              std::span<const ComponentId> ids_to) {
        PlainVector<MarksPlan::Step> steps;
        std::size_t source = 0;
        for (std::size_t i = 0; i != to.size(); ++i) { // both are sorted by id
            const ComponentId id = ids_to[to[i].place];
            while (source != from.size() && ids_from[from[source].place] < id) ++source;
            const bool shared = source != from.size() && ids_from[from[source].place] == id;
            steps.push_back({shared ? static_cast<std::int32_t>(source) : -1, static_cast<std::int32_t>(i)});
        }
        return steps;
    }
    bool enabled(std::int32_t column, std::size_t row) const noexcept {
        const BitsAt& at = bits_[static_cast<std::size_t>(column)];
        return !at.made || at.column.test(row);
    }
    void make(BitsAt& at, std::size_t rows, std::size_t capacity) {
        at.column.reserve(capacity);
        at.column.append(rows, true);
        at.made = true;
        ++made_;
        active_ = true;
    }

    std::vector<BitsAt> bits_{};
    std::vector<TicksAt> ticks_{};
    std::size_t made_ = 0;
    bool active_ = false;
};

} // namespace detail
SLOTWISE_END

#endif
