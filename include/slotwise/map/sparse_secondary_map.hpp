// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseSecondaryMap: more data for a few elements of a slot map; packed, so that a walk costs what the few cost.
#ifndef SLOTWISE_MAP_SPARSE_SECONDARY_MAP_HPP
#define SLOTWISE_MAP_SPARSE_SECONDARY_MAP_HPP

#include "../memory/aligned_array.hpp"
#include "../memory/sparse_pages.hpp"
#include "secondary_face.hpp"

#include <span>

SLOTWISE_BEGIN

/// Values by the handles of another map, packed in one array; an index page of 256 slots (4 bytes each) where one was touched.
/// Attachment and refused handles: as SecondaryMap. Erase moves the last value into the gap; growth moves all.
/// @tparam H the handle type @tparam T nothrow movable
template <class H, class T, class Allocator>
class SparseSecondaryMap final : public detail::SecondaryFace<SparseSecondaryMap<H, T, Allocator>, H, T> {
    static_assert(AnyHandle<H>, "SparseSecondaryMap<Handle, T>: the first argument is a slot map's handle_type");
    static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>,
                  "SparseSecondaryMap<Handle, T>: T's moves must be noexcept, values are packed; use SecondaryMap");
    using Face = detail::SecondaryFace<SparseSecondaryMap, H, T>;
    friend Face;
    friend detail::SlotFollower<SparseSecondaryMap>;
    static constexpr unsigned page_slots = 256;
    struct Page {
        slot_t row[page_slots]; // no_slot: no entry
        Page() noexcept {
            for (auto& r : row) r = no_slot;
        }
    };

