// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// PlaceTable: a small hash table for lookups that must cost a nanosecond. NumberTable: from numbers to numbers. TypeTable: from
// C++ types to numbers.
#ifndef SLOTWISE_ECS_DETAIL_NUMBER_TABLE_HPP
#define SLOTWISE_ECS_DETAIL_NUMBER_TABLE_HPP

#include "../../core/detail/bits.hpp"
#include "../../memory/plain_vector.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Places with open addressing, a quarter to a half full, so that nearly every lookup reads one of them. Nothing is erased.
/// @tparam Place an aggregate with home(), where it is looked for, and taken(); one that is not taken is all zero
template <class Place>
class PlaceTable {
public:
    PlaceTable() = default;
    PlaceTable(PlaceTable&& other) noexcept { swap(other); }
    PlaceTable& operator=(PlaceTable&& other) noexcept {
        PlaceTable taken(std::move(other));
        swap(taken);
        return *this;
    }
    PlaceTable(const PlaceTable&) = delete;
    PlaceTable& operator=(const PlaceTable&) = delete;
    ~PlaceTable() = default;
    void swap(PlaceTable& other) noexcept {
        memory_.swap(other.memory_);
        std::swap(places_, other.places_);
        std::swap(mask_, other.mask_);
        std::swap(size_, other.size_);
    }

    std::size_t size() const noexcept { return size_; }
    std::size_t memory_usage() const noexcept { return memory_.memory_usage(); }
    /// The next insert() throws nothing. @throws what the allocator throws; strong
    void reserve_one() {
        if (2 * (size_ + 1) > memory_.size()) grow();
    }
    /// @pre reserve_one() was called; the place is taken
    void insert(const Place& place) noexcept {
        std::size_t at = place.home();
        while (memory_[at & mask_].taken()) ++at;
        memory_[at & mask_] = place;
        ++size_;
    }

protected:
    /// For the lookups, which differ by an instruction or two that matter.
    SLOTWISE_ALWAYS_INLINE const Place& at(std::size_t home) const noexcept { return places_[home & mask_]; }

private:
    /// What an empty table reads, so that a lookup need not ask whether there is memory.
    static constexpr Place none{};
    SLOTWISE_COLD void grow() {
        PlaceTable larger;
        larger.memory_.resize(memory_.empty() ? 16 : 2 * memory_.size());
        larger.places_ = larger.memory_.data();
        larger.mask_ = larger.memory_.size() - 1;
        for (const Place& place : memory_)
            if (place.taken()) larger.insert(place);
        swap(larger);
    }

    PlainVector<Place> memory_{};
    const Place* places_ = &none; // memory_, if there is some
    std::size_t mask_ = 0;
    std::size_t size_ = 0;
};

struct NumberPlace {
    std::uint64_t key = 0, value = 0;
    bool taken() const noexcept { return value != 0; }
    std::size_t home() const noexcept { return home_of(key); }
    /// The high half of a product (Knuth's multiplicative hashing): one multiplication. Keys are addresses and hashes.
    static std::size_t home_of(std::uint64_t key) noexcept { return bits::to_size((key * 0x9E37'79B9'7F4A'7C15u) >> 32); }
};
/// From 64-bit keys to values that are not 0. A key may be there more than once: find() asks `same` which it is.
class NumberTable : public PlaceTable<NumberPlace> {
public:
    /// The value of `key` that same(value) accepts; 0 if there is none.
    template <class Same>
    SLOTWISE_ALWAYS_INLINE std::uint64_t find(std::uint64_t key, Same&& same) const noexcept {
        for (std::size_t home = NumberPlace::home_of(key);; ++home) {
            const NumberPlace& place = at(home);
            if (place.key == key && place.value != 0 && same(place.value)) [[likely]]
                return place.value;
            if (place.value == 0) return 0;
        }
    }
    /// @pre reserve_one() was called; value != 0
    void insert(std::uint64_t key, std::uint64_t value) noexcept { PlaceTable::insert({key, value}); }
};

struct TypePlace {
    std::uint64_t hash = 0;
    const void* mark = nullptr; // null: no type is here
    std::uint64_t value = 0, unused = 0;
    bool taken() const noexcept { return mark != nullptr; }
    /// The hash as it is, so that an operation of one entity finds its component by ten instructions.
    std::size_t home() const noexcept { return bits::to_size(hash); }
};
/// From C++ types to values that are not 0. A type is its mark, an address, with its hash: when a library was unloaded, the
/// address may be that of another type.
class TypeTable : public PlaceTable<TypePlace> {
public:
    /// The value of a type; 0 if there is none.
    SLOTWISE_ALWAYS_INLINE std::uint64_t find(std::uint64_t hash, const void* mark) const noexcept {
        for (std::size_t home = bits::to_size(hash);; ++home) {
            const TypePlace& place = at(home);
            if (place.hash == hash && place.mark == mark) [[likely]] {
                SLOTWISE_ASSUME(place.value != 0); // callers ask whether it was found
                return place.value;
            }
            if (place.mark == nullptr) return 0;
        }
    }
    /// @pre reserve_one() was called; the type is not here; value != 0
    void insert(std::uint64_t hash, const void* mark, std::uint64_t value) noexcept {
        PlaceTable::insert({hash, mark, value, 0});
    }
};

} // namespace detail

SLOTWISE_END

#endif
