// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AlignedArray: packed values in one 64-byte aligned array that grows by relocation. The storage of dense columns.
#ifndef SLOTWISE_MEMORY_ALIGNED_ARRAY_HPP
#define SLOTWISE_MEMORY_ALIGNED_ARRAY_HPP

#include "../core/scope_guard.hpp"
#include "../fwd.hpp"
#include "allocator.hpp"

SLOTWISE_BEGIN

/// Raw contiguous memory whose first value lies on a cache line (or on alignof(T), if stricter). The owner knows how many
/// values are alive; they are always the first ones.
template <class T, class Allocator = std::allocator<T>>
class AlignedArray {
    using allocator = detail::rebind_t<Allocator, T>;
    using traits = std::allocator_traits<allocator>;

public:
    using value_type = T;
    constexpr AlignedArray()
        requires std::is_default_constructible_v<Allocator> // std::tuple asks, and clang then looks at the members
    = default;
    constexpr explicit AlignedArray(const Allocator& alloc) noexcept : allocator_(alloc) {}
    constexpr AlignedArray(AlignedArray&& other) noexcept
        : allocator_(std::move(other.allocator_)), data_(std::exchange(other.data_, nullptr)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    AlignedArray(const AlignedArray&) = delete;
    AlignedArray& operator=(const AlignedArray&) = delete;
    AlignedArray& operator=(AlignedArray&&) = delete;
    constexpr ~AlignedArray() { free(); }

    constexpr void swap(AlignedArray& other) noexcept {
        detail::exchange_allocators(allocator_, other.allocator_);
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
    }

    constexpr T* data() const noexcept { return data_; }
    constexpr std::size_t capacity() const noexcept { return capacity_; }
    constexpr allocator get_allocator() const noexcept { return allocator_; }
    /// Bytes that can be read from data() on: whole cache lines.
    constexpr std::size_t bytes() const noexcept { return detail::lines_of<T>(capacity_) * sizeof(detail::LineOf<T>); }
    /// Bytes held from the allocator.
    constexpr std::size_t memory_usage() const noexcept { return detail::line_bytes<T>(capacity_); }
    constexpr T& operator[](std::size_t i) const noexcept { return data_[i]; }

    /// Exactly `capacity` values' worth of memory; the first `alive` values are moved there (copied, if moving can throw).
    /// @pre alive <= capacity
    /// @throws what the allocator and the copies throw; nothing has changed then (if T can only be moved and that throws, the
    /// values moved so far are moved-from)
    constexpr void resize(std::size_t capacity, std::size_t alive) {
        AlignedArray fresh = sized(capacity);
        relocate_into(fresh, alive);
        destroy(0, alive);
        swap(fresh);
    }
    /// First step of resize(), for an owner of several arrays that resizes all or none: an empty array of that capacity.
    constexpr AlignedArray sized(std::size_t capacity) const {
        AlignedArray fresh{Allocator(allocator_)};
        if (capacity != 0) fresh.acquire(capacity);
        return fresh;
    }
    /// Second step: moves (or copies) the values from `first` up to `last` into it, `gap` places further on. The values here
    /// must still be destroyed.
    constexpr void relocate_into(AlignedArray& fresh, std::size_t last, std::size_t first = 0, std::size_t gap = 0) {
        std::size_t done = first;
        ScopeGuard undo([&]() noexcept { fresh.destroy(first + gap, done + gap); });
        for (; done != last; ++done) fresh.construct(done + gap, std::move_if_noexcept(data_[done]));
        undo.dismiss();
    }
    /// Undoes the second step.
    constexpr void take_back(AlignedArray& fresh, std::size_t last, std::size_t first = 0, std::size_t gap = 0) noexcept {
        if constexpr (std::is_nothrow_move_constructible_v<T>) // others were copied, or cannot be brought back
            for (std::size_t i = first; i != last; ++i) relocate(i, fresh[i + gap]);
        fresh.destroy(first + gap, last + gap);
    }

    /// Builds the value in place i. @pre none is alive there
    template <class... Args>
    constexpr void construct(std::size_t i, Args&&... args) {
        traits::construct(allocator_, data_ + i, std::forward<Args>(args)...);
    }
    /// Destroys the values from first up to last. @pre they are alive
    constexpr void destroy(std::size_t first, std::size_t last) noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>)
            for (std::size_t i = first; i != last; ++i) traits::destroy(allocator_, data_ + i);
    }
    /// The value in place i is replaced by one moved from `value`, which is not in place i: destroyed and built, so that T need
    /// not be assignable, and a value with an assignment of its own (Versioned) arrives as it was. @pre T's move does not throw
    constexpr void relocate(std::size_t i, T& value) noexcept {
        destroy(i, i + 1);
        construct(i, std::move(value));
    }

private:
    constexpr void acquire(std::size_t count) {
        data_ = detail::allocate_on_line(allocator_, count);
        capacity_ = count;
    }
    constexpr void free() noexcept {
        if (data_ == nullptr) return;
        detail::deallocate_on_line(allocator_, data_, capacity_);
        data_ = nullptr;
        capacity_ = 0;
    }

    SLOTWISE_NO_UNIQUE_ADDRESS allocator allocator_{};
    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

SLOTWISE_END

#endif
