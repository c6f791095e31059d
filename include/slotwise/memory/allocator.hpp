// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The allocator rules of the standard in one place, and a flat array of trivial values that follows them.
#ifndef SLOTWISE_MEMORY_ALLOCATOR_HPP
#define SLOTWISE_MEMORY_ALLOCATOR_HPP

#include "../config/error.hpp"
#include "../core/detail/std_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple> // std::uses_allocator
#include <type_traits>
#include <utility>

SLOTWISE_BEGIN
namespace detail {

template <class Allocator, class T>
using rebind_t = typename std::allocator_traits<Allocator>::template rebind_alloc<T>;

template <class Allocator>
inline constexpr bool propagates_on_copy = std::allocator_traits<Allocator>::propagate_on_container_copy_assignment::value;
template <class Allocator>
inline constexpr bool propagates_on_move = std::allocator_traits<Allocator>::propagate_on_container_move_assignment::value;
template <class Allocator>
inline constexpr bool propagates_on_swap = std::allocator_traits<Allocator>::propagate_on_container_swap::value;
template <class Allocator>
inline constexpr bool always_equal = std::allocator_traits<Allocator>::is_always_equal::value;

/// Rebuilds `object` from `by`: for types that cannot be assigned, and for standard containers, whose assignment and swap
/// follow the propagation traits of their allocators. @pre the construction does not throw
template <class T, class By>
constexpr void renew(T& object, By&& by) noexcept {
    std::destroy_at(std::addressof(object));
    std::construct_at(std::addressof(object), std::forward<By>(by));
}
/// Exchanges two objects by rebuilding both, without their own swap. @pre their moves do not throw
template <class T>
constexpr void exchange_by_moving(T& a, T& b) noexcept {
    T kept(std::move(a));
    renew(a, std::move(b));
    renew(b, std::move(kept));
}

/// Exchanges two allocators together with what was allocated by them. This includes allocators that do not propagate: a static
/// column may hold memory of another allocator than its map, and moves with the elements. Allocators that cannot be assigned
/// (std::pmr::polymorphic_allocator) are rebuilt.
template <class Allocator>
constexpr void exchange_allocators(Allocator& a, Allocator& b) noexcept {
    if constexpr (always_equal<Allocator>)
        return;
    else if constexpr (std::is_move_assignable_v<Allocator>)
        std::swap(a, b);
    else if (a != b)
        exchange_by_moving(a, b);
}

/// Bytes of `count` values of `size` bytes and `more`: the one place where a count becomes a number of bytes. Every allocation
/// of the library calls it through allocate_raw(), whatever the allocator checks itself.
/// @throws std::bad_array_new_length when that is more than half of the address space, which is all that a pointer difference
/// spans
constexpr std::size_t checked_bytes(std::size_t count, std::size_t size, std::size_t more = 0) {
    constexpr std::size_t most = static_cast<std::size_t>(-1) / 2;
    if (more > most || (size != 0 && count > (most - more) / size)) [[unlikely]]
        throw_bad_array_new_length("allocation: the values are more than half of the address space; ask for fewer");
    return count * size + more;
}

/// The capacity that reserve(count) gives an array that is copied when it grows: exactly `count` to an empty one, and at least
/// a quarter more than there is to others, so that reserve(size() + 1) before each insert costs amortised O(1).
/// @pre count > capacity
constexpr std::size_t reserved_capacity(std::size_t count, std::size_t capacity) noexcept {
    const std::size_t more = capacity + capacity / 4;
    return count < more ? more : count;
}

/// Whether an allocator builds a T from these arguments without throwing. An allocator that passes itself on (uses-allocator
/// construction, as std::pmr::polymorphic_allocator does) may have to allocate, whatever T's own constructor says.
template <class Allocator, class T, class... Args>
inline constexpr bool makes_nothrow =
    std::is_nothrow_constructible_v<T, Args...> && (always_equal<Allocator> || !std::uses_allocator_v<T, Allocator>);

/// A T that the allocator builds like an element, before its place is known. A T that knows its allocator is then moved there
/// without an allocation.
template <class T, class Allocator>
class TemporaryElement {
    using traits = std::allocator_traits<Allocator>;

public:
    template <class... Args>
    constexpr explicit TemporaryElement(const Allocator& alloc, Args&&... args) : allocator_(alloc) {
        traits::construct(allocator_, std::addressof(value_), std::forward<Args>(args)...);
    }
    TemporaryElement(const TemporaryElement&) = delete;
    TemporaryElement& operator=(const TemporaryElement&) = delete;
    constexpr ~TemporaryElement() { traits::destroy(allocator_, std::addressof(value_)); }
    constexpr T&& take() noexcept { return std::move(value_); }

private:
    SLOTWISE_NO_UNIQUE_ADDRESS Allocator allocator_;
    union {
        T value_;
    };
};

SLOTWISE_CONVERSIONS_BEGIN
/// As std::allocator_traits::construct, but without its calls where that only builds the value in place: an insert of a debug
/// build takes half the time. For the same reason there is no std::forward.
template <class Allocator, class T, class... Args>
SLOTWISE_INLINE_UNOPTIMISED constexpr void construct_in_place(Allocator& allocator, T* place, Args&&... args) noexcept(
    std::is_nothrow_constructible_v<T, Args...>) {
    if constexpr (requires { allocator.construct(place, static_cast<Args&&>(args)...); })
        std::allocator_traits<Allocator>::construct(allocator, place, static_cast<Args&&>(args)...);
    else if (SLOTWISE_IN_CONSTANT)
        std::construct_at(place, static_cast<Args&&>(args)...);
    else
        ::new (static_cast<void*>(place)) T(static_cast<Args&&>(args)...);
}

/// A row that is built before its place is known, for containers that build it before anything moves. The allocator builds it
/// if it passes itself on, because the row may use no other memory then.
template <class T, class Allocator, bool = std::uses_allocator_v<T, Allocator> && !always_equal<Allocator>>
class TemporaryRow {
public:
    template <class... Args>
    constexpr explicit TemporaryRow(const Allocator&, Args&&... args) : row_(std::forward<Args>(args)...) {}
    constexpr T&& take() noexcept { return std::move(row_); }

private:
    T row_;
};
template <class T, class Allocator>
class TemporaryRow<T, Allocator, true> : public TemporaryElement<T, rebind_t<Allocator, T>> {
public:
    using TemporaryElement<T, rebind_t<Allocator, T>>::TemporaryElement;
};
SLOTWISE_CONVERSIONS_END

/// Whether the allocator has a member max_alignment, which says that it honours no stricter alignment, and T needs one.
template <class Allocator, class T>
inline constexpr bool aligns_less = false;
template <class Allocator, class T>
    requires requires { Allocator::max_alignment; }
inline constexpr bool aligns_less<Allocator, T> = alignof(T) > Allocator::max_alignment;
#ifdef __wasm__
// A tenth of a small program of WebAssembly is what a libc needs to align more strictly than malloc does.
template <class U, class T>
inline constexpr bool aligns_less<std::allocator<U>, T> = alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__;
#endif

/// Bytes asked for in the place of `size` bytes at a multiple of `align`: for the address that was returned, and for the gap.
inline std::size_t bytes_to_align(std::size_t size, std::size_t align) {
    return checked_bytes(1, size, sizeof(void*) + align - 1);
}
/// Memory at a multiple of `align` from an allocator of bytes that does not know alignment. What it returned lies before.
template <class Bytes>
SLOTWISE_NEVER_INLINE void* allocate_aligned(Bytes bytes, std::size_t size, std::size_t align) {
    std::byte* const raw = std::to_address(std::allocator_traits<Bytes>::allocate(bytes, bytes_to_align(size, align)));
    std::byte* at = raw + sizeof(void*);
    at += (align - reinterpret_cast<std::uintptr_t>(at) % align) % align;
    std::memcpy(at - sizeof(void*), &raw, sizeof(void*));
    return at;
}

/// The raw address behind what an allocator returned. Containers keep raw pointers (a lookup must not pay for a fancy one)
/// and make the fancy pointer again for deallocation; fancy pointers that are valid in several address spaces lose that here.
/// @throws std::bad_array_new_length as checked_bytes, and what the allocator throws
template <class Allocator>
constexpr auto* allocate_raw(Allocator& allocator, std::size_t count) {
    using T = typename std::allocator_traits<Allocator>::value_type;
    [[maybe_unused]] const std::size_t size = checked_bytes(count, sizeof(T));
    if constexpr (aligns_less<Allocator, T>)
        if (!SLOTWISE_IN_CONSTANT)
            return static_cast<T*>(allocate_aligned(rebind_t<Allocator, std::byte>(allocator), size, alignof(T)));
    return std::to_address(std::allocator_traits<Allocator>::allocate(allocator, count));
}

template <class Allocator, class T>
constexpr void deallocate_raw(Allocator& allocator, T* data, std::size_t count) noexcept {
    if constexpr (aligns_less<Allocator, T>)
        if (!SLOTWISE_IN_CONSTANT) {
            rebind_t<Allocator, std::byte> bytes(allocator);
            std::byte* raw = nullptr;
            std::memcpy(&raw, reinterpret_cast<std::byte*>(data) - sizeof(void*), sizeof(void*));
            return deallocate_raw(bytes, raw, bytes_to_align(count * sizeof(T), alignof(T)));
        }
    using pointer = typename std::allocator_traits<Allocator>::pointer;
    if constexpr (std::is_pointer_v<pointer>)
        std::allocator_traits<Allocator>::deallocate(allocator, data, count);
    else
        std::allocator_traits<Allocator>::deallocate(allocator, std::pointer_traits<pointer>::pointer_to(*data), count);
}

/// The unit requested from an allocator, so that it honours the alignment of a cache line, or of T where that is stricter.
struct alignas(64) CacheLine {
    unsigned char bytes[64];
};
template <class T>
struct alignas(T) WideLine {
    unsigned char bytes[alignof(T)];
};
template <class T>
using LineOf = std::conditional_t<(alignof(T) <= alignof(CacheLine)), CacheLine, WideLine<T>>;
/// Units of this size for `count` values.
constexpr std::size_t lines_needed(std::size_t count, std::size_t size, std::size_t line) {
    return checked_bytes(count, size, line - 1) / line;
}
template <class T>
constexpr std::size_t lines_of(std::size_t count) {
    return lines_needed(count, sizeof(T), sizeof(LineOf<T>));
}

/// Memory for `count` values of `size` bytes from the start of a line on, for values of every type that needs no stricter
/// alignment than Line has. Throws as allocate_raw. @tparam Bytes an allocator of bytes
template <class Line = CacheLine, class Bytes>
SLOTWISE_NEVER_INLINE void* allocate_lines(const Bytes& alloc, std::size_t count, std::size_t size) {
    rebind_t<Bytes, Line> lines(alloc);
    return allocate_raw(lines, lines_needed(count, size, sizeof(Line)));
}
template <class Line = CacheLine, class Bytes>
SLOTWISE_NEVER_INLINE void deallocate_lines(const Bytes& alloc, void* data, std::size_t count, std::size_t size) noexcept {
    rebind_t<Bytes, Line> lines(alloc);
    deallocate_raw(lines, static_cast<Line*>(data), lines_needed(count, size, sizeof(Line)));
}

/// Room for `count` values, the first of them at the start of a cache line. A value of 16, 32 or 64 bytes then never spans two
/// lines.
template <class Allocator>
constexpr auto* allocate_on_line(Allocator& allocator, std::size_t count) {
    using T = typename std::allocator_traits<Allocator>::value_type;
    if (SLOTWISE_IN_CONSTANT) return allocate_raw(allocator, count); // bytes cannot become a T in a constant expression
    rebind_t<Allocator, LineOf<T>> lines(allocator);
    return static_cast<T*>(static_cast<void*>(allocate_raw(lines, lines_of<T>(count))));
}
template <class Allocator, class T>
constexpr void deallocate_on_line(Allocator& allocator, T* data, std::size_t count) noexcept {
    if (SLOTWISE_IN_CONSTANT) return deallocate_raw(allocator, data, count);
    rebind_t<Allocator, LineOf<T>> lines(allocator);
    deallocate_raw(lines, static_cast<LineOf<T>*>(static_cast<void*>(data)), lines_of<T>(count));
}

/// Bytes that these parts hold.
template <class... Parts>
constexpr std::size_t memory_of(const Parts&... parts) noexcept {
    return (std::size_t{0} + ... + parts.memory_usage());
}
/// The same of a part of the user's, which may not know it: 0 then.
template <class Part>
constexpr std::size_t known_memory_of([[maybe_unused]] const Part& part) noexcept {
    if constexpr (requires { static_cast<std::size_t>(part.memory_usage()); })
        return part.memory_usage();
    else
        return 0;
}
/// The same of values in a std::vector.
template <class Vector>
constexpr std::size_t memory_of_vector(const Vector& values) noexcept {
    return values.capacity() * sizeof(typename Vector::value_type);
}
/// Bytes that allocate_on_line() asks for.
template <class T>
constexpr std::size_t line_bytes(std::size_t count) noexcept {
    if (SLOTWISE_IN_CONSTANT) return count * sizeof(T);
    return lines_of<T>(count) * sizeof(LineOf<T>);
}

/// A copy of an array of pointers of any object type, which are copied as bytes, followed by null ones up to `count`.
/// Throws what the allocator throws.
template <class Bytes>
SLOTWISE_NEVER_INLINE void* resized_pointers(const Bytes& alloc, const void* pointers, std::size_t size, std::size_t count) {
    rebind_t<Bytes, void*> allocator(alloc);
    auto* const result = reinterpret_cast<std::byte*>(allocate_raw(allocator, count));
    const std::size_t kept = (size < count ? size : count) * sizeof(void*);
    if (kept != 0) std::memcpy(result, pointers, kept);
    std::memset(result + kept, 0, count * sizeof(void*) - kept); // null, on every platform there is
    return result;
}
template <class Bytes>
void free_pointers(const Bytes& alloc, void* pointers, std::size_t size) noexcept {
    rebind_t<Bytes, void*> allocator(alloc);
    deallocate_raw(allocator, static_cast<void**>(pointers), size);
}

/// A contiguous array of trivial values (versions, words, links): the bookkeeping of every container. It never grows in
/// place: resized() builds the new array beside the old one, so that a caller with several arrays commits them together.
/// @tparam Bytes an allocator of bytes, so that containers of all element types share one instantiation; see FlatArray
template <class T, class Bytes>
class BasicFlatArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    using allocator = rebind_t<Bytes, T>;
    // Tables of pages differ in the type of their entries only: one function grows them all. Larger entries may convert to one.
    static constexpr bool pointers = std::is_pointer_v<T> && std::is_convertible_v<T, void*>;

public:
    constexpr BasicFlatArray() noexcept(noexcept(Bytes()))
        requires std::is_default_constructible_v<Bytes>
    = default;
    /// Takes memory of this allocator, whatever it is an allocator of.
    template <class Allocator>
        requires(!std::is_same_v<Allocator, BasicFlatArray>)
    constexpr explicit BasicFlatArray(const Allocator& alloc) noexcept : allocator_(alloc) {}
    constexpr BasicFlatArray(BasicFlatArray&& other) noexcept
        : allocator_(std::move(other.allocator_)), data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    BasicFlatArray(const BasicFlatArray&) = delete;
    BasicFlatArray& operator=(const BasicFlatArray&) = delete;
    BasicFlatArray& operator=(BasicFlatArray&&) = delete;
    constexpr ~BasicFlatArray() { free(); }

