// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyRows: packed rows of columns whose types are known only at run time. Before it stands AnyColumns, the memory of the
// columns.
#ifndef SLOTWISE_ROWS_ANY_ROWS_HPP
#define SLOTWISE_ROWS_ANY_ROWS_HPP

#include "../core/detail/seal.hpp"
#include "../core/scope_guard.hpp"
#include "../core/type_descriptor.hpp"
#include "../memory/allocator.hpp"
#include "../memory/plain_vector.hpp"
#include "detail/row_container.hpp"

#include <bit>
#include <cstdint>
#include <initializer_list>

SLOTWISE_BEGIN
namespace detail {

/// Copies the value at `gone` to `to`, and then that at `last` to `gone`, which may be the same place.
/// The parts are scalars, so that the compiler keeps them in registers.
template <class First, class... Rest>
SLOTWISE_ALWAYS_INLINE void pass_parts(std::byte* to, std::byte* gone, const std::byte* last) noexcept {
    First value, filler;
    std::memcpy(&value, gone, sizeof(First));
    std::memcpy(&filler, last, sizeof(First));
    std::memcpy(to, &value, sizeof(First));
    std::memcpy(gone, &filler, sizeof(First));
    if constexpr (sizeof...(Rest) != 0) pass_parts<Rest...>(to + sizeof(First), gone + sizeof(First), last + sizeof(First));
}
/// The value of `row` of a column goes to row `end` of another, and that of row `last` in its place.
template <class... Parts>
SLOTWISE_ALWAYS_INLINE void pass_value(std::byte* to, std::size_t end, std::byte* column, std::size_t row,
                                       std::size_t last) noexcept {
    constexpr std::size_t bytes = (sizeof(Parts) + ...);
    pass_parts<Parts...>(to + end * bytes, column + row * bytes, column + last * bytes);
}
/// The same for values of a size that is known at run time only.
SLOTWISE_ALWAYS_INLINE void pass_value(std::byte* to, std::size_t end, std::byte* column, std::size_t row, std::size_t last,
                                       std::size_t bytes) noexcept {
    switch (bytes) {
    case 4:
        return pass_value<std::uint32_t>(to, end, column, row, last);
    case 8:
        return pass_value<std::uint64_t>(to, end, column, row, last);
    case 12:
        return pass_value<std::uint64_t, std::uint32_t>(to, end, column, row, last);
    case 16:
        return pass_value<std::uint64_t, std::uint64_t>(to, end, column, row, last);
    default:
        std::memcpy(to + end * bytes, column + row * bytes, bytes);
        if (row != last) std::memcpy(column + row * bytes, column + last * bytes, bytes);
    }
}

/// A column: its type, and where its values lie. It has copies of what every loop over columns needs of the type, and of all
/// that is asked of a column without values: the type's library may be unloaded then.
struct AnyColumnPlace {
    const TypeDescriptor* type;
    std::byte* data;    // null: no memory
    std::size_t stride; // 0: a tag
    bool trivial, nothrow_move;
    std::uint16_t align;

    std::byte* at(std::size_t row) const noexcept { return data + row * stride; }
    /// Builds the value at `to` by moving from that at `from`.
    SLOTWISE_ALWAYS_INLINE void move(void* to, void* from) const {
        if (trivial)
            copy_bytes(to, from, stride);
        else if (type->move != nullptr)
            type->move(to, from);
        else
            type->copy(to, from);
    }
    /// Builds the value at `to` by a move that does not throw, else by a copy, else by a move.
    void copy_or_move(void* to, void* from) const {
        if (!nothrow_move && type->copy != nullptr)
            type->copy(to, from);
        else
            move(to, from);
    }
    void copy(void* to, const void* from) const {
        if (trivial)
            copy_bytes(to, from, stride);
        else
            type->copy(to, from);
    }
    void assign(void* to, void* from) const {
        if (type->move_assign != nullptr)
            type->move_assign(to, from);
        else
            type->assign(to, from);
    }
    SLOTWISE_ALWAYS_INLINE void destroy(std::size_t first, std::size_t last) const noexcept {
        if (!trivial && first != last && type->destroy != nullptr)
            for (; first != last; ++first) type->destroy(at(first));
    }
    /// Replaces value `row`, which is destroyed, by that of another row, which is moved from.
    SLOTWISE_ALWAYS_INLINE void fill(std::size_t row, std::size_t from) const {
        destroy(row, row + 1);
        move(at(row), at(from));
    }
};

/// A block of memory, in cache lines.
template <class Allocator>
class LineBlock {
    using line = LineOf<std::byte>;
    using allocator = rebind_t<Allocator, line>;

public:
    explicit LineBlock(const Allocator& alloc) noexcept : allocator_(alloc) {}
    LineBlock(std::size_t bytes, const Allocator& alloc) : allocator_(alloc) {
        if (bytes == 0) return;
        lines_ = allocate_raw(allocator_, bytes / sizeof(line) + (bytes % sizeof(line) != 0));
        count_ = bytes / sizeof(line) + (bytes % sizeof(line) != 0);
    }
    LineBlock(LineBlock&& other) noexcept
        : allocator_(std::move(other.allocator_)), lines_(std::exchange(other.lines_, nullptr)),
          count_(std::exchange(other.count_, 0)) {}
    LineBlock(const LineBlock&) = delete;
    LineBlock& operator=(const LineBlock&) = delete;
    LineBlock& operator=(LineBlock&&) = delete;
    ~LineBlock() {
        if (lines_ != nullptr) deallocate_raw(allocator_, lines_, count_);
    }
    void swap(LineBlock& other) noexcept {
        exchange_allocators(allocator_, other.allocator_);
        std::swap(lines_, other.lines_);
        std::swap(count_, other.count_);
    }
    std::size_t memory_usage() const noexcept { return count_ * sizeof(line); }
    /// The first byte at a multiple of `align`.
    std::byte* begin(std::size_t align) const noexcept {
        auto* const first = reinterpret_cast<std::byte*>(lines_);
        const std::size_t off = reinterpret_cast<std::uintptr_t>(first) & (align - 1);
        return first + (off == 0 ? 0 : align - off);
    }

