// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SteadyArray: a FlatArray in reserved address space. It grows in place: threads may read entries while another one grows it.
#ifndef SLOTWISE_MEMORY_STEADY_ARRAY_HPP
#define SLOTWISE_MEMORY_STEADY_ARRAY_HPP

#include "reserved_array.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Address space for the versions of at most `slots` slots. Growth by half may ask for more slots than the limit. A power of
/// two is the same for many limits, so that containers of many types share one instantiation.
template <Growth G>
consteval std::size_t steady_slots([[maybe_unused]] std::size_t slot_count) {
#if SLOTWISE_VIRTUAL_MEMORY
    if constexpr (G == Growth::reserve) {
        const std::uint64_t most = std::uint64_t{slot_count} + slot_count / 2 + bits::word_bits;
        const std::uint64_t room = std::bit_ceil(most);
        return room < no_slot ? static_cast<std::size_t>(room) : no_slot;
    }
#endif
    return 0;
}

#if SLOTWISE_VIRTUAL_MEMORY
/// What a FlatArray offers. resized() gives a *lease*: the same memory with another size. An exchange with its array commits
/// the lease; the destructor of the lease gives back the memory that the array does not use. While one thread does all this,
/// others may read size(), and entries below it that nobody writes.
/// @tparam Slots entries of address space to reserve. More entries are possible: growth to them moves the array
template <class T, std::size_t Slots>
class SteadyArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    SteadyArray() noexcept = default;
    /// The memory comes from the system.
    template <class Allocator>
        requires(!std::is_same_v<Allocator, SteadyArray>)
    explicit SteadyArray(const Allocator&) noexcept {}
    SteadyArray(SteadyArray&& other) noexcept { swap(other); }
    SteadyArray(const SteadyArray&) = delete;
    SteadyArray& operator=(const SteadyArray&) = delete;
    SteadyArray& operator=(SteadyArray&&) = delete;
    ~SteadyArray() {
        if (data_ == nullptr) return;
        if (!leased_)
            virtual_release(data_, reserved_);
        else if (committed_ > kept_)
            virtual_decommit(reinterpret_cast<std::byte*>(data_) + kept_, committed_ - kept_);
    }

    /// The first min(size, count) values, followed by `fill` up to `count`: a lease, or a copy where there is no address space
    /// yet, or too little. @throws std::bad_alloc when the system gives no memory; this array is unchanged
    template <class Allocator>
    SteadyArray resized(std::size_t count, const T& fill, const Allocator&) const {
        const std::size_t bytes = bits::round_up(checked_bytes(count, sizeof(T), virtual_grain) - virtual_grain, virtual_grain);
        if (count == 0 && data_ == nullptr) return SteadyArray();
        SteadyArray result;
        if (bytes <= reserved_) {
            result.data_ = data_;
            result.reserved_ = reserved_;
            result.kept_ = result.committed_ = committed_;
            result.leased_ = true;
            if (bytes > committed_) result.commit(bytes);
            if (bytes < committed_) result.committed_ = bytes;
        } else
            result.take_copy(*this, bytes);
        for (std::size_t i = size_; i < count; ++i) std::construct_at(result.data_ + i, fill);
        result.size_ = count;
        return result;
    }
    /// The same values in memory of its own. @throws std::bad_alloc
    SteadyArray copied() const {
        SteadyArray result;
        if (data_ == nullptr) return result;
        result.take_copy(*this, committed_);
        result.size_ = size_;
        return result;
    }
    /// Commits `other`, a lease of this array. Otherwise exchanges the contents.
    void swap(SteadyArray& other) noexcept {
        const std::size_t size = size_;
        set_size(other.size_);
        other.set_size(size);
        std::swap(committed_, other.committed_);
        if (data_ != other.data_) { // a reader may be reading the address during growth: it is not written then
            std::swap(data_, other.data_);
            std::swap(reserved_, other.reserved_);
            std::swap(kept_, other.kept_);
            std::swap(leased_, other.leased_);
        } else
            other.kept_ = committed_;
    }

    T* data() noexcept { return data_; }
    SLOTWISE_ALWAYS_INLINE const T* data() const noexcept { return data_; }
    SLOTWISE_ALWAYS_INLINE std::size_t size() const noexcept {
#if defined(__GNUC__) || defined(__clang__)
        return __atomic_load_n(&size_, __ATOMIC_RELAXED); // not <atomic>, which costs each user of a map compile time
#else
        return *static_cast<const volatile std::size_t*>(&size_);
#endif
    }
    bool empty() const noexcept { return size() == 0; }
    /// Bytes held from the system, in whole grains; reserved address space is none.
    std::size_t memory_usage() const noexcept { return committed_; }
    SLOTWISE_ALWAYS_INLINE T& operator[](std::size_t i) noexcept { return data_[i]; }
    SLOTWISE_ALWAYS_INLINE const T& operator[](std::size_t i) const noexcept { return data_[i]; }

private:
    void set_size(std::size_t size) noexcept {
#if defined(__GNUC__) || defined(__clang__)
        __atomic_store_n(&size_, size, __ATOMIC_RELAXED);
#else
        *static_cast<volatile std::size_t*>(&size_) = size;
#endif
    }
    void commit(std::size_t bytes) {
        if (!virtual_commit(reinterpret_cast<std::byte*>(data_) + committed_, bytes - committed_))
            throw_bad_alloc("slots of Growth::reserve: the system refuses memory for their versions; reserve fewer slots");
        committed_ = bytes;
    }
    /// @pre this array is empty
    void take_copy(const SteadyArray& other, std::size_t bytes) {
        // Where a pointer has 32 bits, 64 MiB: the values need the addresses more.
        constexpr std::size_t most = ReservedArray<T>::default_bytes / (sizeof(std::size_t) >= 8 ? 1 : 4);
        constexpr std::size_t usual = Slots < most / sizeof(T) ? bits::round_up(Slots * sizeof(T), virtual_grain) : most;
        reserved_ = bytes > usual ? bytes : usual;
        data_ = static_cast<T*>(virtual_reserve(reserved_));
        if (data_ == nullptr)
            throw_bad_alloc("slots of Growth::reserve: the system refuses address space; give a smaller max_slots");
        commit(bytes);
        for (std::size_t i = 0, end = other.size_; i != end; ++i) std::construct_at(data_ + i, other.data_[i]);
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t committed_ = 0, reserved_ = 0; // bytes
    std::size_t kept_ = 0;                     // of a lease: what its array uses
    bool leased_ = false;
};
#endif

} // namespace detail
SLOTWISE_END

#endif
