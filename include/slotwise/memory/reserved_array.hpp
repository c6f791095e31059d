// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ReservedArray: contiguous, growable and stable at once. Address space for every slot is reserved at the first use, memory
// is committed as it is needed. GrowingArray: this or a PagedArray. SteadyArray: bookkeeping that does not move.
#ifndef SLOTWISE_MEMORY_RESERVED_ARRAY_HPP
#define SLOTWISE_MEMORY_RESERVED_ARRAY_HPP

#include "paged_array.hpp"

#if SLOTWISE_VIRTUAL_MEMORY
#if defined(_WIN32)
// Declared here because <windows.h> brings thousands of macros into user code. Its SIZE_T is not std::size_t on 32-bit Windows.
#if defined(_WIN64)
extern "C" __declspec(dllimport) void* __stdcall VirtualAlloc(void*, unsigned long long, unsigned long, unsigned long);
extern "C" __declspec(dllimport) int __stdcall VirtualFree(void*, unsigned long long, unsigned long);
#else
extern "C" __declspec(dllimport) void* __stdcall VirtualAlloc(void*, unsigned long, unsigned long, unsigned long);
extern "C" __declspec(dllimport) int __stdcall VirtualFree(void*, unsigned long, unsigned long);
#endif
#else
#include <sys/mman.h>
#endif
#endif