    const std::byte* end() const noexcept { return reinterpret_cast<const std::byte*>(lines_ + count_); }

private:
    SLOTWISE_NO_UNIQUE_ADDRESS allocator allocator_{};
    line* lines_ = nullptr;
    std::size_t count_ = 0;
};

/// The memory of columns with room for the same number of rows, in one block: growth is one allocation. Its owner knows how
/// many rows there are.
template <class Allocator>
class AnyColumns {
    static constexpr std::size_t line = 64;

public:
    static constexpr std::size_t max_align = 4096;

    AnyColumns() noexcept(noexcept(Allocator()))
        requires std::is_default_constructible_v<Allocator>
        : AnyColumns(Allocator()) {}
    explicit AnyColumns(const Allocator& alloc) noexcept : places_(alloc), block_(alloc) {}
    /// @throws std::invalid_argument when rows of these types cannot be moved; what the allocator throws
    AnyColumns(std::span<const TypeDescriptor* const> types, const Allocator& alloc) : AnyColumns(alloc) {
        auto places = places_.resized(types.size(), AnyColumnPlace{});
        for (std::size_t i = 0; i != types.size(); ++i) {
            const TypeDescriptor& type = *types[i];
            validate(type);
            const bool tag = type.empty || type.size == 0;
            places[i] = {&type,
                         nullptr,
                         tag ? 0 : type.size,
                         tag || type.trivial,
                         tag || type.trivial || type.nothrow_move,
                         static_cast<std::uint16_t>(type.align)};
        }
        places_.swap(places);
        look();
    }
    /// The same columns without memory. @throws what the allocator throws
    AnyColumns(const AnyColumns& other, const Allocator& alloc) : AnyColumns(alloc) {
        auto places = other.places_.resized(other.count(), AnyColumnPlace{}, alloc);
        for (std::size_t i = 0; i != places.size(); ++i) places[i].data = nullptr;
        places_.swap(places);
        look();
    }
    AnyColumns(AnyColumns&& other) noexcept
        : places_(std::move(other.places_)), block_(std::move(other.block_)), capacity_(other.capacity_), align_(other.align_),
          throwing_(other.throwing_), trivial_(other.trivial_) {
        other.look();
    }
    AnyColumns(const AnyColumns&) = delete;
    AnyColumns& operator=(const AnyColumns&) = delete;
    AnyColumns& operator=(AnyColumns&&) = delete;
    ~AnyColumns() = default;
    void swap(AnyColumns& other) noexcept {
        places_.swap(other.places_);
        block_.swap(other.block_);
        std::swap(capacity_, other.capacity_);
        std::swap(align_, other.align_);
        std::swap(throwing_, other.throwing_);
        std::swap(trivial_, other.trivial_);
    }

    Allocator get_allocator() const noexcept { return Allocator(places_.get_allocator()); }
    std::size_t count() const noexcept { return places_.size(); }
    /// Rows there is room for; without limit if no column has memory.
    std::size_t capacity() const noexcept { return capacity_; }
    std::size_t memory_usage() const noexcept { return memory_of(places_, block_); }
    const AnyColumnPlace& operator[](std::size_t i) const noexcept { return places_[i]; }
    const AnyColumnPlace* begin() const noexcept { return places_.data(); }
    const AnyColumnPlace* end() const noexcept { return places_.data() + places_.size(); }
    /// Whether a column's moves may throw.
    bool throwing() const noexcept { return throwing_; }
    /// Whether all values are plain bytes.
    bool trivial() const noexcept { return trivial_; }
    bool is_tag(std::size_t i) const noexcept { return places_[i].stride == 0; }
    /// See PlannedRows::describe.
    void describe(std::size_t i, const TypeDescriptor& type) noexcept { places_[i].type = &type; }

    /// Builds values of row `row` for each column that `which` accepts, by build(i, to); all of them, or none if one throws.
    template <class Which, class Build>
    SLOTWISE_ALWAYS_INLINE void build_row(std::size_t row, Which&& which, Build&& build) {
        std::size_t done = 0;
        ScopeGuard undo([&]() noexcept { destroy_row(row, done, which); });
        for (const std::size_t end = count(); done != end; ++done)
            if (!is_tag(done) && which(done)) build(done, places_[done].at(row));
        undo.dismiss();
    }
    /// Destroys the values of row `row` in those of the first `columns` columns that `which` accepts.
    template <class Which>
    void destroy_row(std::size_t row, std::size_t columns, Which&& which) noexcept {
        for (std::size_t i = 0; i != columns; ++i)
            if (!is_tag(i) && which(i)) places_[i].destroy(row, row + 1);
    }
    void destroy_rows(std::size_t first, std::size_t last) noexcept {
        for (const AnyColumnPlace& column : places())
            if (column.stride != 0) column.destroy(first, last);
    }

