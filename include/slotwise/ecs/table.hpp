// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Table: the rows of all entities that have the same components. ColumnMapping: how rows move from one to another.
#ifndef SLOTWISE_ECS_TABLE_HPP
#define SLOTWISE_ECS_TABLE_HPP

#include "../rows/bit_column.hpp"
#include "../rows/detail/row_plan.hpp"
#include "../rows/tick_column.hpp"
#include "component_registry.hpp"

SLOTWISE_BEGIN
namespace detail {

class RowGroup;
class StoreCore;

/// Sorted ids and their columns. The place of an id is its number among the ids; its column is its number among those that have
/// values in the table. The two differ as soon as there is a tag.
class TableShape {
public:
    static constexpr std::int32_t none = -1;
    /// Components with a number below the first are found by one load from the table itself, those below the second by a call
    /// and two loads.
    static constexpr std::uint32_t near_numbers = 64, low_numbers = 256;

    TableShape() = default;
    /// @throws std::invalid_argument when the ids are not ascending and each once, or the registry does not know one; what the
    /// allocator throws
    TableShape(const ComponentRegistry& registry, std::span<const ComponentId> ids);

    std::span<const ComponentId> ids() const noexcept { return ids_.span(); }
    std::size_t column_count() const noexcept { return places_.size(); }
    ComponentId column_id(std::size_t column) const noexcept { return ids_[places_[column]]; }
    /// The place of the id of a column.
    std::span<const std::uint32_t> places() const noexcept { return places_.span(); }
    /// The column of the id at this place.
    std::int32_t column_at(std::size_t place) const noexcept { return columns_[place]; }
    SLOTWISE_ALWAYS_INLINE std::int32_t place_of(ComponentId id) const noexcept {
        const std::uint32_t number = id.number();
        if (number - 1 >= near_numbers - 1) return search(id); // a pair, whose number is 0, or a late component
        const std::uint8_t place = near_[number].place;
        return place != no_place && ids_[place] == id ? place : none; // or it is of another registry
    }
    SLOTWISE_ALWAYS_INLINE std::int32_t column_of(ComponentId id) const noexcept {
        const std::int32_t place = place_of(id);
        return place < 0 ? none : columns_[static_cast<std::size_t>(place)];
    }

    /// The same, without a look at the id. @pre the id is null, or a component of the registry and no pair
    SLOTWISE_ALWAYS_INLINE std::int32_t column_of_own(ComponentId id) const noexcept {
        const auto number = static_cast<std::uint32_t>(id.bits());
        if (number < near_numbers) [[likely]]
            return near_[number].column;
        return column_of(id);
    }
    /// Whether the id is there. @pre as column_of_own()
    SLOTWISE_ALWAYS_INLINE bool contains_own(ComponentId id) const noexcept {
        const auto number = static_cast<std::uint32_t>(id.bits());
        return number < near_numbers ? near_[number].place != no_place : search(id) >= 0;
    }

    /// Whether one of the ids has the trait `hides` and is not among these, which ascend.
    bool is_hidden_from(std::span<const ComponentId> named) const noexcept {
        if (hiding_.empty()) [[likely]]
            return false;
        return !names_all_hiding(named);
    }
    /// The ids with the trait `hides`, ascending.
    std::span<const ComponentId> hiding() const noexcept { return hiding_.span(); }

    std::size_t memory_usage() const noexcept { return memory_of(ids_, columns_, places_, low_, hiding_); }

private:
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE bool names_all_hiding(std::span<const ComponentId> named) const noexcept;
    SLOTWISE_NEVER_INLINE std::int32_t search(ComponentId id) const noexcept {
        const std::uint32_t number = id.number();
        if (number - 1 < low_numbers - 1) {
            if (number >= low_.size()) return none;
            const std::int32_t place = low_[number];
            return place >= 0 && ids_[static_cast<std::size_t>(place)] == id ? place : none;
        }
        std::size_t first = 0, count = ids_.size();
        while (count != 0) {
            const std::size_t half = count / 2;
            const bool right = ids_[first + half] < id;
            first = right ? first + half + 1 : first;
            count = right ? count - half - 1 : half;
        }
        return first != ids_.size() && ids_[first] == id ? static_cast<std::int32_t>(first) : none;
    }