SLOTWISE_BEGIN
#if SLOTWISE_VIRTUAL_MEMORY
namespace detail {

/// The four calls on virtual memory. Sizes are multiples of virtual_grain.
inline constexpr std::size_t virtual_grain = std::size_t{1} << 16; // Windows' allocation grain; a multiple of every page size

#if defined(_WIN32)
inline void* virtual_reserve(std::size_t bytes) noexcept { return ::VirtualAlloc(nullptr, bytes, 0x2000, 0x01); }
inline bool virtual_commit(void* data, std::size_t bytes) noexcept {
    return ::VirtualAlloc(data, bytes, 0x1000, 0x04) != nullptr;
}
inline void virtual_decommit(void* data, std::size_t bytes) noexcept { ::VirtualFree(data, bytes, 0x4000); }
inline void virtual_release(void* data, std::size_t) noexcept { ::VirtualFree(data, 0, 0x8000); }
#else
inline void* virtual_reserve(std::size_t bytes) noexcept {
    // PROT_NONE private memory is not counted against the overcommit limit until it is made writable.
    void* data = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return data == MAP_FAILED ? nullptr : data;
}
inline bool virtual_commit(void* data, std::size_t bytes) noexcept {
    return ::mprotect(data, bytes, PROT_READ | PROT_WRITE) == 0;
}
inline void virtual_decommit(void* data, std::size_t bytes) noexcept {
    // Mapping fresh pages over the old ones drops both memory and commit charge in one call that cannot lose the range.
    if (::mmap(data, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        ::madvise(data, bytes, MADV_DONTNEED);
}
inline void virtual_release(void* data, std::size_t bytes) noexcept { ::munmap(data, bytes); }
#endif

} // namespace detail

/// Raw memory for slots 0 to capacity() - 1 in one run whose address never changes, up to max_slots() slots.
/// The memory comes from the system, not from the allocator. Constructs and destroys nothing.
/// The interface of PagedArray, and data().
template <class T, class Allocator = std::allocator<T>, std::size_t MaxSlots = 0>
class ReservedArray {
    using allocator = detail::rebind_t<Allocator, T>;

public:
    /// Whether all slots are one run.
    static constexpr bool contiguous = true;
    /// The slots below which values may lie apart: none.
    static constexpr std::size_t apart = 0;
    /// Bytes of address space for values without a limit. Large, but many such arrays fit.
    static constexpr std::size_t default_bytes = std::size_t{1} << (sizeof(std::size_t) >= 8 ? 36 : 28);
    /// Slots of address space reserved: MaxSlots, or by default 64 GiB of values (where a pointer has 32 bits: 256 MiB), at
    /// most every slot a handle can name.
    static constexpr std::size_t max_slots =
        MaxSlots != 0 ? MaxSlots : (default_bytes / sizeof(T) < no_slot ? default_bytes / sizeof(T) : no_slot);

    ReservedArray() noexcept(noexcept(Allocator()))
        requires std::is_default_constructible_v<Allocator>
    = default;
    /// Makes an empty one. The allocator gives no memory; it is kept for what builds the values.
    explicit ReservedArray(const Allocator& alloc) noexcept : allocator_(alloc) {}
    ReservedArray(ReservedArray&& other) noexcept
        : allocator_(std::move(other.allocator_)), data_(std::exchange(other.data_, nullptr)),
          committed_(std::exchange(other.committed_, 0)) {}
    ReservedArray(const ReservedArray&) = delete;
    ReservedArray& operator=(const ReservedArray&) = delete;
    ReservedArray& operator=(ReservedArray&&) = delete;
    ~ReservedArray() {
        if (data_ != nullptr) detail::virtual_release(data_, reserved_bytes);
    }

    void swap(ReservedArray& other) noexcept {
        detail::exchange_allocators(allocator_, other.allocator_);
        std::swap(data_, other.data_);
        std::swap(committed_, other.committed_);
    }

    std::size_t capacity() const noexcept {
        const std::size_t slot_count = committed_ / sizeof(T);
        return slot_count < max_slots ? slot_count : max_slots;
    }
    /// The capacity after reserve(slots).
    std::size_t capacity_for(std::size_t slot_count) const noexcept {
        const std::size_t now = capacity();
        if (slot_count <= now) return now;
        if (slot_count >= max_slots) return max_slots;
        const std::size_t room = bits::round_up(slot_count * sizeof(T), detail::virtual_grain) / sizeof(T);
        return room < max_slots ? room : max_slots;
    }
    /// Bytes held from the system, in whole grains; reserved address space is none.
    std::size_t memory_usage() const noexcept { return committed_; }
    allocator get_allocator() const noexcept { return allocator_; }
    T* data() const noexcept { return data_; }
    /// Where the values lie until the next reserve, shrink or swap.
    auto places() const noexcept {
        return [data = data_](slot_t slot) noexcept { return data + slot; };
    }
    /// Where the value of `slot` lies. @pre slot < capacity()
    T* ptr(slot_t slot) const noexcept { return places()(slot); }
    /// The run as a page table of one entry, for views.
    T* const* pages() const noexcept { return &data_; }

    /// Makes room for slots below `slots`.
    /// @throws std::length_error when slots > max_slots, std::bad_alloc when the system gives no memory; nothing has changed
    /// then
    void reserve(std::size_t slot_count) {
        static_assert(max_slots <= (static_cast<std::size_t>(-1) / 2) / sizeof(T),
                      "ReservedArray: max_slots values are more than half of the address space; give fewer");
        static_assert(alignof(T) <= 4096, "ReservedArray: T is aligned more strictly than a page of virtual memory");
        if (slot_count <= capacity()) return;
        if (slot_count > max_slots)
            detail::throw_length_error("ReservedArray::reserve(slots): slots exceeds max_slots; give a larger max_slots");
        if (data_ == nullptr) {
            data_ = static_cast<T*>(detail::virtual_reserve(reserved_bytes));
            if (data_ == nullptr)
                detail::throw_bad_alloc("ReservedArray: the system refuses the address space; give a smaller max_slots");
        }
        const std::size_t want = bits::round_up(slot_count * sizeof(T), detail::virtual_grain);
        if (!detail::virtual_commit(reinterpret_cast<std::byte*>(data_) + committed_, want - committed_))
            detail::throw_bad_alloc("ReservedArray::reserve(slots): the system refuses the memory; reserve fewer slots");
        committed_ = want;
    }

    /// The capacity that growth should ask for next.
    std::size_t grown_capacity() const noexcept {
        constexpr std::size_t most = std::size_t{1} << 24; // a commit is one system call; 16 MiB makes it free of cost
        const std::size_t step = committed_ == 0 ? detail::virtual_grain : committed_ < most ? committed_ : most;
        const std::size_t slot_count = (committed_ + step + sizeof(T) - 1) / sizeof(T);
        return slot_count < max_slots ? slot_count : max_slots;
    }

    /// The capacity after shrink(slots).
    std::size_t shrunk_capacity(std::size_t slot_count) const noexcept {
        const std::size_t keep = bits::round_up(slot_count * sizeof(T), detail::virtual_grain);
        const std::size_t left = (keep < committed_ ? keep : committed_) / sizeof(T);
        return left < max_slots ? left : max_slots;
    }
    /// Gives memory at or above `slots` back to the system; the address space stays reserved. @pre no value lives there
    void shrink(std::size_t slot_count) noexcept {
        const std::size_t keep = bits::round_up(slot_count * sizeof(T), detail::virtual_grain);
        if (keep >= committed_) return;
        detail::virtual_decommit(reinterpret_cast<std::byte*>(data_) + keep, committed_ - keep);
        committed_ = keep;
    }

    /// One, when there is any memory.
    std::size_t run_count() const noexcept { return capacity() != 0; }
    /// All slots below the capacity.
    SlotRun<T> run(std::size_t) const noexcept { return {data_, 0, capacity()}; }
    /// The slot whose value lies at `address`, or no_slot.
    slot_t slot_at(const T* address) const noexcept {
        return detail::lies_in(address, data_, capacity()) ? static_cast<slot_t>(address - data_) : no_slot;
    }

private:
    static constexpr std::size_t reserved_bytes = bits::round_up(max_slots * sizeof(T), detail::virtual_grain);

    SLOTWISE_NO_UNIQUE_ADDRESS allocator allocator_{};
    T* data_ = nullptr;
    std::size_t committed_ = 0; // bytes
};
#endif

namespace detail {

/// Raw memory by slot that grows as the options of a container say. @tparam MaxSlots see reserved_slots()
template <Growth G, class T, class Allocator, std::size_t PageSlots = 0, std::size_t MaxSlots = 0>
struct GrowingArray {
    static_assert(G == Growth::pages, "Growth::reserve needs virtual memory, which this platform lacks: use Growth::pages");
    using type = PagedArray<T, Allocator, PageSlots>;
    static constexpr std::size_t max_slots = no_slot;
};
/// The MaxSlots of an array of a container with this option whose handles index so many slots: the option, or the slots of a
/// handle where these are fewer than the default. (A map with 16-bit indexes reserves no 64 GiB.)
template <Growth G, class T>
consteval std::size_t reserved_slots([[maybe_unused]] std::size_t option, [[maybe_unused]] std::size_t indexed) {
#if SLOTWISE_VIRTUAL_MEMORY
    if constexpr (G == Growth::reserve) return option != 0 ? option : indexed < ReservedArray<T>::max_slots ? indexed : 0;
#endif
    return 0;
}
#if SLOTWISE_VIRTUAL_MEMORY
template <class T, class Allocator, std::size_t PageSlots, std::size_t MaxSlots>
struct GrowingArray<Growth::reserve, T, Allocator, PageSlots, MaxSlots> {
    using type = ReservedArray<T, Allocator, MaxSlots>;
    static constexpr std::size_t max_slots = type::max_slots;
};
#endif

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
/// A FlatArray in reserved address space, which grows in place: threads may read entries while another one grows it. resized()
/// gives a *lease*: the same memory with another size. An exchange with its array commits the lease; the destructor of the
/// lease gives back the memory that the array does not use. While one thread does all this, others may read size(), and entries
/// below it that nobody writes.
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