    /// A copy of the first min(size, count) values in memory of `alloc`, followed by `fill` up to `count`.
    /// @throws what the allocator throws; this array is unchanged
    template <class Allocator>
    constexpr BasicFlatArray resized(std::size_t count, const T& fill, const Allocator& alloc) const {
        BasicFlatArray result(alloc);
        if (count == 0) return result;
        if constexpr (pointers)
            if (!SLOTWISE_IN_CONSTANT && fill == nullptr) {
                result.data_ = static_cast<T*>(resized_pointers(Bytes(result.allocator_), data_, size_, count));
                result.size_ = count;
                return result;
            }
        result.data_ = allocate_raw(result.allocator_, count);
        result.size_ = count;
        const std::size_t kept = size_ < count ? size_ : count;
        for (std::size_t i = 0; i < kept; ++i) std::construct_at(result.data_ + i, data_[i]);
        for (std::size_t i = kept; i < count; ++i) std::construct_at(result.data_ + i, fill);
        return result;
    }
    constexpr BasicFlatArray resized(std::size_t count, const T& fill) const { return resized(count, fill, allocator_); }
    /// Memory for `count` values, which the caller makes by std::construct_at. @throws what the allocator throws
    template <class Allocator>
    static constexpr BasicFlatArray unmade(std::size_t count, const Allocator& alloc) {
        BasicFlatArray result(alloc);
        if (count == 0) return result;
        result.data_ = allocate_raw(result.allocator_, count);
        result.size_ = count;
        return result;
    }

