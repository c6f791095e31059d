// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// NumberTable: a small hash table from numbers to numbers, for lookups that must cost a nanosecond. TypeTable: the same from
// C++ types.
#ifndef SLOTWISE_ECS_DETAIL_NUMBER_TABLE_HPP
#define SLOTWISE_ECS_DETAIL_NUMBER_TABLE_HPP

#include "../../core/detail/bits.hpp"
#include "../../memory/plain_vector.hpp"

SLOTWISE_BEGIN
namespace detail {

/// From 64-bit keys to values that are not 0. Open addressing, a quarter to a half full, so that nearly every lookup reads one
/// place. A key may be there more than once: find() asks `same` which it is. Nothing is erased.
class NumberTable {
    struct Place {
        std::uint64_t key, value;
    };

public:
    NumberTable() = default;
    NumberTable(NumberTable&& other) noexcept { swap(other); }
    NumberTable& operator=(NumberTable&& other) noexcept {
        NumberTable taken(std::move(other));
        swap(taken);
        return *this;
    }
    NumberTable(const NumberTable&) = delete;
    NumberTable& operator=(const NumberTable&) = delete;
    ~NumberTable() = default;
    void swap(NumberTable& other) noexcept {
        memory_.swap(other.memory_);
        std::swap(places_, other.places_);
        std::swap(mask_, other.mask_);
        std::swap(size_, other.size_);
    }

    std::size_t size() const noexcept { return size_; }
    /// The value of `key` that same(value) accepts; 0 if there is none.
    template <class Same>
    SLOTWISE_ALWAYS_INLINE std::uint64_t find(std::uint64_t key, Same&& same) const noexcept {
        for (std::size_t at = home(key);; ++at) {
            const Place& place = places_[at & mask_];
            if (place.key == key && place.value != 0 && same(place.value)) [[likely]]
                return place.value;
            if (place.value == 0) return 0;
        }
    }
    /// The next insert() throws nothing. @throws what the allocator throws; strong
    void reserve_one() {
        if (2 * (size_ + 1) > memory_.size()) grow();
    }
    /// @pre reserve_one() was called; value != 0
    std::size_t memory_usage() const noexcept { return memory_.memory_usage(); }
    void insert(std::uint64_t key, std::uint64_t value) noexcept {
        std::size_t at = home(key);
        while (memory_[at & mask_].value != 0) ++at;
        memory_[at & mask_] = {key, value};
        ++size_;
    }

private:
    /// What an empty table reads, so that a lookup need not ask whether there is memory.
    static constexpr Place none{0, 0};
    /// The high half of a product (Knuth's multiplicative hashing): one multiplication. Keys are addresses and hashes.
    static std::size_t home(std::uint64_t key) noexcept { return bits::to_size((key * 0x9E37'79B9'7F4A'7C15u) >> 32); }
    SLOTWISE_COLD void grow() {
        NumberTable larger;
        larger.memory_.resize(memory_.empty() ? 16 : 2 * memory_.size());
        larger.places_ = larger.memory_.data();
        larger.mask_ = larger.memory_.size() - 1;
        for (const Place& place : memory_)
            if (place.value != 0) larger.insert(place.key, place.value);
        swap(larger);
    }

    PlainVector<Place> memory_{};
    const Place* places_ = &none; // memory_, if there is some
    std::size_t mask_ = 0;
    std::size_t size_ = 0;
};

/// From C++ types to values that are not 0. A type is its mark, an address, with its hash: when a library was unloaded, the
/// address may be that of another type. Open addressing by the hash as it is, so that an operation of one entity finds its
/// component by ten instructions. Nothing is erased.
class TypeTable {
    struct Place {
        std::uint64_t hash;
        const void* mark; // null: no type is here
        std::uint64_t value, unused;
    };

public:
    TypeTable() = default;
    TypeTable(TypeTable&& other) noexcept { swap(other); }
    TypeTable& operator=(TypeTable&& other) noexcept {
        TypeTable taken(std::move(other));
        swap(taken);
        return *this;
    }
    TypeTable(const TypeTable&) = delete;
    TypeTable& operator=(const TypeTable&) = delete;
    ~TypeTable() = default;
    void swap(TypeTable& other) noexcept {
        memory_.swap(other.memory_);
        std::swap(places_, other.places_);
        std::swap(mask_, other.mask_);
        std::swap(size_, other.size_);
    }

    /// The value of a type; 0 if there is none.
    SLOTWISE_ALWAYS_INLINE std::uint64_t find(std::uint64_t hash, const void* mark) const noexcept {
        for (std::size_t at = bits::to_size(hash);; ++at) {
            const Place& place = places_[at & mask_];
            if (place.hash == hash && place.mark == mark) [[likely]] {
                SLOTWISE_ASSUME(place.value != 0); // callers ask whether it was found
                return place.value;
            }
            if (place.mark == nullptr) return 0;
        }
    }
    /// The next insert() throws nothing. @throws what the allocator throws; strong
    void reserve_one() {
        if (2 * (size_ + 1) > memory_.size()) grow();
    }
    /// @pre reserve_one() was called; the type is not here; value != 0
    void insert(std::uint64_t hash, const void* mark, std::uint64_t value) noexcept {
        std::size_t at = bits::to_size(hash);
        while (memory_[at & mask_].mark != nullptr) ++at;
        memory_[at & mask_] = {hash, mark, value, 0};
        ++size_;
    }
    std::size_t memory_usage() const noexcept { return memory_.memory_usage(); }

private:
    /// What an empty table reads, so that a lookup need not ask whether there is memory.
    static constexpr Place none{0, nullptr, 0, 0};
    SLOTWISE_COLD void grow() {
        TypeTable larger;
        larger.memory_.resize(memory_.empty() ? 16 : 2 * memory_.size());
        larger.places_ = larger.memory_.data();
        larger.mask_ = larger.memory_.size() - 1;
        for (const Place& place : memory_)
            if (place.mark != nullptr) larger.insert(place.hash, place.mark, place.value);
        swap(larger);
    }

    PlainVector<Place> memory_{};
    const Place* places_ = &none; // memory_, if there is some
    std::size_t mask_ = 0;
    std::size_t size_ = 0;
};

} // namespace detail

SLOTWISE_END

#endif
