// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// PlainVector: an array that grows, of values that are copied as bytes. The functions that make it grow do not know the type of
// the values: a std::vector of one more type costs some 10 ms of compile time, and the tables of a store need a dozen.
#ifndef SLOTWISE_MEMORY_PLAIN_VECTOR_HPP
#define SLOTWISE_MEMORY_PLAIN_VECTOR_HPP

#include "allocator.hpp"

#include <cstring>
#include <span>

SLOTWISE_BEGIN
namespace detail {

/// What PlainMemory asks its allocator for, so that values of every type that a PlainVector takes are aligned in it.
struct alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) PlainUnit {
    std::byte bytes[__STDCPP_DEFAULT_NEW_ALIGNMENT__];
};

/// Memory for values of some size. @tparam Allocator of bytes
template <class Allocator>
class PlainMemory {
    using Units = rebind_t<Allocator, PlainUnit>;

public:
    PlainMemory() = default;
    explicit PlainMemory(const Allocator& alloc) noexcept : units_(alloc) {}
    PlainMemory(PlainMemory&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)), units_(other.units_), count_(std::exchange(other.count_, 0)) {}
    PlainMemory(const PlainMemory&) = delete;
    PlainMemory& operator=(const PlainMemory&) = delete;
    PlainMemory& operator=(PlainMemory&&) = delete;
    ~PlainMemory() { free(); }

    Allocator get_allocator() const noexcept { return Allocator(units_); }
    std::size_t memory_usage() const noexcept { return count_ * sizeof(PlainUnit); }

protected:
    void swap_memory(PlainMemory& other) noexcept {
        exchange_allocators(units_, other.units_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        std::swap(count_, other.count_);
    }
    /// Exactly this capacity, or no change. @pre size_ <= capacity
    void set_capacity(std::size_t capacity, std::size_t bytes) {
        const std::size_t count = checked_bytes(capacity, bytes, sizeof(PlainUnit) - 1) / sizeof(PlainUnit);
        auto* const fresh = static_cast<std::byte*>(static_cast<void*>(allocate_raw(units_, count)));
        if (size_ != 0) std::memcpy(fresh, data_, size_ * bytes);
        free();
        data_ = fresh;
        count_ = count;
        capacity_ = capacity;
    }
    /// Room for `more` values behind the others; it doubles.
    SLOTWISE_NEVER_INLINE void grow(std::size_t more, std::size_t bytes) {
        const std::size_t twice = 2 * capacity_ + 4;
        set_capacity(size_ + more > twice ? size_ + more : twice, bytes);
    }
    /// A gap of one value before `place`. @pre place <= size_
    void open(std::size_t place, std::size_t bytes) {
        if (size_ == capacity_) grow(1, bytes);
        std::byte* const at = data_ + place * bytes;
        std::memmove(at + bytes, at, (size_ - place) * bytes);
        ++size_;
    }
    /// Removes `count` values. @pre place + count <= size_
    void close(std::size_t place, std::size_t count, std::size_t bytes) noexcept {
        if (count == 0) return;
        std::byte* const at = data_ + place * bytes;
        std::memmove(at, at + count * bytes, (size_ - place - count) * bytes);
        size_ -= count;
    }

    std::byte* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0; // in values

private:
    void free() noexcept {
        if (data_ != nullptr) deallocate_raw(units_, static_cast<PlainUnit*>(static_cast<void*>(data_)), count_);
    }
    SLOTWISE_NO_UNIQUE_ADDRESS Units units_;
    std::size_t count_ = 0; // of units
};

/// The part of std::span that is used where only the library looks. Its constructor asks nothing of T: the concepts of
/// iterators in that of std::span cost 1.7 MB of the compiler's memory for each T, and 2.8 MB more from a container.
template <class T>
struct Slice {
    T *first, *last;
    T* data() const noexcept { return first; }
    T* begin() const noexcept { return first; }
    T* end() const noexcept { return last; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(last - first); }
    bool empty() const noexcept { return first == last; }
    T& operator[](std::size_t place) const noexcept { return first[place]; }
};

