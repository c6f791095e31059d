// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DenseStore: one or several packed columns, with the way from slot to row and back. Behind DenseSlotMap and SoaSlotMap.
#ifndef SLOTWISE_MAP_DETAIL_DENSE_STORE_HPP
#define SLOTWISE_MAP_DETAIL_DENSE_STORE_HPP

#include "../../core/detail/iterators.hpp"
#include "../../rows/detail/packed_columns.hpp"
#include "../../slots/snapshot.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Rows packed in the order of insertion, with the last row moved into the place of an erased one: the rows of a SoaVector, the
/// slot of each row and the row of each slot.
/// 8 bytes a row over values and directory: a row number for each slot, a slot number for each row.
/// @tparam Rows what a row is: value_type, row_type, pointer, reference, pointer_to(columns, row) ...
template <class Rows, class Allocator, class... Ts>
class DenseStore {
    using Columns = PackedColumns<false, AlignedArray<Ts, Allocator>...>;

public:
    using value_type = typename Rows::value_type;
    using row_type = typename Rows::row_type;
    using pointer = typename Rows::pointer;
    using const_pointer = typename Rows::const_pointer;
    using reference = typename Rows::reference;
    using const_reference = typename Rows::const_reference;
    using Cursor = std::size_t; ///< a row
    static constexpr bool stable = false;
    static constexpr bool indexed = false;
    static constexpr bool trivial = Columns::trivial;
    static constexpr std::size_t slot_bytes = (sizeof(Ts) + ...);
    static constexpr bool nothrow_move = Columns::nothrow_move; // then values are never assigned
    static constexpr bool nothrow_destroy = nothrow_move;
    static constexpr std::size_t max_slots = no_slot;
    template <class... Args>
    static constexpr bool builds_from = Rows::template builds_from<Args...>;
    template <class... Args>
    static constexpr bool builds_nothrow = true; // the row is built before, so only its move remains

    constexpr DenseStore() = default;
    constexpr explicit DenseStore(const Allocator& alloc) : columns_(alloc), slots_(alloc), rows_(alloc) {}
    template <class ExpectThere>
    constexpr DenseStore(const DenseStore& other, Occupancy, std::size_t slot_count, const Allocator& alloc, ExpectThere&&)
        : DenseStore(alloc) {
        if constexpr ((std::is_copy_constructible_v<Ts> && ...))
            take_rows(slot_count, other, [](const auto& value) -> const auto& { return value; });
        else
            static_assert(never<Rows>, "DenseSlotMap, SoaSlotMap copy: elements cannot be copied; write std::move(map)");
    }
    /// Moves the rows over one by one. @pre none is here, and there is room
    constexpr void take_from(DenseStore& other, Occupancy) {
        take_rows(capacity(), other, [](auto& value) -> auto&& { return std::move(value); });
    }
    constexpr DenseStore(DenseStore&& other) noexcept
        : columns_(std::move(other.columns_)), slots_(std::move(other.slots_)), rows_(std::move(other.rows_)) {}
    DenseStore(const DenseStore&) = delete;
    DenseStore& operator=(const DenseStore&) = delete;
    DenseStore& operator=(DenseStore&&) = delete;
    constexpr ~DenseStore() {
        static_assert((std::is_move_constructible_v<Ts> && ...),
                      "DenseSlotMap, SoaSlotMap: elements must be movable, because rows move; take SlotMap");
    }
    constexpr void swap(DenseStore& other) noexcept {
        columns_.swap(other.columns_);
        slots_.swap(other.slots_);
        rows_.swap(other.rows_);
        epoch_.advance();
        other.epoch_.advance();
    }

    //=== memory ===//

    constexpr std::size_t capacity() const noexcept { return rows_.size(); }
    constexpr std::size_t memory_usage() const noexcept { return memory_of(columns_, slots_, rows_); }
    constexpr std::size_t grown_capacity() const noexcept { return capacity() < 8 ? 16 : 2 * capacity(); }
    constexpr void reserve(std::size_t slot_count) {
        if (slot_count > capacity()) resize(reserved_capacity(slot_count, capacity()));
    }
    constexpr std::size_t shrunk_capacity(std::size_t end) const noexcept { return end > count() ? end : count(); }
    constexpr void shrink(std::size_t end) { resize(shrunk_capacity(end)); }

    //=== rows ===//