    static constexpr std::uint8_t no_place = 0xFF;
    struct Near {
        std::uint8_t place = no_place;
        std::int8_t column = none;
    };
    Near near_[near_numbers]; // by the number of a component, for those that are no pairs
    PlainVector<ComponentId> ids_{};
    PlainVector<std::int32_t> columns_{}; // by place
    PlainVector<ComponentId> hiding_{};   // beside what a query reads of each table that it comes to
    PlainVector<std::uint32_t> places_{}; // by column
    PlainVector<std::int32_t> low_{};     // places by number, if one is not near
};

/// How the marks of one table, bits and ticks, follow a row to another.
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
    TableMarks(const ComponentRegistry& registry, const TableShape& shape);
    TableMarks(TableMarks&& other) noexcept;
    TableMarks(const TableMarks&) = delete;
    TableMarks& operator=(const TableMarks&) = delete;
    TableMarks& operator=(TableMarks&&) = delete;
    ~TableMarks() = default;
    void swap(TableMarks& other) noexcept;
    std::size_t memory_usage() const noexcept;
    /// @throws what the allocator throws
    static MarksPlan plan(const TableMarks& from, std::span<const ComponentId> ids_from, const TableMarks& to,
                          std::span<const ComponentId> ids_to);

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
    void enable(std::size_t rows, std::size_t row, std::size_t place, bool value);

    /// Room for `rows` rows in every column that has memory. @throws what the allocator throws
    void reserve(std::size_t rows);
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
    void swap_erase(std::size_t row) noexcept;
    void swap_rows(std::size_t a, std::size_t b) noexcept;
    void clear() noexcept;
    void clamp(tick_t now) noexcept {
        for (TicksAt& each : ticks_) each.column.clamp(now);
    }
    /// Room at `to`, for `room` rows, before row `row` of `from` comes there. @throws what the allocator throws
    static void prepare_move(const TableMarks& from, std::size_t row, TableMarks& to, std::size_t rows, std::size_t room,
                             const MarksPlan& plan);
    /// The same, and memory for bits that are not made yet: whatever is disabled next, the same call of prepare_move() does not
    /// allocate. @throws what the allocator throws
    static void prepare_any_move(const TableMarks& from, std::size_t row, TableMarks& to, std::size_t rows, std::size_t room,
                                 const MarksPlan& plan);
    /// The marks of a row that was moved. @pre prepare_move()
    static void commit_move(TableMarks& from, std::size_t row, TableMarks& to, const MarksPlan& plan, tick_t tick) noexcept;
    /// The same as prepare_move(), commit_move() and swap_erase() for many rows. erase_rows() gets how many rows are left.
    static void prepare_rows(const TableMarks& from, const RowBatch& batch, TableMarks& to, std::size_t rows, std::size_t room,
                             const MarksPlan& plan);
    static void append_rows(const TableMarks& from, const RowBatch& batch, TableMarks& to, const MarksPlan& plan,
                            tick_t tick) noexcept;
    void erase_rows(const RowBatch& batch, std::size_t left) noexcept;
    /// Room for the marks of all rows of `from` behind those of `to`, of which there is room for `room`.
    /// @param any whatever is disabled next @throws what the allocator throws
    static void prepare_move_all(const TableMarks& from, TableMarks& to, std::size_t room, const MarksPlan& plan, bool any);
    /// The marks of `count` rows that were moved behind the `rows` of `to`; `from` has none then. @pre prepare_move_all()
    static void commit_move_all(TableMarks& from, std::size_t count, TableMarks& to, std::size_t rows, const MarksPlan& plan,
                                tick_t tick) noexcept;
    /// The same marks in another order: those of row order[i] are at row i. @throws what the allocator throws
    TableMarks permuted(const slot_t* order, std::size_t rows) const;
    bool is_sound(std::size_t rows) const noexcept;

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
    /// The same columns without rows. @throws what the allocator throws
    TableMarks without_rows() const;
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
    void make(BitsAt& at, std::size_t rows, std::size_t capacity);

