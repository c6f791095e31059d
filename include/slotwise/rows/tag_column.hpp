// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TagColumn: the column of an empty type, without memory. RowColumn: the column of any type in a row.
#ifndef SLOTWISE_ROWS_TAG_COLUMN_HPP
#define SLOTWISE_ROWS_TAG_COLUMN_HPP

#include "../memory/aligned_array.hpp"

#include <tuple>

SLOTWISE_BEGIN
namespace detail {

/// Whether rows need no memory for a T: one value is as good as another.
template <class T>
inline constexpr bool is_tag =
    std::is_empty_v<T> && std::is_trivially_copyable_v<T> && std::is_nothrow_default_constructible_v<T>;

/// The column of a tag: the interface of AlignedArray, without memory.
template <class T, class Allocator>
class TagColumn {
public:
    using value_type = T;
    constexpr TagColumn()
        requires std::is_default_constructible_v<Allocator>
    = default;
    constexpr explicit TagColumn(const Allocator& alloc) noexcept : allocator_(alloc) {}
    constexpr TagColumn(TagColumn&& other) noexcept
        : allocator_(std::move(other.allocator_)), capacity_(std::exchange(other.capacity_, 0)) {}
    TagColumn(const TagColumn&) = delete;
    TagColumn& operator=(const TagColumn&) = delete;
    TagColumn& operator=(TagColumn&&) = delete;
    ~TagColumn() = default;
    constexpr void swap(TagColumn& other) noexcept {
        exchange_allocators(allocator_, other.allocator_);
        std::swap(capacity_, other.capacity_);
    }
    constexpr Allocator get_allocator() const noexcept { return allocator_; }
    constexpr std::size_t capacity() const noexcept { return capacity_; }
    static constexpr std::size_t memory_usage() noexcept { return 0; }
    constexpr T operator[](std::size_t) const noexcept { return T(); }
    constexpr TagColumn sized(std::size_t capacity) const {
        TagColumn fresh(allocator_);
        fresh.capacity_ = capacity;
        return fresh;
    }
    constexpr void relocate_into(TagColumn&, std::size_t, std::size_t = 0, std::size_t = 0) noexcept {}
    constexpr void take_back(TagColumn&, std::size_t, std::size_t = 0, std::size_t = 0) noexcept {}
    SLOTWISE_CONVERSIONS_BEGIN
    template <class... Args>
    constexpr void construct(std::size_t, Args&&... args) {
        static_cast<void>(T(std::forward<Args>(args)...));
    }
    SLOTWISE_CONVERSIONS_END
    constexpr void destroy(std::size_t, std::size_t) noexcept {}
    constexpr void relocate(std::size_t, const T&) noexcept {}

private:
    SLOTWISE_NO_UNIQUE_ADDRESS Allocator allocator_{};
    std::size_t capacity_ = 0;
};

/// The column of a T in a container of rows.
template <class T, class Allocator>
using RowColumn = std::conditional_t<is_tag<T>, TagColumn<T, Allocator>, AlignedArray<T, Allocator>>;

} // namespace detail
SLOTWISE_END

#endif
