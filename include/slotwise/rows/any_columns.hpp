// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyColumns: memory for columns of described types in one block, and what a row consists of. The lower half of AnyRows.
#ifndef SLOTWISE_ROWS_ANY_COLUMNS_HPP
#define SLOTWISE_ROWS_ANY_COLUMNS_HPP

#include "../core/any_value.hpp"
#include "../core/scope_guard.hpp"
#include "../memory/allocator.hpp"
#include "../memory/plain_vector.hpp"

#include <bit>
#include <cstdint>

SLOTWISE_BEGIN
namespace detail {

/// Copies the value at `gone` to `to`, and then that at `last` to `gone`, which may be the same place.
/// The parts are registers, which an array of bytes would not become.
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

/// A column: its type, and where its values lie. What every loop over columns asks of the type is kept beside it.
struct AnyColumnPlace {
    const TypeDescriptor* type;
    std::byte* data;    // null: no memory
    std::size_t stride; // 0: a tag
    bool trivial, nothrow_move;

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
    /// Builds a copy at `to`; nothing but a nothrow move can be done better.
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
        if (!trivial && type->destroy != nullptr)
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

/// Columns with room for the same number of rows, in one block: growth is one allocation. It does not know which rows there
/// are.
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
            places[i] = {&type, nullptr, tag ? 0 : type.size, tag || type.trivial, tag || type.trivial || type.nothrow_move};
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
        // Columns whose move may throw go first: until all of them are there, nothing else has moved.
        std::size_t moved = 0;
        if (throwing_) {
            ScopeGuard undo([&]() noexcept {
                while (moved-- != 0)
                    if (!places_[moved].nothrow_move) fresh.places_[moved].destroy(0, alive);
            });
            for (; moved != count(); ++moved)
                if (!places_[moved].nothrow_move) fresh.take_column(moved, places_[moved], alive);
            undo.dismiss();
        }
        for (std::size_t i = 0; i != count(); ++i)
            if (places_[i].nothrow_move) fresh.take_column(i, places_[i], alive);
        undo_prepared.dismiss();
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
            const std::size_t align = place.type->align > line ? place.type->align : line;
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
            if (place.type->align > align_) align_ = place.type->align;
        }
    }
    /// Calls f(column, offset) for each column with memory, and makes `bytes` the end of the last. A line lies between two:
    /// columns whose size is a power of two would else all begin at the same place of the cache.
    template <class F>
    void walk(std::size_t capacity, std::size_t& bytes, F&& f) {
        for (std::size_t i = 0; i != places_.size(); ++i) {
            if (places_[i].stride == 0) continue;
            const std::size_t align = places_[i].type->align > line ? places_[i].type->align : line;
            const std::size_t offset = (bytes + align - 1) & ~(align - 1);
            f(places_[i], offset);
            bytes = checked_bytes(capacity, places_[i].stride, offset + line);
        }
    }
    /// Column `i` gets the first `alive` values of that column of another block.
    void take_column(std::size_t i, const AnyColumnPlace& from, std::size_t alive) {
        const AnyColumnPlace& to = places_[i];
        if (alive == 0 || to.stride == 0) return;
        if (to.trivial) {
            std::memcpy(to.data, from.data, alive * to.stride);
            return;
        }
        std::size_t done = 0;
        ScopeGuard undo([&]() noexcept { to.destroy(0, done); });
        for (; done != alive; ++done) to.copy_or_move(to.at(done), from.at(done));
        undo.dismiss();
    }

    FlatArray<AnyColumnPlace, Allocator> places_;
    LineBlock<Allocator> block_;
    std::size_t capacity_ = static_cast<std::size_t>(-1);
    std::size_t align_ = 1;
    bool throwing_ = false, trivial_ = true;
};

} // namespace detail
SLOTWISE_END

#endif