    std::vector<BitsAt> bits_{};
    std::vector<TicksAt> ticks_{};
    std::size_t made_ = 0;
    bool active_ = false;
};

} // namespace detail

/// How rows move from one table to another: what is copied, moved, destroyed and built. Make it once for two tables and keep
/// it. It refers to neither.
class ColumnMapping {
public:
    /// Moves nothing.
    ColumnMapping() = default;
    /// @throws what the allocator throws @complexity linear in the ids of both
    ColumnMapping(const Table& from, const Table& to);

    /// The columns of the destination that `build` is called for, in ascending order.
    std::span<const std::uint32_t> built() const noexcept { return rows_.built(); }
    /// Bytes held on the heap.
    std::size_t memory_usage() const noexcept { return detail::memory_of(rows_, marks_.bits, marks_.ticks); }

private:
    friend Table;
    detail::RowPlan rows_{};
    detail::MarksPlan marks_{};
    std::size_t columns_from_ = 0, columns_to_ = 0;
};

/// The rows of the entities that have the same components. Rows are packed, and the values of a component are an array, 64-byte
/// aligned or as the type asks. Tags and switched relations have a place among the ids and no column. All columns always
/// have the same number of rows, also after a throw. Erasing a row moves the last one into its place, and returns its entity.
///     const ComponentId ids[] = {position, velocity};                         // ascending
///     Table table(registry, ids);
///     const slot_t row = table.push_back(entity, now, [&](std::size_t column, void* to) {...});
///     Position* const positions = table.data<Position>(table.column_of(position));
/// Types must be movable. One whose move may throw needs assignment; moving rows then has the basic guarantee. Values must not
/// use the table while they are built, moved or destroyed. Building may read values of it: memory that is replaced is freed
/// last. The registry is only used by the constructor; types must outlive the table. const functions may be called by several
/// threads at once.
class Table {
public:
    using size_type = std::size_t;
    /// The most rows a table has.
    static constexpr size_type max_rows = size_type{1} << 30;
    /// What move_row() has done.
    struct Moved {
        slot_t row;    ///< the row in the destination
        Entity filled; ///< the entity that is now in the place of the moved row of the source; null: it was the last
    };

    /// A table without components, whose entities only are counted.
    Table() : Table(ComponentRegistry(), {}) {}
    /// A table of these components, which are ascending.
    /// @throws std::invalid_argument when they are not, when the registry does not know one, or values of a type cannot be
    /// moved; what the allocator throws
    Table(const ComponentRegistry& registry, std::span<const ComponentId> ids);
    /// Leaves `other` to be assigned or destroyed.
    Table(Table&& other) noexcept;
    Table& operator=(Table&& other) noexcept {
        Table taken(std::move(other));
        swap(taken);
        return *this;
    }
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;
    ~Table();
    void swap(Table& other) noexcept;
    friend void swap(Table& a, Table& b) noexcept { a.swap(b); }

    //=== components ===//

