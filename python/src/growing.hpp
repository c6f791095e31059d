// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The memory of the package's containers: arrays that are one run and grow by moving, so that a process has room for any number of
// small containers. Growth::reserve of C++ reserves address space for every slot of each column, of which a process has room for
// some ten thousand columns. In Python an element can be referred to by a view only, and under a view nothing grows (see Box).
#ifndef SLOTWISE_PYTHON_GROWING_HPP
#define SLOTWISE_PYTHON_GROWING_HPP

#include "huge.hpp"

#include <slotwise/memory/paged_array.hpp>
#include <slotwise/memory/reserved_array.hpp>
#include <slotwise/slots/any_column_view.hpp>

#include <cstdlib>
#include <memory>
#include <type_traits>
#include <utility>

namespace slotwise_python {

/// The most slots of a container.
inline constexpr std::size_t most_slots = std::size_t{1} << 28;

/// The allocator by which a container is told to grow so. It allocates as std::allocator.
template <class T>
struct Moving {
    using value_type = T;
    using is_always_equal = std::true_type;
    Moving() noexcept = default;
    template <class U>
    Moving(const Moving<U>&) noexcept {}
    T* allocate(std::size_t count) {
        T* const data = std::allocator<T>().allocate(count);
        prefer_huge_pages(data, count * sizeof(T));
        return data;
    }
    void deallocate(T* data, std::size_t count) noexcept { std::allocator<T>().deallocate(data, count); }
    friend bool operator==(Moving, Moving) noexcept { return true; }
};

/// What a run of `capacity` slots grows to; one that has the most asks for more, which is refused.
constexpr std::size_t grown_run(std::size_t capacity) noexcept {
    const std::size_t more = capacity < 16 ? 16 : 2 * capacity;
    return more < most_slots || capacity == most_slots ? more : most_slots;
}
/// @throws std::length_error
inline void expect_room(std::size_t slot_count) {
    if (slot_count > most_slots) slotwise::detail::throw_length_error("more elements than fit; at most 2**28 do");
}

} // namespace slotwise_python

SLOTWISE_BEGIN

/// A ReservedArray over memory of realloc().
template <class T, class U, std::size_t MaxSlots>
class ReservedArray<T, slotwise_python::Moving<U>, MaxSlots> {
    using allocator = slotwise_python::Moving<T>;

    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

public:
    static constexpr bool contiguous = true;
    static constexpr std::size_t apart = 0;
    static constexpr std::size_t max_slots = slotwise_python::most_slots;

    ReservedArray() noexcept = default;
    template <class V>
    explicit ReservedArray(const slotwise_python::Moving<V>&) noexcept {}
    ReservedArray(ReservedArray&& other) noexcept { swap(other); }
    ReservedArray(const ReservedArray&) = delete;
    ReservedArray& operator=(const ReservedArray&) = delete;
    ReservedArray& operator=(ReservedArray&&) = delete;
    ~ReservedArray() { std::free(data_); }
    void swap(ReservedArray& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
    }

    std::size_t capacity() const noexcept { return capacity_; }
    std::size_t capacity_for(std::size_t slot_count) const noexcept { return slot_count > capacity_ ? slot_count : capacity_; }
    std::size_t memory_usage() const noexcept { return capacity_ * sizeof(T); }
    allocator get_allocator() const noexcept { return {}; }
    T* data() const noexcept { return data_; }
    auto places() const noexcept {
        return [data = data_](slot_t slot) noexcept { return data + slot; };
    }
    T* ptr(slot_t slot) const noexcept { return data_ + slot; }
    T* const* pages() const noexcept { return &data_; }