    /// Room for `capacity` rows, of which the first `alive` are moved there (copied, where a move may throw and there is a
    /// copy). Before that prepare(columns) may build more, in the new memory, and on failure undoes what it has built.
    /// @throws what the allocator, prepare and the types throw; nothing has changed then, but for values whose move threw that
    /// cannot be copied
    template <class Prepare>
    void resize(std::size_t capacity, std::size_t alive, Prepare&& prepare) {
        AnyColumns fresh(*this, get_allocator());
        fresh.acquire(capacity);
        auto undo_prepared = prepare(fresh);
        fresh.take_columns(*this, alive);
        undo_prepared.dismiss();
        destroy_rows(0, alive);
        swap(fresh);
    }
    /// Brings the first `alive` rows into another order, in memory of their own: row i gets the values of row order[i].
    /// @throws as resize
    void permute(const slot_t* order, std::size_t alive) {
        AnyColumns fresh(*this, get_allocator());
        fresh.acquire(capacity_);
        fresh.take_columns(*this, alive, order);
        destroy_rows(0, alive);
        swap(fresh);
    }
    /// Rows there should be room for when there is to be one more.
    std::size_t grown() const noexcept { return capacity_ == 0 ? 8 : 2 * capacity_; }

    /// Takes memory for `capacity` rows. @pre there is none @throws what the allocator throws
    void acquire(std::size_t capacity) {
        std::size_t bytes = 0;
        walk(capacity, bytes, [](AnyColumnPlace&, std::size_t) {});
        if (capacity == 0 || bytes == 0) return;
        // The allocator aligns to a line. Offsets are from the first column on, so what comes before it is added behind them.
        LineBlock<Allocator> block(checked_bytes(1, align_ > line ? align_ - line : 0, bytes), get_allocator());
        std::byte* const first = block.begin(align_ > line ? align_ : line);
        std::size_t at = 0;
        walk(capacity, at, [&](AnyColumnPlace& place, std::size_t offset) { place.data = first + offset; });
        block_.swap(block);
        capacity_ = capacity;
    }
    /// Whether each column with memory is aligned.
    bool is_sound() const noexcept {
        for (const AnyColumnPlace& place : places()) {
            const std::size_t align = place.align > line ? place.align : line;
            if ((reinterpret_cast<std::uintptr_t>(place.data) & (align - 1)) != 0) return false;
            if ((place.data != nullptr) != (place.stride != 0 && capacity_ != 0)) return false;
            if (place.data != nullptr && place.data + capacity_ * place.stride > block_.end()) return false;
        }
        return true;
    }

private:
    Slice<const AnyColumnPlace> places() const noexcept { return {places_.data(), places_.data() + places_.size()}; }
    static void validate(const TypeDescriptor& type) {
        if (!std::has_single_bit(type.align) || type.align > max_align)
            throw_invalid_argument("AnyRows: the alignment of a column's type is not a power of two up to 4096");
        if (type.size % type.align != 0)
            throw_invalid_argument("AnyRows: the size of a column's type is not a multiple of its alignment");
        if (type.empty || type.size == 0 || type.trivial) return;
        if (type.move == nullptr && type.copy == nullptr)
            throw_invalid_argument("AnyRows: a column's type can be neither moved nor copied; store a pointer to it");
        if (!type.nothrow_move && type.move_assign == nullptr && type.assign == nullptr)
            throw_invalid_argument(
                "AnyRows: a column's type whose move may throw needs assignment (TypeDescriptor::move_assign or assign)");
    }
    /// Computes what follows from the columns, which have no memory.
    void look() noexcept {
        align_ = 1;
        throwing_ = false;
        trivial_ = true;
        capacity_ = static_cast<std::size_t>(-1);
        for (const AnyColumnPlace& place : places()) {
            if (place.stride == 0) continue;
            capacity_ = 0;
            throwing_ = throwing_ || !place.nothrow_move;
            trivial_ = trivial_ && place.trivial;
            if (place.align > align_) align_ = place.align;
        }
    }
    /// Calls f(column, offset) for each column with memory, and makes `bytes` the end of the last. A line lies between two:
    /// columns whose size is a power of two would else all begin at the same place of the cache.
    template <class F>
    void walk(std::size_t capacity, std::size_t& bytes, F&& f) {
        for (std::size_t i = 0; i != places_.size(); ++i) {
            if (places_[i].stride == 0) continue;
            const std::size_t align = places_[i].align > line ? places_[i].align : line;
            const std::size_t offset = (bytes + align - 1) & ~(align - 1);
            f(places_[i], offset);
            bytes = checked_bytes(capacity, places_[i].stride, offset + line);
        }
    }
    /// All columns get the first `alive` values of those of another block, in this order if it is given. Those whose move may
    /// throw go first: until all of them are there, nothing else has moved.
    SLOTWISE_NEVER_INLINE void take_columns(const AnyColumns& from, std::size_t alive, const slot_t* order = nullptr) {
        std::size_t moved = 0;
        if (throwing_) {
            ScopeGuard undo([&]() noexcept {
                while (moved-- != 0)
                    if (!places_[moved].nothrow_move) places_[moved].destroy(0, alive);
            });
            for (; moved != count(); ++moved)
                if (!places_[moved].nothrow_move) take_column(moved, from.places_[moved], alive, order);
            undo.dismiss();
        }
        for (std::size_t i = 0; i != count(); ++i)
            if (places_[i].nothrow_move) take_column(i, from.places_[i], alive, order);
    }
    /// Column `i` gets the first `alive` values of that column of another block.
    void take_column(std::size_t i, const AnyColumnPlace& from, std::size_t alive, const slot_t* order) {
        const AnyColumnPlace& to = places_[i];
        if (alive == 0 || to.stride == 0) return;
        if (to.trivial) {
            if (order != nullptr) return gather(to, from, alive, order);
            std::memcpy(to.data, from.data, alive * to.stride);
            return;
        }
        std::size_t done = 0;
        ScopeGuard undo([&]() noexcept { to.destroy(0, done); });
        for (; done != alive; ++done) to.copy_or_move(to.at(done), from.at(order == nullptr ? done : order[done]));
        undo.dismiss();
    }
    /// The same for plain bytes.
    static void gather(const AnyColumnPlace& to, const AnyColumnPlace& from, std::size_t alive, const slot_t* order) noexcept {
        const auto each = [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
            std::byte *const target = to.data, *const source = from.data;
            for (std::size_t i = 0; i != alive; ++i)
                std::memcpy(target + i * Bytes, source + std::size_t{order[i]} * Bytes, Bytes);
        };
        switch (to.stride) {
        case 4:
            return each(std::integral_constant<std::size_t, 4>());
        case 8:
            return each(std::integral_constant<std::size_t, 8>());
        case 12:
            return each(std::integral_constant<std::size_t, 12>());
        case 16:
            return each(std::integral_constant<std::size_t, 16>());
        default:
            for (std::size_t i = 0; i != alive; ++i) std::memcpy(to.at(i), from.at(order[i]), to.stride);
        }
    }