    /// The ids, ascending.
    std::span<const ComponentId> ids() const noexcept { return shape_.ids(); }
    /// Whether the entities have it. @complexity as place_of
    bool contains(ComponentId id) const noexcept { return place_of(id) >= 0; }
    /// The number of an id among ids(); -1 if it is none of them.
    /// @complexity O(1) for components whose number is below 256, logarithmic in ids for others
    std::int32_t place_of(ComponentId id) const noexcept { return shape_.place_of(id); }
    /// The column of a component; -1 if it has none. @complexity as place_of
    std::int32_t column_of(ComponentId id) const noexcept { return shape_.column_of(id); }
    /// The same for a component of the registry that the table was made with, which is no pair, or for null; others get a wrong
    /// answer. @complexity as place_of, with three loads less
    std::int32_t column_of_own(ComponentId id) const noexcept { return shape_.column_of_own(id); }
    /// As contains(), for such a component.
    bool contains_own(ComponentId id) const noexcept { return shape_.contains_own(id); }
    /// The column of the id at this place; -1 if it has none. @pre place < ids().size()
    std::int32_t column_at(size_type place) const noexcept { return shape_.column_at(place); }
    /// The ids with the trait `hides`, ascending.
    std::span<const ComponentId> hiding() const noexcept { return shape_.hiding(); }
    /// Whether the rows are hidden from a query that names these ids, which ascend: one of its ids has the trait `hides` and is
    /// not among them. @complexity O(1) without such ids, else O(named)
    bool is_hidden_from(std::span<const ComponentId> named) const noexcept { return shape_.is_hidden_from(named); }
    /// Columns there are.
    size_type column_count() const noexcept { return shape_.column_count(); }
    /// The component of a column. @pre column < column_count() (checked at level fast)
    ComponentId column_id(size_type column) const noexcept {
        expect_column(column);
        return shape_.column_id(column);
    }
    /// The type of a column's values. @pre column < column_count() (checked at level fast)
    const TypeDescriptor& type(size_type column) const noexcept {
        expect_column(column);
        return *place(column).type;
    }
    /// The values of a column, row by row. @pre column < column_count() (checked at level fast)
    /// @invalidates itself when rows are added, moved or erased
    AnySpan column(size_type column) noexcept {
        expect_column(column);
        return rows_.column(column);
    }
    ConstAnySpan column(size_type column) const noexcept {
        expect_column(column);
        return rows_.column(column);
    }
    /// The first value of a column, unchecked. @pre column < column_count(), and its values are T
    template <class T>
    T* data(size_type column) noexcept {
        return static_cast<T*>(static_cast<void*>(place(column).data));
    }
    template <class T>
    const T* data(size_type column) const noexcept {
        return static_cast<const T*>(static_cast<const void*>(place(column).data));
    }
    /// The address of a value, unchecked. @pre column < column_count() and row < size()
    void* value(size_type column, size_type row) noexcept { return place(column).at(row); }
    const void* value(size_type column, size_type row) const noexcept { return place(column).at(row); }

    //=== capacity ===//

    /// The entity of each row. @invalidates itself when rows are added, moved or erased
    std::span<const Entity> entities() const noexcept { return {entity_data(), rows_.size()}; }
    /// Rows there are.
    size_type size() const noexcept { return rows_.size(); }
    bool empty() const noexcept { return rows_.empty(); }
    /// Rows there is memory for.
    size_type capacity() const noexcept { return rows_.capacity(); }
    /// Room for `rows` rows. @throws std::length_error when that is more than max_rows; what the allocator, and moves that may
    /// throw, throw; strong if what cannot be copied moves without a throw @invalidates columns and entities(), when it grows
    void reserve(size_type rows) {
        expect_fits(rows);
        marks_.reserve(rows);
        rows_.reserve(rows);
    }
    /// Frees the memory that is not needed. @throws as reserve @invalidates columns and entities()
    void shrink_to_fit() {
        marks_.shrink_to_fit();
        rows_.shrink_to_fit();
    }

    //=== rows ===//