/// The part of std::vector that is used here, by place. What grows is strong. An allocator goes with its memory: in moves,
/// assignments and swaps. @tparam Allocator of bytes
template <class T, class Allocator = std::allocator<std::byte>>
class PlainVector : private PlainMemory<Allocator> {
    using Memory = PlainMemory<Allocator>;
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

public:
    using value_type = T;
    PlainVector() = default;
    explicit PlainVector(const Allocator& alloc) noexcept : Memory(alloc) {}
    PlainVector(PlainVector&&) noexcept = default;
    PlainVector(const PlainVector& other) : PlainVector(other, other.get_allocator()) {}
    PlainVector(const PlainVector& other, const Allocator& alloc) : Memory(alloc) { append(other.data(), other.size()); }
    // A template, because overload resolution of a move would ask whether a PlainVector converts to a span: 3 MB for each T.
    template <class Span>
        requires std::is_same_v<Span, std::span<const T>>
    explicit PlainVector(Span values) {
        append(values);
    }
    PlainVector& operator=(PlainVector&& other) noexcept {
        PlainVector taken(std::move(other));
        swap(taken);
        return *this;
    }
    PlainVector& operator=(const PlainVector& other) {
        PlainVector copy(other);
        swap(copy);
        return *this;
    }
    ~PlainVector() = default;
    void swap(PlainVector& other) noexcept { Memory::swap_memory(other); }
    using Memory::get_allocator;

    std::size_t size() const noexcept { return size_; }
    std::size_t capacity() const noexcept { return capacity_; }
    using Memory::memory_usage;
    bool empty() const noexcept { return size_ == 0; }
    T* data() noexcept { return static_cast<T*>(static_cast<void*>(data_)); }
    const T* data() const noexcept { return static_cast<const T*>(static_cast<const void*>(data_)); }
    T* begin() noexcept { return data(); }
    T* end() noexcept { return data() + size_; }
    const T* begin() const noexcept { return data(); }
    const T* end() const noexcept { return data() + size_; }
    T& operator[](std::size_t place) noexcept { return data()[place]; }
    const T& operator[](std::size_t place) const noexcept { return data()[place]; }
    T& back() noexcept { return data()[size_ - 1]; }
    const T& back() const noexcept { return data()[size_ - 1]; }
    const T& front() const noexcept { return data()[0]; }
    std::span<const T> span() const noexcept { return {data(), size_}; }

    void reserve(std::size_t count) {
        if (count > capacity_) Memory::set_capacity(reserved_capacity(count, capacity_), sizeof(T));
    }
    void push_back(T value) { // a copy, because the memory of the argument may go
        if (size_ == capacity_) [[unlikely]]
            Memory::grow(1, sizeof(T));
        ::new (static_cast<void*>(end())) T(value);
        ++size_;
    }
    void pop_back() noexcept { --size_; }
    void insert(std::size_t place, T value) {
        Memory::open(place, sizeof(T));
        ::new (static_cast<void*>(data() + place)) T(value);
    }
    void erase(std::size_t place, std::size_t count = 1) noexcept { Memory::close(place, count, sizeof(T)); }
    /// The first `count` values stay. @pre count <= size()
    void truncate(std::size_t count) noexcept { size_ = count; }
    void clear() noexcept { size_ = 0; }
    /// @pre values are not of this array
    void append(const T* values, std::size_t count) {
        if (count > capacity_ - size_) Memory::grow(count, sizeof(T));
        if (count != 0) std::memcpy(static_cast<void*>(end()), values, count * sizeof(T));
        size_ += count;
    }
    void append(std::span<const T> values) { append(values.data(), values.size()); }
    void assign(std::span<const T> values) {
        clear();
        append(values);
    }
    void assign(std::size_t count, T value) {
        clear();
        resize(count, value);
    }
    void resize(std::size_t count, T fill = T()) {
        if (count > capacity_) Memory::grow(count - size_, sizeof(T));
        for (std::size_t i = size_; i < count; ++i) ::new (static_cast<void*>(data() + i)) T(fill);
        size_ = count;
    }

private:
    using Memory::capacity_;
    using Memory::data_;
    using Memory::size_;
};

} // namespace detail
#ifdef SLOTWISE_COMPILED
extern template class detail::PlainMemory<std::allocator<std::byte>>;
#endif

SLOTWISE_END

#endif