    constexpr std::size_t count() const noexcept { return columns_.count(); }
    /// Advances when rows are added, removed or moved.
    constexpr const ViewEpoch& epoch() const noexcept { return epoch_; }
    constexpr std::size_t row_of(slot_t slot) const noexcept { return rows_[slot]; }
    constexpr slot_t slot(std::size_t row) const noexcept {
        SLOTWISE_EXPECT_DEBUG(row < count(), "slot map iterator: it is the end, or the rows from here on were erased");
        return slots_[row];
    }
    template <std::size_t Nth>
    constexpr auto* data() const noexcept {
        return columns_.template column<Nth>().data();
    }
    constexpr auto places() const noexcept {
        return [this, rows = rows_.data()](slot_t slot) noexcept { return Rows::pointer_to(columns_.columns(), rows[slot]); };
    }
    constexpr pointer ptr(slot_t slot) const noexcept { return places()(slot); }

    constexpr void construct(slot_t slot, row_type&& row) noexcept(nothrow_move) {
        construct_row(slot, Rows::split(std::move(row)));
    }
    template <class... Args>
    constexpr void construct(slot_t slot, Args&&... args) {
        construct(slot, row_type(std::forward<Args>(args)...));
    }
    template <class Make>
    constexpr void construct_with(slot_t slot, Make&& make) {
        construct(slot, row_type(make()));
    }
    /// If moving can throw: moves the slot's row to the end now, before observers are notified.
    constexpr void move_to_last_row(slot_t slot) noexcept(nothrow_move) {
        if constexpr (!nothrow_move) {
            const std::size_t last = count() - 1;
            if (rows_[slot] != last) swap_rows(rows_[slot], last);
        }
    }
    constexpr void destroy(slot_t slot) noexcept {
        const std::size_t row = rows_[slot], last = count() - 1;
        if constexpr (Columns::trivially_destructible || !nothrow_move) {
            erase_row(row, last);
        } else {
            // The row is moved out first. Its destructor runs when the arrays are consistent again, and may insert and erase.
            auto victim = std::apply([row](const auto&... column) { return std::tuple<Ts...>(std::move(column[row])...); },
                                     columns_.columns());
            erase_row(row, last);
        }
    }
    constexpr row_type take(slot_t slot) const { return Rows::take(columns_.columns(), rows_[slot]); }
    constexpr void swap_values(slot_t a, slot_t b) {
        if (a != b) columns_.swap_rows(rows_[a], rows_[b]);
    }
    /// Exchanges two rows and their slots. @throws what the swaps throw; strong if each of them is
    constexpr void swap_rows(std::size_t a, std::size_t b) {
        if constexpr ((std::is_move_constructible_v<Ts> && ...)) { // if not: see the destructor
            columns_.swap_rows(a, b);
            swap_numbers(a, b);
        }
    }

    /// Brings the rows into the order of less(value, value) of column I, which sees the values as they are before.
    template <std::size_t Nth, class Less>
    constexpr void sort_by(Less less) {
        columns_.template sort_by<slot_t, Nth>(less, [this](std::size_t a, std::size_t b) { swap_numbers(a, b); });
    }

    template <class Directory>
    constexpr void destroy_all(Directory& directory, slot_t end) noexcept {
        if (trivial && directory.cursor() == end) // otherwise a column's destructor has added rows
            drop_all();
        else
            for (std::size_t row = count(); row-- != 0;) { // rows that a destructor adds are appended and stay
                const slot_t slot = slots_[row];
                if (slot >= end) continue; // added by a column's value
                directory.mark_destroyed(slot);
                destroy(slot);
            }
    }
    /// f may erase the slot it is given, because rows are visited from the last. Destructors may erase more rows.
    template <class Directory, class F>
    constexpr void for_each_slot(const Directory&, F&& f) const {
        for (std::size_t row = count(); row-- != 0;)
            if (row < count()) f(slots_[row]);
    }
    /// In the order of the rows.
    template <class F>
    constexpr void for_each_stored(Occupancy, F&& f) const {
        for (std::size_t row = 0; row != count(); ++row) f(slots_[row]);
    }
    template <class Directory>
    constexpr Cursor first(const Directory&) const noexcept {
        return 0;
    }
    template <class Directory>
    constexpr Cursor last(const Directory&) const noexcept {
        return count();
    }
    template <class Directory>
    constexpr void advance(const Directory&, Cursor& row) const noexcept {
        ++row;
    }
    template <class Directory>
    constexpr Cursor place_of(const Directory&, slot_t slot) const noexcept {
        return rows_[slot];
    }
    template <class Directory>
    constexpr void step_back(const Directory&, Cursor& row) const noexcept {
        --row;
    }
    constexpr pointer at(Cursor row) const noexcept { return Rows::pointer_to(columns_.columns(), row); }