    /// Adds a row. build(column, to) builds its value of each column, in ascending order, in memory of that type. The row is
    /// enabled, and added at `tick`. Returns it.
    /// @throws std::length_error when there are max_rows rows; what the allocator and build throw, and moves that may throw,
    /// when it grows; strong @complexity linear in columns, amortised @invalidates columns and entities(), when it grows
    template <class Build>
    slot_t push_back(Entity entity, tick_t tick, Build&& build) {
        const auto build_with_entity = [&, entities = column_count()](size_type column, void* to) {
            if (column != entities)
                build(column, to);
            else
                ::new (to) Entity(entity);
        };
        if (!marks_.active() && detail::PlannedRows::has_room(rows_)) [[likely]]
            return static_cast<slot_t>(detail::PlannedRows::push_back_plain(rows_, build_with_entity));
        return push_back_any(tick, build_with_entity);
    }
    /// Adds a row if there is room for one and it needs no bits and ticks; else returns no_slot. write(row) builds its value of
    /// each column in data<T>(column) + row. @pre write throws nothing, and leaves out no column
    template <class Write>
    SLOTWISE_ALWAYS_INLINE slot_t try_push_back(Entity entity, Write&& write) noexcept {
        if (marks_.active() || !detail::PlannedRows::has_room(rows_)) [[unlikely]]
            return no_slot;
        return static_cast<slot_t>(detail::PlannedRows::push_back_written(rows_, [&](size_type row) {
            write(row);
            data<Entity>(column_count())[row] = entity;
        }));
    }
    /// Adds a row for each of these entities, which may be those of this table. build(column, to, count) builds the values of a
    /// column side by side: all of them or, if it throws, none. Returns the first row.
    /// @throws as push_back; strong @complexity linear
    template <class Build>
    slot_t append(std::span<const Entity> entities, tick_t tick, Build&& build) {
        return append_n(
            entities.size(), [&] { return entities.data(); }, tick, build);
    }
    /// The same for `count` entities that entities() points to when their values have been built.
    template <class Entities, class Build>
    slot_t append_n(size_type count, Entities&& entities, tick_t tick, Build&& build) {
        prepare(count);
        const size_type of_entities = column_count();
        const size_type first = detail::PlannedRows::append(rows_, count, [&](size_type column, void* to, size_type n) {
            if (column != of_entities)
                build(column, to, n);
            else if (n != 0)
                std::memcpy(to, entities(), n * sizeof(Entity));
        });
        if (marks_.active()) marks_.append(count, tick);
        return static_cast<slot_t>(first);
    }
    /// Removes `row`; the last row comes in its place. Returns the entity whose row it was and now is `row`; null if `row` was
    /// the last. @pre row < size() (checked at level fast)
    /// @throws what moves that may throw do; the row then is there, with some of the last row's values
    /// @complexity linear in columns
    Entity swap_erase(size_type row);
    /// Moves row `row` of `from` to the end of `to`. Values of components that both have are moved, build(column, to) builds
    /// those of ColumnMapping::built(), others are destroyed. The row keeps its ticks and bits; what is new is enabled, and
    /// added at `tick`. The last row of `from` comes in the place of `row`. No memory is allocated but for growth.
    /// @pre row < from.size() (checked at level fast); map == ColumnMapping(from, to)
    /// @throws std::invalid_argument when `from` is `to`; as push_back; strong if shared columns and those of `from` move
    /// without a throw, else basic: both keep their rows, some of whose values are moved-from @complexity linear in columns
    /// @invalidates columns and entities() of both
    template <class Build>
    static Moved move_row(Table& from, size_type row, Table& to, const ColumnMapping& map, tick_t tick, Build&& build) {
        expect_move(from, row, to, map);
        if (&from == &to || !can_pass_row(from, to, map)) [[unlikely]]
            return move_any_row(from, row, to, map, tick, build);
        build_next_row(to, map, build);
        return pass_row(from, row, to, map);
    }
    /// Whether a move needs nothing but bytes that are copied: no bits and ticks, no function of a type, no memory. Then
    /// build_next_row() and pass_row() are the two halves of move_row().
    SLOTWISE_ALWAYS_INLINE static bool can_pass_row(const Table& from, const Table& to, const ColumnMapping& map) noexcept {
        return !from.marks_.active() && !to.marks_.active() && detail::PlannedRows::can_move_plain(to.rows_, map.rows_);
    }
    /// Builds the values of map.built() behind the last row, which no row has yet: build(column, to), as move_row().
    /// @pre there is room for a row @throws what build throws; no value is there then
    template <class Build>
    SLOTWISE_ALWAYS_INLINE static void build_next_row(Table& to, const ColumnMapping& map, Build&& build) {
        detail::PlannedRows::build_next_row(to.rows_, map.rows_, build);
    }
    /// Moves the other values. @pre can_pass_row(), build_next_row() was called, `from` is not `to`, and row < from.size()
    SLOTWISE_ALWAYS_INLINE static Moved pass_row(Table& from, size_type row, Table& to, const ColumnMapping& map) noexcept {
        const Moved move{static_cast<slot_t>(to.size()), row == from.size() - 1 ? Entity() : from.entities().back()};
        detail::PlannedRows::pass_row_plain(from.rows_, row, to.rows_, map.rows_);
        return move;
    }
    /// Whether pass_row_of_8() does the same as pass_row(), with half as many instructions: there are 8 bytes in each column.
    static bool can_pass_row_of_8(const ColumnMapping& map) noexcept { return map.rows_.only_8(); }
    SLOTWISE_ALWAYS_INLINE static Moved pass_row_of_8(Table& from, size_type row, Table& to,
                                                      const ColumnMapping& map) noexcept {
        detail::PlannedRows::pass_row_of_8(from.rows_, row, to.rows_, map.rows_);
        return {static_cast<slot_t>(to.size() - 1), row == from.size() ? Entity() : from.entity_data()[row]};
    }
    /// The same, and calls ready() once: when memory is there and all values are built, and before the first one moves. Values
    /// of both tables are where they were then, and `to` has no row more yet. ready() may read and write values and enable()
    /// components, but add or remove no rows. If values of `from` move without a throw, then nothing throws after ready().
    /// The rest is as above; what ready() throws changes nothing.
    template <class Build, class Ready>
    static Moved move_row(Table& from, size_type row, Table& to, const ColumnMapping& map, tick_t tick, Build&& build,
                          Ready&& ready) {
        expect_move(from, row, to, map);
        expect_other(from, to);
        expect_fits(to.size() + 1);
        detail::TableMarks::prepare_any_move(from.marks_, row, to.marks_, to.size(), to.room(1), map.marks_);
        const auto ready_with_marks = [&] {
            ready();
            detail::TableMarks::prepare_move(from.marks_, row, to.marks_, to.size(), to.room(1), map.marks_);
        };
        const RowMove move = detail::PlannedRows::move_row(from.rows_, row, to.rows_, map.rows_, build, ready_with_marks);
        detail::TableMarks::commit_move(from.marks_, row, to.marks_, map.marks_, tick);
        return moved(from, row, move);
    }
    /// Exchanges two rows. @pre both < size() (checked at level fast)
    /// @throws what the allocator throws when there is no room for a row more, and moves that may throw
    void swap_rows(size_type a, size_type b) {
        rows_.swap_rows(a, b);
        marks_.swap_rows(a, b);
    }
    /// Whether a row's move to another place or table may throw.
    bool moves_may_throw() const noexcept { return erasure_.throwing(); }
    /// Room for all rows of `from` behind those of `to`. @param calls whether something that may disable components is called
    /// before move_all() @throws as reserve; strong as that
    static void reserve_move_all(const Table& from, Table& to, const ColumnMapping& map, bool calls);
    /// Moves all rows of `from` behind those of `to`, as move_row() moves one, but in their order, and a column at a time.
    /// @pre `from` is not `to`; map == ColumnMapping(from, to), and builds nothing; reserve_move_all(from, to, map, ...) was
    /// called; no move of `from` throws @complexity linear in the bytes of the rows @invalidates columns of `from`
    static void move_all(Table& from, Table& to, const ColumnMapping& map, tick_t tick) noexcept;
    /// Brings the rows into another order: row i becomes what row order[i] was, with its bits and ticks.
    /// @pre `order` has each row once @throws as reserve; strong as that @complexity linear in the bytes of the rows
    /// @invalidates columns and entities()
    void permute(const slot_t* order);
    /// Removes all rows, in all of which every component is enabled again; the memory stays.
    void clear() noexcept {
        rows_.clear();
        marks_.clear();
    }