    /// Exchanges contents and allocators. @pre the allocators are equal, or are meant to be exchanged
    constexpr void swap(BasicFlatArray& other) noexcept {
        exchange_allocators(allocator_, other.allocator_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    constexpr void free() noexcept {
        if (data_ == nullptr) return;
        if (pointers && !SLOTWISE_IN_CONSTANT)
            free_pointers(Bytes(allocator_), static_cast<void*>(data_), size_);
        else
            deallocate_raw(allocator_, data_, size_);
        data_ = nullptr;
        size_ = 0;
    }

    constexpr allocator get_allocator() const noexcept { return allocator_; }
    SLOTWISE_ALWAYS_INLINE constexpr T* data() noexcept { return data_; }
    SLOTWISE_ALWAYS_INLINE constexpr const T* data() const noexcept { return data_; }
    SLOTWISE_ALWAYS_INLINE constexpr std::size_t size() const noexcept { return size_; }
    constexpr std::size_t memory_usage() const noexcept { return size_ * sizeof(T); }
    SLOTWISE_ALWAYS_INLINE constexpr bool empty() const noexcept { return size_ == 0; }
    SLOTWISE_ALWAYS_INLINE constexpr T& operator[](std::size_t i) noexcept { return data_[i]; }
    SLOTWISE_ALWAYS_INLINE constexpr const T& operator[](std::size_t i) const noexcept { return data_[i]; }

private:
    SLOTWISE_NO_UNIQUE_ADDRESS allocator allocator_{};
    T* data_ = nullptr;
    std::size_t size_ = 0;
};
template <class T, class Allocator>
using FlatArray = BasicFlatArray<T, rebind_t<Allocator, std::byte>>;

} // namespace detail
SLOTWISE_END

#endif