    //=== snapshots ===//

    /// The types of a row's members.
    template <class Codec>
    static consteval std::array<ElementTag, sizeof...(Ts)> tags() noexcept {
        return {{{sizeof...(Ts) == 1 ? ElementRole::value : ElementRole::column, type_tag<Codec, Ts>()}...}};
    }
    template <class Directory, class Codec>
    void write(const Directory&, ByteWriter& out, Codec& codec) const {
        (out.number(size_check_of<Ts>()), ...);
        for (std::size_t row = 0; row != count(); ++row) {
            out.number(slots_[row]);
            std::apply([&](const auto&... column) { (codec.write(std::as_const(column[row]), out), ...); }, columns_.columns());
        }
    }
    template <class Directory, class Codec>
    bool read(const Directory& directory, ByteReader& in, Codec& codec) {
        if (!((in.number<std::uint32_t>() == size_check_of<Ts>()) && ...))
            return in.fail("snapshot: it was made by a map of elements of another size");
        ScopeGuard undo([this]() noexcept { drop_all(); });
        for (std::size_t n = directory.size(); n != 0; --n) {
            const slot_t slot = in.number<slot_t>();
            if (!directory.is_live(slot) || rows_[slot] < count())
                return in.fail("snapshot: a row names a slot that is not live, or one twice");
            construct_row(slot, std::tuple<Ts...>{codec.template read<Ts>(in)...});
            if (in.error() != nullptr) return false;
        }
        undo.dismiss();
        return true;
    }
    template <class Directory>
    constexpr bool is_sound(const Directory& directory) const noexcept {
        if (count() != directory.size() || directory.capacity() > capacity() || !columns_.is_sound()) return false;
        for (std::size_t row = 0; row != count(); ++row)
            if (!directory.is_live(slots_[row]) || rows_[slots_[row]] != row) return false;
        return true;
    }

private:
    // `values` is a tuple of values or of references to them.
    template <class Tuple>
    constexpr void construct_row(slot_t slot, Tuple&& values) {
        const std::size_t row = count();
        columns_.append(std::forward<Tuple>(values));
        slots_[row] = slot;
        rows_[slot] = static_cast<slot_t>(row);
        epoch_.advance();
    }
    constexpr void swap_numbers(std::size_t a, std::size_t b) noexcept {
        std::swap(slots_[a], slots_[b]);
        rows_[slots_[a]] = static_cast<slot_t>(a);
        rows_[slots_[b]] = static_cast<slot_t>(b);
        epoch_.advance();
    }
    constexpr void erase_row(std::size_t row, std::size_t last) noexcept {
        if (row != last) {
            if constexpr (nothrow_move) columns_.fill_from_last(row);
            slots_[row] = slots_[last];
            rows_[slots_[row]] = static_cast<slot_t>(row);
        }
        epoch_.advance();
        columns_.drop_last();
    }
    constexpr void drop_all() noexcept {
        columns_.truncate(0);
        epoch_.advance();
    }
    constexpr void resize(std::size_t slot_count) {
        auto slots_by_row = slots_.resized(slot_count, no_slot);
        auto rows_by_slot = rows_.resized(slot_count, no_slot);
        columns_.resize(slot_count);
        slots_.swap(slots_by_row);
        rows_.swap(rows_by_slot);
        epoch_.advance();
    }
    template <class Other, class Get>
    constexpr void take_rows(std::size_t slot_count, Other& other, Get&& get) {
        reserve(slot_count);
        ScopeGuard undo([this]() noexcept { drop_all(); });
        const std::size_t count = other.count();
        for (std::size_t row = 0; row != count; ++row) {
            if constexpr (!trivial)
                SLOTWISE_EXPECT(count == other.count() && other.slots_[row] < slot_count,
                                "container copy: the copy of an element changes the source; it must not");
            std::apply(
                [&](const auto&... column) { construct_row(other.slots_[row], std::forward_as_tuple(get(column[row])...)); },
                other.columns_.columns());
        }
        undo.dismiss();
    }

    Columns columns_{};
    FlatArray<slot_t, Allocator> slots_{}; // by row
    FlatArray<slot_t, Allocator> rows_{};  // by slot; meaningless for vacant slots
    SLOTWISE_NO_UNIQUE_ADDRESS ViewEpoch epoch_{};
};

} // namespace detail

SLOTWISE_END

#endif