    //=== bits and ticks ===//

    /// Whether the component at this place is enabled in this row. Those that cannot be disabled are.
    /// @pre place < ids().size() and row < size() (checked at level fast)
    bool is_enabled(size_type row, size_type place) const noexcept {
        expect_row(row);
        const BitColumn* const bits = this->bits(place);
        return bits == nullptr || bits->test(row);
    }
    /// Enables or disables the component at this place in this row. It keeps its value, and the row its place.
    /// @pre place < ids().size() and row < size() (checked at level fast)
    /// @throws std::invalid_argument when the component has not the trait toggle; what the allocator throws, at the first that
    /// is disabled in this table; strong
    void enable(size_type row, size_type place, bool enabled = true) {
        expect_row(row);
        SLOTWISE_EXPECT(place < ids().size(), "Table::enable: there is no component at this place");
        if (!marks_.can_toggle(place)) [[unlikely]]
            detail::throw_invalid_argument(
                "Table::enable: the component cannot be disabled; register it with the trait toggle");
        marks_.enable(size(), row, place, enabled);
    }
    /// A bit for each row: whether the component at this place is enabled. Null when it is in all rows, as long as none was
    /// disabled. @pre place < ids().size() @invalidates the pointer, when the table moves or is cleared
    const BitColumn* bits(size_type place) const noexcept { return marks_.bits(place); }
    /// Whether bits() is not null for some component.
    bool any_disabled_columns() const noexcept { return marks_.made() != 0; }
    /// When the component at this place was added and changed in each row; null if it has not the trait tracked. Mark rows by
    /// it; rows are added and removed by the table alone. @pre place < ids().size()
    /// @invalidates the pointer, when the table moves
    TickColumn* ticks(size_type place) noexcept { return detail::TableMarks::ticks(marks_, place); }
    const TickColumn* ticks(size_type place) const noexcept { return detail::TableMarks::ticks(marks_, place); }
    /// Whether rows have bits or ticks.
    bool has_marks() const noexcept { return marks_.active(); }
    /// Makes ticks that are older than max_tick_age that old, see TickColumn::clamp. @complexity linear
    void clamp_ticks(tick_t now) noexcept { marks_.clamp(now); }