    /// @throws std::length_error when slots > max_slots, std::bad_alloc; nothing has changed then
    void reserve(std::size_t slot_count) {
        slotwise_python::expect_room(slot_count);
        slotwise_python::grow_run(data_, capacity_, slot_count, sizeof(T));
    }
    std::size_t grown_capacity() const noexcept { return slotwise_python::grown_run(capacity_); }
    std::size_t shrunk_capacity(std::size_t slot_count) const noexcept {
        return slot_count < capacity_ ? slot_count : capacity_;
    }
    void shrink(std::size_t slot_count) noexcept { slotwise_python::shrink_run(data_, capacity_, slot_count, sizeof(T)); }
    std::size_t run_count() const noexcept { return capacity_ != 0; }
    SlotRun<T> run(std::size_t) const noexcept { return {data_, 0, capacity_}; }
    slot_t slot_at(const T* address) const noexcept {
        return detail::lies_in(address, data_, capacity_) ? static_cast<slot_t>(address - data_) : no_slot;
    }

private:
    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

namespace detail {

/// The options of a type-erased container say pages: the times of a series are one run all the same, as its keys are.
template <class T, class U, std::size_t PageSlots, std::size_t MaxSlots>
    requires(std::is_trivially_copyable_v<T>)
struct GrowingArray<Growth::pages, T, slotwise_python::Moving<U>, PageSlots, MaxSlots> {
    using type = ReservedArray<T, slotwise_python::Moving<U>, MaxSlots>;
    static constexpr std::size_t max_slots = slotwise_python::most_slots;
};

/// Keys and values of the type-erased containers: one run, which NumPy can read, and which grows by realloc(). So values are moved as
/// their bytes, whatever their type says: those of the package (numbers, lists of them, Text) may be.
template <class U>
class AnyArray<slotwise_python::Moving<U>> {
    using Allocator = slotwise_python::Moving<U>;
    static constexpr unsigned shift = 32; // all slots are in page 0

public:
    constexpr AnyArray() = default;
    AnyArray(const TypeDescriptor* type, const Allocator&) noexcept : type_(type) {}
    AnyArray(AnyArray&& other) noexcept
        : type_(other.type_), data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
    AnyArray(const AnyArray&) = delete;
    AnyArray& operator=(const AnyArray&) = delete;
    AnyArray& operator=(AnyArray&&) = delete;
    ~AnyArray() { std::free(data_); }
    void swap(AnyArray& other) noexcept {
        std::swap(type_, other.type_);
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
    }

    const TypeDescriptor* type() const noexcept { return type_; }
    Allocator get_allocator() const noexcept { return {}; }
    std::size_t capacity() const noexcept { return capacity_; }
    std::size_t memory_usage() const noexcept { return capacity_ == 0 ? 0 : capacity_ * type_->size; }
    void* ptr(slot_t slot) const noexcept { return data_ + slot * type_->size; }

    /// @throws std::length_error when more slots are asked for than fit, std::bad_alloc; nothing has changed then
    void reserve(std::size_t slot_count) {
        if (slot_count <= capacity_) return; // also of an array without a type
        slotwise_python::expect_room(slot_count);
        slotwise_python::grow_run(data_, capacity_, slot_count, type_->size);
    }
    std::size_t capacity_for(std::size_t slot_count) const noexcept { return slot_count > capacity_ ? slot_count : capacity_; }
    std::size_t grown_capacity() const noexcept { return slotwise_python::grown_run(capacity_); }
    std::size_t shrunk_capacity(std::size_t slot_count) const noexcept {
        return slot_count < capacity_ ? slot_count : capacity_;
    }
    /// @pre no value lives there
    void shrink(std::size_t slot_count) noexcept { slotwise_python::shrink_run(data_, capacity_, slot_count, type_->size); }

    /// They refer to this array. @invalidates itself when it moves
    AnyPages pages() const noexcept { return {type_, &page_calls<&erased_ptr>, &data_, shift}; }

    void copy(slot_t slot, const void* from) {
        if (type_->trivial)
            copy_bytes(ptr(slot), from, type_->size);
        else
            type_->copy(ptr(slot), from);
    }
    void move(slot_t slot, void* from) {
        if (type_->trivial)
            copy_bytes(ptr(slot), from, type_->size);
        else if (type_->move != nullptr)
            type_->move(ptr(slot), from);
        else
            type_->copy(ptr(slot), from);
    }
    void destroy(slot_t slot) noexcept {
        if (type_->destroy != nullptr) type_->destroy(ptr(slot));
    }
    /// Builds the value of `slot` from bytes. Returns false and builds none when they are wrong.
    template <class Codec>
    bool read(slot_t slot, ByteReader& in, Codec& codec) {
        codec.read(*type_, ptr(slot), in);
        if (in.error() != nullptr) destroy(slot);
        return in.error() == nullptr;
    }
    /// build(slot) for every slot of `stored`; when one throws, those built before are destroyed.
    template <class Build>
    void fill(Occupancy stored, std::size_t slot_count, Build&& build) {
        if (slot_count != 0) reserve(slot_count);
        build_each(stored, build, [this](slot_t slot) { destroy(slot); });
    }

private:
    const TypeDescriptor* type_ = nullptr;
    std::byte* data_ = nullptr;
    std::size_t capacity_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
