// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// PlacedArray: a flat array that lies with others in one allocation.
#ifndef SLOTWISE_MEMORY_PLACED_ARRAY_HPP
#define SLOTWISE_MEMORY_PLACED_ARRAY_HPP

#include "../core/detail/bits.hpp"
#include "allocator.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Where the next of several arrays in one allocation of words begins.
struct ArrayPlace {
    bits::word_t* next;
};
/// The part of FlatArray that is used of an array in an allocation that belongs to another object: one allocation for all of a
/// directory. In a constant a T that is not a word cannot lie among words, and has memory of its own.
template <class T>
class PlacedArray {
    static constexpr bool alone = !std::is_same_v<T, bits::word_t>;

public:
    constexpr PlacedArray() noexcept = default;
    template <class Source>
        requires(!std::is_same_v<Source, PlacedArray>)
    constexpr explicit PlacedArray(const Source&) noexcept {}
    constexpr PlacedArray(PlacedArray&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    PlacedArray(const PlacedArray&) = delete;
    PlacedArray& operator=(const PlacedArray&) = delete;
    PlacedArray& operator=(PlacedArray&&) = delete;
    constexpr ~PlacedArray() {
        if (!alone || !SLOTWISE_IN_CONSTANT || data_ == nullptr) return;
        std::allocator<T> allocator;
        deallocate_raw(allocator, data_, size_);
    }

    /// The words that `count` values take.
    static constexpr std::size_t words_for(std::size_t count) noexcept {
        if (alone && SLOTWISE_IN_CONSTANT) return 0;
        return bits::round_up(count * sizeof(T), sizeof(bits::word_t)) / sizeof(bits::word_t);
    }
    /// Memory for as many values at `place`, which moves on. In a constant the caller makes them by std::construct_at.
    static constexpr PlacedArray unmade(std::size_t count, ArrayPlace& place) noexcept {
        PlacedArray result;
        if (count == 0) return result;
        if constexpr (alone) {
            std::allocator<T> allocator;
            result.data_ =
                SLOTWISE_IN_CONSTANT ? allocate_raw(allocator, count) : static_cast<T*>(static_cast<void*>(place.next));
        } else
            result.data_ = place.next;
        place.next += words_for(count);
        result.size_ = count;
        return result;
    }
    /// A copy of the first min(size, count) values at `place`, which moves on, followed by `fill` up to `count`.
    constexpr PlacedArray resized(std::size_t count, const T& fill, ArrayPlace& place) const noexcept {
        PlacedArray result = unmade(count, place);
        const std::size_t kept = size_ < count ? size_ : count;
        for (std::size_t i = 0; i < kept; ++i) std::construct_at(result.data_ + i, data_[i]);
        for (std::size_t i = kept; i < count; ++i) std::construct_at(result.data_ + i, fill);
        return result;
    }
    constexpr void swap(PlacedArray& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    constexpr T* data() noexcept { return data_; }
    SLOTWISE_ALWAYS_INLINE constexpr const T* data() const noexcept { return data_; }
    SLOTWISE_ALWAYS_INLINE constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    /// None: the owner of the memory counts it.
    static constexpr std::size_t memory_usage() noexcept { return 0; }
    SLOTWISE_ALWAYS_INLINE constexpr T& operator[](std::size_t i) noexcept { return data_[i]; }
    SLOTWISE_ALWAYS_INLINE constexpr const T& operator[](std::size_t i) const noexcept { return data_[i]; }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