    /// The columns, and behind them one of the entities: what a snapshot writes. append() makes rows of it again.
    const AnyRows& rows() const noexcept { return rows_; }
    /// Bytes held on the heap, without what values hold themselves. @complexity linear in ids
    size_type memory_usage() const noexcept { return detail::memory_of(shape_, marks_, rows_, erasure_); }
    /// Columns get the descriptions of their types that the registry has now. @pre it has the components of before
    void describe(const ComponentRegistry& registry);
    /// Whether all columns, bits and ticks have as many rows; for tests.
    bool check_invariants() const noexcept;

private:
    friend ColumnMapping;
    friend detail::StoreCore;
    friend class detail::RowGroup;

    /// Adds a row with copies of the values of a row of `from`, which has all columns of this table, or is this table.
    /// @pre all values can be copied @throws as push_back; strong
    void push_back_copy(const Table& from, size_type row, Entity entity, tick_t tick) {
        push_back(entity, tick, [&](size_type column, void* to) {
            const detail::AnyColumnPlace& source = from.place(column_in(from, column));
            source.copy(to, source.at(row));
        });
    }
    /// The column of `other` with the component of this column. @pre it has one
    size_type column_in(const Table& other, size_type column) const noexcept {
        return this == &other ? column : static_cast<size_type>(other.column_of(column_id(column)));
    }
    /// Moves many rows of `from` to the end of `to`, as so many calls of move_row() do, but column by column: build(column, to,
    /// count) builds the values of all rows side by side or, if it throws, none.
    /// @pre from.can_move_rows(), and the rows are below from.size(); map == ColumnMapping(from, to), which are two tables
    /// @throws as append(); strong @complexity linear @invalidates columns and entities() of both
    template <class Build>
    static void move_rows(Table& from, const detail::RowBatch& batch, Table& to, const ColumnMapping& map, tick_t tick,
                          Build&& build) {
        to.prepare(batch.rows.size());
        const bool marks = from.marks_.active() || to.marks_.active();
        if (marks)
            detail::TableMarks::prepare_rows(from.marks_, batch, to.marks_, to.size(), to.room(batch.rows.size()), map.marks_);
        detail::PlannedRows::move_rows(from.rows_, batch, to.rows_, map.rows_, build);
        if (marks) {
            detail::TableMarks::append_rows(from.marks_, batch, to.marks_, map.marks_, tick);
            from.marks_.erase_rows(batch, from.size());
        }
    }
    /// Removes many rows. @pre can_move_rows(), and they are below size() @complexity linear in them
    void erase_rows(const detail::RowBatch& batch) noexcept {
        detail::PlannedRows::erase_rows(rows_, batch, erasure_);
        if (marks_.active()) marks_.erase_rows(batch, size());
    }
    /// Whether no move of a value within the table throws.
    bool can_move_rows() const noexcept { return !erasure_.throwing(); }
    static AnyRows types(const ComponentRegistry& registry, const detail::TableShape& shape);
    const detail::AnyColumnPlace& place(size_type column) const noexcept { return detail::PlannedRows::columns(rows_)[column]; }
    const Entity* entity_data() const noexcept {
        return static_cast<const Entity*>(static_cast<const void*>(detail::PlannedRows::columns(rows_).end()[-1].data));
    }
    void expect_row([[maybe_unused]] size_type row) const noexcept {
        SLOTWISE_EXPECT(row < size(), "Table: row is not below size()");
    }
    void expect_column([[maybe_unused]] size_type column) const noexcept {
        SLOTWISE_EXPECT(column < column_count(), "Table: there is no such column; tags have none");
    }
    static Moved moved(const Table& from, size_type row, RowMove move) noexcept {
        return {static_cast<slot_t>(move.row), move.filled_from == AnyRows::no_row ? Entity() : from.entity_data()[row]};
    }
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE slot_t push_back_any(tick_t tick, detail::RowBuild build);
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE static Moved move_any_row(Table& from, size_type row, Table& to,
                                                                    const ColumnMapping& map, tick_t tick,
                                                                    detail::RowBuild build);
    static void expect_move(const Table& from, size_type row, [[maybe_unused]] const Table& to,
                            [[maybe_unused]] const ColumnMapping& map) noexcept {
        from.expect_row(row);
        SLOTWISE_EXPECT_DEBUG(map.columns_from_ == from.column_count() && map.columns_to_ == to.column_count(),
                              "Table::move_row: the map was made for other tables");
    }
    static void expect_other(const Table& from, const Table& to) {
        if (&from == &to)
            detail::throw_invalid_argument("Table::move_row: source and destination are the same; nothing is to be moved then");
    }
    static void expect_fits(size_type rows) {
        if (rows > max_rows) [[unlikely]]
            detail::throw_length_error("Table: a table has at most 2^30 rows");
    }
    /// Room for the marks of `more` rows, so that nothing throws when the rows are there.
    void prepare(size_type more);
    /// Rows there will be memory for when there are `more`.
    size_type room(size_type more) const noexcept;

    detail::TableShape shape_;
    detail::TableMarks marks_;
    AnyRows rows_;
    detail::RowPlan erasure_;
};

SLOTWISE_END

#if SLOTWISE_BODIES
#include "table.inl.hpp"
#endif

#endif
