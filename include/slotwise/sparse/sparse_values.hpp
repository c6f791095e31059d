// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The values of sparse containers by row: in pages, of an empty type, or none.
#ifndef SLOTWISE_SPARSE_SPARSE_VALUES_HPP
#define SLOTWISE_SPARSE_SPARSE_VALUES_HPP

#include "../core/concepts.hpp"
#include "../memory/paged_array.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Whether one object stands for all values of T.
template <class T>
inline constexpr bool takes_no_memory =
    std::is_empty_v<T> && std::is_trivially_copyable_v<T> && std::is_move_constructible_v<T>;

/// Values of T in pages that never move. The owner knows how many rows are alive; they are always the first ones.
template <class T, class Allocator>
class PagedValues {
    using allocator = rebind_t<Allocator, T>;
    using traits = std::allocator_traits<allocator>;

public:
    /// Moves and destruction call no user code.
    static constexpr bool trivial = std::is_trivially_copyable_v<T>;
    /// A value changes rows without throwing.
    static constexpr bool nothrow_move = std::is_nothrow_move_constructible_v<T>;
    static constexpr bool movable = std::is_move_constructible_v<T>;
    /// A value can take the place of another one.
    static constexpr bool relocatable = nothrow_move || (movable && std::is_move_assignable_v<T>);
    /// Whether a value is built from Args in its row: its constructor cannot change the map. (A move must not, see SparseMap.)
    template <class... Args>
    static constexpr bool in_place = (std::is_trivially_constructible_v<T, Args...> && trivial) ||
                                     (sizeof...(Args) == 1 && (std::is_same_v<Args, T> && ...));

    /// Consecutive rows from a multiple of this on have their values side by side.
    static constexpr std::size_t page_rows = PagedArray<T, Allocator>::page_slots;
    /// A value in memory of its own that the allocator builds.
    using Temporary = TemporaryElement<T, allocator>;

    PagedValues() = default;
    explicit PagedValues(const Allocator& alloc) : pages_(allocator(alloc)) {}
    void swap(PagedValues& other) noexcept { pages_.swap(other.pages_); }

    std::size_t capacity() const noexcept { return pages_.capacity(); }
    std::size_t memory_usage() const noexcept { return pages_.memory_usage(); }
    std::size_t grown_capacity() const noexcept { return pages_.grown_capacity(); }
    void reserve(std::size_t rows) { pages_.reserve(rows); }
    void shrink(std::size_t rows) noexcept { pages_.shrink(rows); }
    allocator get_allocator() const noexcept { return pages_.get_allocator(); }

    SLOTWISE_ALWAYS_INLINE T* at(std::size_t row) const noexcept { return pages_.places()(static_cast<slot_t>(row)); }
    std::size_t run_count() const noexcept { return pages_.run_count(); }
    SlotRun<T> run(std::size_t i) const noexcept { return pages_.run(i); }

    template <class... Args>
    void construct(std::size_t row, Args&&... args) {
        allocator alloc = get_allocator();
        traits::construct(alloc, at(row), std::forward<Args>(args)...);
    }
    void destroy(std::size_t row) noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>) {
            allocator alloc = get_allocator();
            traits::destroy(alloc, at(row));
        }
    }
    /// The value of `from` takes the place of the one in `to`. Not by assignment, so that T need not be assignable.
    void relocate(std::size_t from, std::size_t to) noexcept {
        destroy(to);
        construct(to, std::move(*at(from)));
        destroy(from);
    }
    /// Throws what moves throw; each row has a value then
    void exchange(std::size_t a, std::size_t b) noexcept(nothrow_move) {
        Temporary kept(get_allocator(), std::move(*at(a)));
        if constexpr (nothrow_move) {
            destroy(a);
            construct(a, std::move(*at(b)));
            destroy(b);
            construct(b, kept.take());
        } else {
            *at(a) = std::move(*at(b));
            *at(b) = kept.take();
        }
    }

private:
    PagedArray<T, Allocator> pages_{};
};

/// Values of an empty type: one object stands for all of them, and no memory is taken.
template <class T>
class EmptyValues {
public:
    static constexpr bool trivial = true, nothrow_move = true, movable = true, relocatable = true;
    template <class... Args>
    static constexpr bool in_place = std::is_trivially_constructible_v<T, Args...>;
    using Temporary = TemporaryElement<T, std::allocator<T>>;

    EmptyValues() noexcept {}
    template <class Allocator>
    explicit EmptyValues(const Allocator&) noexcept {}
    void swap(EmptyValues&) noexcept {}

    static std::size_t capacity() noexcept { return static_cast<std::size_t>(-1); }
    static std::size_t memory_usage() noexcept { return 0; }
    static std::size_t grown_capacity() noexcept { return capacity(); }
    void reserve(std::size_t) noexcept {}
    void shrink(std::size_t) noexcept {}
    static std::allocator<T> get_allocator() noexcept { return {}; }

    T* at(std::size_t) const noexcept { return std::addressof(one_); }
    template <class... Args>
    void construct(std::size_t, Args&&... args) {
        std::construct_at(std::addressof(one_), std::forward<Args>(args)...);
    }
    void destroy(std::size_t) noexcept {}
    void relocate(std::size_t, std::size_t) noexcept {}
    void exchange(std::size_t, std::size_t) noexcept {}

private:
    union {
        mutable T one_;
    };
};

/// What a set has instead of values.
struct WithoutValue {};

template <class T, class Allocator>
using SparseValues = std::conditional_t<takes_no_memory<T>, EmptyValues<T>, PagedValues<T, Allocator>>;

} // namespace detail
SLOTWISE_END

#endif