    FlatArray<AnyColumnPlace, Allocator> places_;
    LineBlock<Allocator> block_;
    std::size_t capacity_ = static_cast<std::size_t>(-1);
    std::size_t align_ = 1;
    bool throwing_ = false, trivial_ = true;
};

struct PlannedRows; // a friend; see row_plan.hpp

} // namespace detail

/// What AnyRows::move_row has done.
struct RowMove {
    std::size_t row;         ///< the row in the destination
    std::size_t filled_from; ///< the row of the source that is now in the place of the moved one, or AnyRows::no_row
};

/// Packed rows of values whose types are known only at run time: an array for each column, all of them in one block of memory.
/// An array is aligned to 64 bytes, or to what its type needs, up to 4096. All columns always have the same number of values,
/// also after a throw. An erase moves the last row into the gap and returns which row that was. A type without state
/// (TypeDescriptor::empty, or of size 0) is a tag: it has a column number and no memory.
///     const TypeDescriptor* types[] = {&TypeDescriptor::of<Position>(), &TypeDescriptor::of<Name>()};
///     AnyRows rows(types);
///     rows.push_back({AnyValue::of(position), AnyValue::of(std::move(name))});
///     for (Position& each : rows.column(0).as<Position>()) ...
/// Types must be movable. One whose move may throw needs assignment; moving rows then has the basic guarantee. Values must not
/// use the container while they are built, moved or destroyed.
/// @tparam With AllocBy<A>; it gives memory for the columns, and is not passed on to values
template <class... With>
class BasicAnyRows {
    using Args = detail::RowArguments<std::byte, With...>;

public:
    using size_type = std::size_t;
    using allocator_type = typename Args::allocator;
    /// No row.
    static constexpr size_type no_row = static_cast<size_type>(-1);
    /// In the map of move_row: the destination's column is not in the source.
    static constexpr std::int32_t no_column = -1;