public:
    using size_type = std::size_t;
    using allocator_type = Allocator;

    SparseSecondaryMap() = default;
    explicit SparseSecondaryMap(const Allocator& alloc) : index_(alloc), values_(alloc), handles_(alloc) {}
    /// Copies the entries; a copy is unattached. @throws what the allocator and the copies throw
    SparseSecondaryMap(const SparseSecondaryMap& other)
        : SparseSecondaryMap(other,
                             std::allocator_traits<Allocator>::select_on_container_copy_construction(other.get_allocator())) {}
    SparseSecondaryMap(const SparseSecondaryMap& other, const Allocator& alloc) : SparseSecondaryMap(alloc) {
        ScopeGuard undo([this]() noexcept { clear(); });
        for (size_type row = 0; row != other.size_; ++row) try_emplace(other.handles_[row], std::as_const(other.values_[row]));
        undo.dismiss();
    }
    /// Takes the entries and the attachment.
    SparseSecondaryMap(SparseSecondaryMap&& other) noexcept
        : Face(std::move(other)), index_(std::move(other.index_)), values_(std::move(other.values_)),
          handles_(std::move(other.handles_)), size_(std::exchange(other.size_, 0)) {}
    /// As above, into memory of `alloc`: moves the values one by one if the allocators differ.
    SparseSecondaryMap(SparseSecondaryMap&& other, const Allocator& alloc)
        : Face(std::move(other)), index_(alloc), values_(alloc), handles_(alloc) {
        if (alloc == other.get_allocator()) { // NOLINT(bugprone-use-after-move): only its attachment was moved
            swap_entries(other);
            return;
        }
        ScopeGuard undo([this]() noexcept { clear(); });
        for (size_type row = 0; row != other.size_; ++row) try_emplace(other.handles_[row], std::move(other.values_[row]));
        undo.dismiss();
        other.clear();
    }
    /// Replaces the entries; the attachment stays.
    SparseSecondaryMap& operator=(const SparseSecondaryMap& other) {
        if (this != &other) Face::assign_copy(other);
        return *this;
    }
    /// Takes entries and attachment; the ones here go.
    SparseSecondaryMap& operator=(SparseSecondaryMap&& other) noexcept(Face::template nothrow_move<Allocator>) {
        if (this != &other) Face::assign_move(other);
        return *this;
    }
    ~SparseSecondaryMap() { clear(); }
    /// Exchanges entries and attachments.
    void swap(SparseSecondaryMap& other) noexcept(Face::template nothrow_swap<Allocator>) { Face::exchange(other); }
    friend void swap(SparseSecondaryMap& a, SparseSecondaryMap& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    size_type size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    allocator_type get_allocator() const noexcept { return index_.get_allocator(); }

    /// Builds a value for `handle` unless it has one. Returns {value, true}; {value, false} when it has one; {null, false} when
    /// the handle is refused. An entry of an older handle of the slot is replaced.
    /// @throws what the allocator and T throw; strong @complexity amortised O(1) @invalidates addresses when it grows
    template <class... Args>
    std::pair<T*, bool> try_emplace(H handle, Args&&... args) {
        if ((handle.version() & 1u) == 0) return {nullptr, false};
        const slot_t row = row_of(handle.index());
        if (row != no_slot) {
            if (handles_[row].version() == handle.version()) return {values_.data() + row, false};
            if (handles_[row].version() > handle.version()) return {nullptr, false};
            T value(std::forward<Args>(args)...);
            values_[row] = std::move(value);
            handles_[row] = handle.with_user_bits(0);
            return {values_.data() + row, true};
        }
        T value(std::forward<Args>(args)...); // before growth: an argument may refer to a value of this map
        Page& page = index_.make(handle.index() / page_slots);
        if (size_ == values_.capacity()) grow();
        values_.construct(size_, std::move(value));
        handles_[size_] = handle.with_user_bits(0);
        page.row[handle.index() % page_slots] = static_cast<slot_t>(size_);
        return {values_.data() + size_++, true};
    }
    /// Removes every entry for which pred(handle, value) holds; returns how many.
    template <class Pred>
    size_type erase_if(Pred pred) {
        const size_type before = size_;
        for (size_type row = size_; row-- != 0;)
            if (pred(std::as_const(handles_[row]), values_[row])) drop_slot(handles_[row].index());
        return before - size_;
    }
    /// Removes everything and gives the memory back. @throws nothing
    void clear() noexcept {
        const size_type count = std::exchange(size_, 0);
        index_.clear();
        values_.destroy(0, count);
        values_.resize(0, 0);
        handles_.free();
    }

    /// Packed values and their handles, row by row. @invalidates themselves on insert and erase
    std::span<T> values() noexcept { return {values_.data(), size_}; }
    std::span<const T> values() const noexcept { return {values_.data(), size_}; }
    /// The handle of each of values(), as long as those are valid.
    std::span<const H> handles() const noexcept { return {handles_.data(), size_}; }
    /// Calls f(handle, value) in row order. f must not change the map.
    template <class F>
    void for_each(F&& f) {
        for (size_type row = 0; row != size_; ++row) f(std::as_const(handles_[row]), values_[row]);
    }
    template <class F>
    void for_each(F&& f) const {
        for (size_type row = 0; row != size_; ++row) f(handles_[row], std::as_const(values_[row]));
    }

    /// Equal when the same handles have equal values.
    friend bool operator==(const SparseSecondaryMap& a, const SparseSecondaryMap& b) {
        if (a.size_ != b.size_) return false;
        for (size_type row = 0; row != a.size_; ++row)
            if (const T* other = b.get(a.handles_[row]); other == nullptr || !(*other == a.values_[row])) return false;
        return true;
    }
    /// Whether index and rows agree; for tests.
    bool check_invariants() const noexcept {
        size_type indexed = 0;
        index_.for_each([&](std::uint32_t, const Page& page) {
            for (const slot_t row : page.row) indexed += row != no_slot;
        });
        for (size_type row = 0; row != size_; ++row)
            if (row_of(handles_[row].index()) != row || (handles_[row].version() & 1u) == 0) return false;
        return indexed == size_ && size_ <= values_.capacity();
    }

private:
    slot_t row_of(slot_t slot) const noexcept {
        const Page* page = index_.find(slot / page_slots);
        return page == nullptr ? no_slot : page->row[slot % page_slots];
    }
    T* find(H handle) const noexcept {
        const slot_t row = row_of(handle.index());
        return row != no_slot && handles_[row].version() == handle.version() ? values_.data() + row : nullptr;
    }
    void drop_slot(slot_t slot) noexcept {
        const slot_t row = row_of(slot);
        if (row == no_slot) return;
        [[maybe_unused]] T victim(std::move(values_[row])); // its destructor runs when the arrays are whole again
        const size_type last = --size_;
        if (row != last) {
            values_[row] = std::move(values_[last]);
            handles_[row] = handles_[last];
            index_.find(handles_[row].index() / page_slots)->row[handles_[row].index() % page_slots] = row;
        }
        index_.find(slot / page_slots)->row[slot % page_slots] = no_slot;
        values_.destroy(last, last + 1);
    }
    void grow() {
        const size_type capacity = size_ < 8 ? 16 : 2 * size_;
        auto handles = handles_.resized(capacity, H());
        values_.resize(capacity, size_);
        handles_.swap(handles);
    }
    void swap_entries(SparseSecondaryMap& other) noexcept {
        index_.swap(other.index_);
        values_.swap(other.values_);
        handles_.swap(other.handles_);
        std::swap(size_, other.size_);
    }

    detail::SparsePages<Page, Allocator> index_{};
    AlignedArray<T, Allocator> values_{};
    detail::FlatArray<H, Allocator> handles_{}; // by row
    size_type size_ = 0;
};

SLOTWISE_END

#endif