    /// Rows without columns, which only are counted.
    BasicAnyRows() = default;
    explicit BasicAnyRows(const allocator_type& alloc) noexcept : columns_(alloc) {}
    /// No rows yet, of a column for each of these types, which must outlive it.
    /// @throws std::invalid_argument when rows of such types cannot be moved, see above; what the allocator throws
    explicit BasicAnyRows(std::span<const TypeDescriptor* const> types, const allocator_type& alloc = allocator_type())
        : columns_(types, alloc) {}
    BasicAnyRows(std::initializer_list<const TypeDescriptor*> types, const allocator_type& alloc = allocator_type())
        : BasicAnyRows(std::span(types.begin(), types.size()), alloc) {}
    /// @throws std::invalid_argument when a type cannot be copied; what the allocator and the copies throw
    BasicAnyRows(const BasicAnyRows& other)
        : BasicAnyRows(other,
                       std::allocator_traits<allocator_type>::select_on_container_copy_construction(other.get_allocator())) {}
    BasicAnyRows(const BasicAnyRows& other, const allocator_type& alloc) : columns_(other.columns_, alloc) {
        for (const auto& column : columns_)
            if (!column.trivial && column.type->copy == nullptr)
                detail::throw_invalid_argument("AnyRows: a column's type cannot be copied");
        take_each(other, [](const auto& column, void* to, void* from) { column.copy(to, from); });
    }
    /// Leaves `other` without rows and columns.
    BasicAnyRows(BasicAnyRows&& other) noexcept : columns_(std::move(other.columns_)), size_(std::exchange(other.size_, 0)) {}
    /// The same into memory of `alloc`: moves the values one by one if the allocators differ; `other` then keeps its columns.
    /// @throws what the allocator and the moves throw
    BasicAnyRows(BasicAnyRows&& other, const allocator_type& alloc) : columns_(alloc) {
        if (alloc == other.get_allocator()) {
            swap_contents(other);
            return;
        }
        detail::AnyColumns<allocator_type> columns(other.columns_, alloc);
        columns_.swap(columns);
        take_each(other, [](const auto& column, void* to, void* from) { column.move(to, from); });
        other.clear();
    }
    /// Takes the columns and a copy of the rows. @throws as the copy; strong
    BasicAnyRows& operator=(const BasicAnyRows& other) {
        detail::RowRules::assign_copy(*this, other);
        return *this;
    }
    /// Takes columns and rows. @throws what the allocator and the moves throw if it must move them one by one
    BasicAnyRows& operator=(BasicAnyRows&& other) noexcept(detail::RowRules::nothrow_move<BasicAnyRows>) {
        detail::RowRules::assign_move(*this, other);
        return *this;
    }
    ~BasicAnyRows() { columns_.destroy_rows(0, size_); }
    void swap(BasicAnyRows& other) noexcept(detail::RowRules::nothrow_swap<BasicAnyRows>) {
        detail::RowRules::swap(*this, other);
    }
    friend void swap(BasicAnyRows& a, BasicAnyRows& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    //=== columns ===//

    /// Columns there are, tags included.
    size_type column_count() const noexcept { return columns_.count(); }
    /// The type of a column. @pre i < column_count() (checked at level fast)
    const TypeDescriptor& type(size_type i) const noexcept { return *column_at(i).type; }
    /// The values of a column, row by row. @pre i < column_count() (checked at level fast)
    BasicAnySpan<void> column(size_type i) noexcept { return {type(i), column_at(i).data, size_}; }
    BasicAnySpan<const void> column(size_type i) const noexcept { return {type(i), column_at(i).data, size_}; }

    //=== capacity ===//

    allocator_type get_allocator() const noexcept { return columns_.get_allocator(); }
    /// Rows there are.
    size_type size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    /// Rows there is memory for; the highest number if no column needs memory.
    size_type capacity() const noexcept { return columns_.capacity(); }
    /// Bytes held on the heap, without what values hold themselves. @complexity O(1)
    size_type memory_usage() const noexcept { return columns_.memory_usage(); }
    /// Room for `rows` rows: exactly that if there was none, else at least a quarter more than there was.
    /// @throws what the allocator, and moves that may throw, throw; strong if what cannot be copied moves without a throw
    /// @invalidates columns, when it grows
    void reserve(size_type rows) {
        if (rows > capacity()) resize_memory(detail::reserved_capacity(rows, capacity()));
    }
    /// Frees the memory that is not needed. @throws as reserve @invalidates columns
    void shrink_to_fit() {
        if (size_ < capacity() && capacity() != static_cast<size_type>(-1)) resize_memory(size_);
    }

    //=== rows ===//

    /// Adds a row with a value for each column, in the order of columns, or with default values if there are no `values`. The
    /// values for tags are ignored. Values may refer to this container. Returns the new row.
    /// @throws std::invalid_argument when there are not as many values as columns, or a type cannot be built so; what the
    /// allocator and the types throw; strong, but for values that were moved from @complexity linear in columns, amortised
    /// @invalidates columns, when it grows
    size_type push_back(std::span<const AnyValue> values) {
        if (values.size() != column_count() && !values.empty())
            detail::throw_invalid_argument("AnyRows::push_back(values): give one value for each column, or none");
        add_row(every, [&](size_type i, void* to) { build(values, i, to); });
        return size_++;
    }
    size_type push_back(std::initializer_list<AnyValue> values) { return push_back(std::span(values.begin(), values.size())); }
    /// Adds a row of default values. @throws as push_back
    size_type push_back_default() { return push_back(std::span<const AnyValue>()); }
    /// Adds a row that is copied from the values at these addresses, one for each column; null is the default value.
    /// @throws as push_back
    size_type push_back_copy(std::span<const void* const> values) {
        return push_back_from(values, [](const void* value) { return AnyValue::copied(value); });
    }
    /// The same, moved from them. @throws as push_back
    size_type push_back_moved(std::span<void* const> values) {
        return push_back_from(values, [](void* value) { return AnyValue::moved(value); });
    }
    /// Adds `rows` rows that all are built from these values, or by default. Returns the first of them.
    /// @throws std::invalid_argument also when a value would be moved, which can be done once; otherwise as push_back; strong
    size_type append(size_type rows, std::span<const AnyValue> values = {}) {
        for (const AnyValue& value : values)
            if (rows > 1 && value.moves())
                detail::throw_invalid_argument(
                    "AnyRows::append(rows, values): a value can be moved into one row only; copy it");
        const size_type first = size_;
        ScopeGuard undo([&]() noexcept { drop_from(first); });
        for (; rows != 0; --rows) {
            if (size_ == first) {
                push_back(values); // which may refer to this container
                reserve(size_ + rows - 1);
                continue;
            }
            columns_.build_row(size_, every, [&](size_type i, void* to) {
                (values.empty() ? AnyValue() : AnyValue::copied(columns_[i].at(first))).build(*columns_[i].type, to);
            });
            ++size_;
        }
        undo.dismiss();
        return first;
    }
    /// Removes the last row. @pre not empty() (checked at level fast)
    void pop_back() noexcept {
        SLOTWISE_EXPECT(size_ != 0, "AnyRows::pop_back(): there is no row");
        drop_from(size_ - 1);
    }
    /// Removes `row`; the last row comes in its place. Returns which row that was, or no_row if `row` was the last.
    /// @pre row < size() (checked at level fast)
    /// @throws what moves that may throw do; the row then is there, with some of the last row's values
    size_type swap_erase(size_type row) {
        expect_row(row);
        const size_type last = size_ - 1;
        if (row == last) {
            drop_from(last);
            return no_row;
        }
        if (columns_.trivial()) [[likely]] {
            for (const auto& column : columns_)
                if (column.stride != 0) detail::copy_bytes(column.at(row), column.at(last), column.stride);
            size_ = last;
            return last;
        }
        if (columns_.throwing())
            for (const auto& column : columns_)
                if (!column.nothrow_move) column.assign(column.at(row), column.at(last));
        size_ = last;
        for (const auto& column : columns_) {
            if (column.stride == 0) continue;
            if (column.nothrow_move) column.fill(row, last);
            if (!column.trivial) column.destroy(last, last + 1);
        }
        return last;
    }
    /// Exchanges two rows. @pre both < size() (checked at level fast)
    /// @throws what the allocator throws when there is no room for a row more, and moves that may throw
    void swap_rows(size_type a, size_type b) {
        expect_row(a);
        expect_row(b);
        if (a == b) return;
        if (size_ == capacity()) resize_memory(columns_.grown());
        for (const auto& column : columns_) {
            if (column.stride == 0) continue;
            column.move(column.at(size_), column.at(a));
            ScopeGuard done([&]() noexcept { column.destroy(size_, size_ + 1); });
            if (column.nothrow_move) {
                column.fill(a, b);
                column.fill(b, size_);
            } else {
                column.assign(column.at(a), column.at(b));
                column.assign(column.at(b), column.at(size_));
            }
        }
    }
    /// Removes all rows; the memory stays.
    void clear() noexcept { drop_from(0); }

    /// Moves row `row` of `from` to the end of `to`. map[i] is the column of `from` whose value goes to column i of `to`, or
    /// no_column: then it is built from values[i], or by default if there are no values. What `from` has besides is destroyed.
    /// The last row of `from` comes in the place of `row`. No memory is allocated but for growth. Values may refer to both.
    /// @pre row < from.size(); map has a column for each of `to`, of the same type (checked at level fast, types at level
    /// debug)
    /// @throws std::invalid_argument when `from` is `to`, or a type cannot be built so; what the allocator and the types throw;
    /// strong if shared columns and those of `from` move without a throw, else basic: both keep their rows, some of whose
    /// values are moved-from @complexity linear in columns
    static RowMove move_row(BasicAnyRows& from, size_type row, BasicAnyRows& to, std::span<const std::int32_t> map,
                            std::span<const AnyValue> values = {}) {
        if (&from == &to) [[unlikely]]
            detail::throw_invalid_argument(
                "AnyRows::move_row: source and destination are the same; nothing is to be moved then");
        from.expect_row(row);
        SLOTWISE_EXPECT(
            map.size() == to.column_count() && (values.empty() || values.size() == map.size()),
            "AnyRows::move_row: map, and values if there are some, have an entry for each column of the destination");
        SLOTWISE_EXPECT_DEBUG(fits(from, to, map),
                              "AnyRows::move_row: map names a column that is not there, or of another type");
        // Everything that may throw comes first: memory, given values, and only then the moves.
        if (to.columns_.trivial() && to.size_ != to.capacity()) [[likely]] {
            for (size_type i = 0; i != map.size(); ++i) // nothing is to be destroyed if one throws
                if (map[i] < 0 && !to.columns_.is_tag(i)) to.build(values, i, to.columns_[i].at(to.size_));
        } else {
            to.add_row([&](size_type i) { return map[i] < 0; }, [&](size_type i, void* place) { to.build(values, i, place); });
        }
        if (from.columns_.trivial() && from.column_count() <= 64) [[likely]]
            return to.take_bytes(from, row, map);
        if (!from.columns_.throwing()) {
            to.take_shared(from, row, map);
            const size_type filled_from = from.swap_erase(row);
            return {to.size_++, filled_from};
        }
        return to.take_row_or_undo(from, row, map);
    }

    /// Equal when the columns have the same types in the same order, and the rows equal values.
    /// @throws std::invalid_argument when a type has no equality (TypeDescriptor::equal); what equality throws
    friend bool operator==(const BasicAnyRows& a, const BasicAnyRows& b) {
        if (a.size_ != b.size_ || a.column_count() != b.column_count()) return false;
        for (size_type i = 0; i != a.column_count(); ++i)
            if (!same_type(a.type(i), b.type(i))) return false;
        for (size_type i = 0; i != a.column_count(); ++i) {
            if (a.columns_.is_tag(i)) continue;
            const auto equal = a.type(i).equal;
            if (equal == nullptr) detail::throw_invalid_argument("AnyRows ==: a column's type has no equality");
            for (size_type row = 0; row != a.size_; ++row)
                if (!equal(a.columns_[i].at(row), b.columns_[i].at(row))) return false;
        }
        return true;
    }
    /// The rows as bytes. `codec` is an AnyCodec to which the columns' types were added, or a class with its functions. The
    /// bytes have the byte order of the machine, and say which.
    /// @throws std::invalid_argument when the codec does not cover a column's type; what the allocator and the codec throw
    template <class Codec>
    std::vector<std::byte> snapshot(const Codec& codec) const {
        expect_covered(codec);
        ByteWriter out;
        out.number(snapshot_kind);
        out.number(byte_order);
        out.number(static_cast<std::uint32_t>(column_count()));
        for (const auto& column : columns_) out.number(column.stride == 0 ? std::uint32_t{0} : codec.size_check(*column.type));
        out.number(std::uint64_t{size_});
        for (size_type row = 0; row != size_; ++row) {
            out.number(std::uint8_t{0}); // so that every row is backed by a byte, whatever its values write
            for (const auto& column : columns_)
                if (column.stride != 0) codec.write(*column.type, column.at(row), out);
        }
        return detail::Seal::close(out, tags(codec));
    }
    /// Replaces the rows by those of a snapshot of the same columns. Bytes that snapshot() would not write are refused.
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes, or when the codec does not cover a
    /// column's type; what the allocator and the codec throw; strong
    template <class Codec>
    void restore(std::span<const std::byte> bytes, const Codec& codec) {
        if (const char* error = try_restore(bytes, codec)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns what is wrong with the bytes; null on success.
    /// @throws std::invalid_argument when the codec does not cover a column's type; what the allocator and the codec throw;
    /// strong
    template <class Codec>
    const char* try_restore(std::span<const std::byte> bytes, const Codec& codec) {
        expect_covered(codec);
        if (const char* const wrong = detail::Seal::open(bytes, snapshot_kind, tags(codec))) return wrong;
        ByteReader in(bytes);
        if (in.number<std::uint32_t>() != snapshot_kind) return "snapshot: these bytes are no snapshot of type-erased rows";
        if (in.number<std::uint8_t>() != byte_order) return "snapshot: it was made by a machine of another byte order";
        if (in.number<std::uint32_t>() != column_count()) return "snapshot: it was made by rows of other columns";
        for (const auto& column : columns_)
            if (in.number<std::uint32_t>() != (column.stride == 0 ? 0 : codec.size_check(*column.type)))
                return "snapshot: it was made by rows of other columns";
        BasicAnyRows fresh(get_allocator());
        detail::AnyColumns<allocator_type> columns(columns_, get_allocator());
        fresh.columns_.swap(columns);
        for (size_type rows = in.length(1); rows != 0 && in.error() == nullptr; --rows) {
            if (in.number<std::uint8_t>() != 0) in.fail("snapshot: a row does not begin as it should");
            fresh.add_row(every, [&](size_type i, void* to) { codec.read(fresh.type(i), to, in); });
            ++fresh.size_;
        }
        if (in.error() == nullptr && in.left() != 0) in.fail("snapshot: there are more bytes than rows");
        if (in.error() == nullptr) swap_contents(fresh);
        return in.error();
    }

    /// Whether columns are aligned and have room for all rows; for tests.
    bool check_invariants() const noexcept { return size_ <= capacity() && columns_.is_sound(); }

private:
    friend detail::RowRules;
    friend detail::PlannedRows;
    static constexpr std::uint32_t snapshot_kind = 0x5241'4C53; // "SLAR"
    template <class Codec>
    std::vector<detail::ElementTag> tags(const Codec& codec) const {
        std::vector<detail::ElementTag> result;
        for (const auto& column : columns_)
            result.push_back({detail::ElementRole::column, column.stride == 0 ? detail::make_tag(detail::TypeKind::empty, 0)
                                                                              : detail::described_tag(codec, *column.type)});
        return result;
    }
    static constexpr std::uint8_t byte_order = std::endian::native == std::endian::little ? 1 : 2;
    struct Every { // no lambda: g++ 12 refuses `extern template` of a class with a static member of such a type
        bool operator()(size_type) const noexcept { return true; }
    };
    static constexpr Every every{};

    void expect_row([[maybe_unused]] size_type row) const noexcept {
        SLOTWISE_EXPECT(row < size_, "AnyRows: row is not below size()");
    }
    const detail::AnyColumnPlace& column_at(size_type i) const noexcept {
        SLOTWISE_EXPECT(i < column_count(), "AnyRows: there is no such column");
        return columns_[i];
    }
    template <class Codec>
    void expect_covered(const Codec& codec) const {
        for (const auto& column : columns_)
            if (column.stride != 0 && !codec.covers(*column.type))
                detail::throw_invalid_argument(
                    "AnyRows snapshot: the codec lacks a column's type; codec.add<T>(), and describe it with its id");
    }
    static bool same_type(const TypeDescriptor& a, const TypeDescriptor& b) noexcept {
        return &a == &b || (a.id != nullptr && a.id == b.id);
    }
    static bool fits(const BasicAnyRows& from, const BasicAnyRows& to, std::span<const std::int32_t> map) noexcept {
        bool fit = true;
        for (size_type i = 0; i != map.size(); ++i) {
            const auto source = static_cast<size_type>(map[i]);
            fit = fit && (map[i] < 0 || (source < from.column_count() && same_type(from.type(source), to.type(i))));
        }
        return fit;
    }
    void build(std::span<const AnyValue> values, size_type i, void* to) const {
        if (values.empty())
            AnyValue().build(*columns_[i].type, to);
        else
            values[i].build(*columns_[i].type, to);
    }
    /// Builds the values of a row behind the last in the columns that `which` accepts. The row is not counted yet.
    template <class Which, class Build>
    SLOTWISE_ALWAYS_INLINE void add_row(Which&& which, Build&& build) {
        if (size_ != capacity()) [[likely]]
            return columns_.build_row(size_, which, build);
        add_row_and_memory(which, build);
    }
    // The new row is built in the new memory before anything moves there, because its values may refer to what is here.
    template <class Which, class Build>
    SLOTWISE_NEVER_INLINE void add_row_and_memory(Which& which, Build& build) {
        columns_.resize(columns_.grown(), size_, [&](auto& fresh) {
            fresh.build_row(size_, which, build);
            return ScopeGuard(
                [columns = &fresh, row = size_, &which]() noexcept { columns->destroy_row(row, columns->count(), which); });
        });
    }
    template <class Address, class MakeValue>
    size_type push_back_from(std::span<Address> values, MakeValue make) {
        if (values.size() != column_count())
            detail::throw_invalid_argument("AnyRows::push_back: give an address for each column");
        add_row(every, [&](size_type i, void* to) {
            (values[i] == nullptr ? AnyValue() : make(values[i])).build(*columns_[i].type, to);
        });
        return size_++;
    }
    SLOTWISE_NEVER_INLINE void resize_memory(size_type rows) {
        columns_.resize(rows, size_, [](auto&) { return ScopeGuard([]() noexcept {}); });
    }
    void drop_from(size_type rows) noexcept {
        const size_type end = std::exchange(size_, rows);
        columns_.destroy_rows(rows, end);
    }
    /// The second half of move_row where all values of `from` are plain bytes, in at most 64 columns. Each column is looked at
    /// once: its value comes here and that of the last row in its place.
    RowMove take_bytes(BasicAnyRows& from, size_type row, std::span<const std::int32_t> map) noexcept {
        const size_type end = size_, last = from.size_ - 1;
        const detail::AnyColumnPlace *column = columns_.begin(), *const source = from.columns_.begin();
        std::uint64_t left = from.column_count() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << from.column_count()) - 1;
        for (const std::int32_t i : map) {
            const detail::AnyColumnPlace& to = *column++;
            if (i < 0) continue;
            left &= ~(std::uint64_t{1} << i);
            const detail::AnyColumnPlace& place = source[i];
            if (to.stride != 0) detail::pass_value(to.data, end, place.data, row, last, to.stride);
        }
        if (row != last)
            for (; left != 0; left &= left - 1) {
                const detail::AnyColumnPlace& place = source[std::countr_zero(left)];
                if (place.stride != 0) detail::copy_bytes(place.at(row), place.at(last), place.stride);
            }
        from.size_ = last;
        size_ = end + 1;
        return {end, row != last ? last : no_row};
    }
    /// Moves what `map` names from a row of `from` behind the last row.
    SLOTWISE_ALWAYS_INLINE void take_shared(BasicAnyRows& from, size_type row, std::span<const std::int32_t> map) {
        const detail::AnyColumnPlace* column = columns_.begin();
        for (const std::int32_t i : map) {
            if (i >= 0 && column->stride != 0)
                column->move(column->at(size_), from.columns_[static_cast<size_type>(i)].at(row));
            ++column;
        }
    }
    /// The second half of move_row where a move may throw: the new row is there in part, and not counted.
    SLOTWISE_NEVER_INLINE RowMove take_row_or_undo(BasicAnyRows& from, size_type row, std::span<const std::int32_t> map) {
        const auto given = [&](size_type i) { return map[i] < 0; };
        const auto shared = [&](size_type i) { return map[i] >= 0; };
        ScopeGuard undo([&]() noexcept { columns_.destroy_row(size_, column_count(), given); });
        columns_.build_row(size_, shared, [&](size_type i, void* place) {
            columns_[i].move(place, from.columns_[static_cast<size_type>(map[i])].at(row));
        });
        ScopeGuard undo_moves([&]() noexcept { columns_.destroy_row(size_, column_count(), shared); });
        const size_type filled_from = from.swap_erase(row);
        undo_moves.dismiss();
        undo.dismiss();
        return {size_++, filled_from};
    }
    /// Takes all rows of `other` by take(column, to, from). @pre the same columns, without memory
    template <class Take>
    void take_each(const BasicAnyRows& other, Take&& take) {
        columns_.acquire(other.size_);
        ScopeGuard undo([this]() noexcept { drop_from(0); });
        for (; size_ != other.size_; ++size_)
            columns_.build_row(size_, every,
                               [&](size_type i, void* to) { take(columns_[i], to, other.columns_[i].at(size_)); });
        undo.dismiss();
    }
    void swap_contents(BasicAnyRows& other) noexcept {
        columns_.swap(other.columns_);
        std::swap(size_, other.size_);
    }

    detail::AnyColumns<allocator_type> columns_{};
    size_type size_ = 0;
};

#ifdef SLOTWISE_COMPILED
extern template class detail::AnyColumns<std::allocator<std::byte>>;
extern template class BasicAnyRows<>;
#endif

SLOTWISE_END

#endif
