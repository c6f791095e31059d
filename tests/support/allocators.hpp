// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Allocators that check how they are used: each deallocation must match its allocation in size, alignment and allocator id.
//
//     test::EveryByteReturned scope;    // at its end: no byte more than at its begin, and no mismatch
#ifndef SLOTWISE_TESTS_SUPPORT_ALLOCATORS_HPP
#define SLOTWISE_TESTS_SUPPORT_ALLOCATORS_HPP

#include "address_table.hpp"
#include "catch.hpp"
#include "tracked.hpp"

#include <slotwise/core/scope_guard.hpp>

#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace test {

//=== the books ===//

/// Every block that an allocator of this header gave out.
class Ledger {
    struct Block {
        const void* address = nullptr;
        std::size_t bytes = 0;
        std::size_t align = 0;
        int id = 0;
        bool same(const Block& other) const noexcept { return address == other.address; }
    };

public:
    template <class T>
    static T* allocate(std::size_t count, int id) {
        const std::size_t bytes = count * sizeof(T);
        if (count == 0) error("allocated nothing");
        void* data = ::operator new(bytes, std::align_val_t{alignof(T)});
        // The book's own memory may be what runs out.
        slotwise::ScopeGuard undo([&]() noexcept { ::operator delete(data, std::align_val_t{alignof(T)}); });
        blocks().insert({data, bytes, alignof(T), id});
        live_bytes_() += bytes;
        undo.dismiss();
        ++allocations_;
        return static_cast<T*>(data);
    }
    template <class T>
    static void deallocate(T* data, std::size_t count, int id) noexcept {
        const Block* const block = blocks().find({.address = data});
        if (block == nullptr) return error("deallocated what was not allocated");
        if (block->bytes != count * sizeof(T)) error("deallocated with another size than allocated");
        if (block->align != alignof(T)) error("deallocated with another alignment than allocated");
        if (block->id != id) error("deallocated by another allocator than allocated");
        live_bytes_() -= block->bytes;
        blocks().erase({.address = data});
        ::operator delete(static_cast<void*>(data), std::align_val_t{alignof(T)});
    }

    /// Bytes given out and not returned, by all allocators.
    static std::size_t live_bytes() noexcept { return live_bytes_(); }
    /// The same, by allocators of this id.
    static std::size_t live_bytes(int id) noexcept {
        std::size_t bytes = 0;
        blocks().for_each([&](const Block& block) {
            if (block.id == id) bytes += block.bytes;
        });
        return bytes;
    }
    /// Allocations since the start of the program.
    static std::size_t allocations() noexcept { return allocations_; }
    static const std::vector<std::string>& errors() noexcept { return errors_(); }
    static void forget_errors() noexcept { errors_().clear(); }
    static void error(const char* what) { errors_().emplace_back(what); }

private:
    static AddressTable<Block>& blocks() {
        static AddressTable<Block> all;
        return all;
    }
    static std::size_t& live_bytes_() {
        static std::size_t bytes = 0;
        return bytes;
    }
    static std::vector<std::string>& errors_() {
        static std::vector<std::string> all;
        return all;
    }
    static inline std::size_t allocations_ = 0;
};

/// At its end no more bytes are out than at its begin, and every deallocation in between matched.
class EveryByteReturned {
public:
    EveryByteReturned() : before_(Ledger::live_bytes()) { Ledger::forget_errors(); }
    EveryByteReturned(const EveryByteReturned&) = delete;
    EveryByteReturned& operator=(const EveryByteReturned&) = delete;
    ~EveryByteReturned() {
        CHECK(Ledger::live_bytes() == before_);
        CHECK(Ledger::errors() == std::vector<std::string>{});
    }
    std::size_t live_bytes() const noexcept { return Ledger::live_bytes() - before_; }

private:
    std::size_t before_;
};

//=== stateful ===//

/// Which operations carry the allocator along, whether all are equal, and whether each allocation spends the budget.
struct Propagation {
    bool copy = false;
    bool move = false;
    bool swap = false;
    bool always_equal = false;
    bool throws = false;
};

/// An allocator with an id; two are equal when their ids are. A copy-constructed container gets id + copied_by (so that a test
/// sees that select_on_container_copy_construction was asked).
template <class T, Propagation P = Propagation{}>
class StatefulAllocator {
public:
    static constexpr int copied_by = 100;
    using value_type = T;
    using propagate_on_container_copy_assignment = std::bool_constant<P.copy>;
    using propagate_on_container_move_assignment = std::bool_constant<P.move>;
    using propagate_on_container_swap = std::bool_constant<P.swap>;
    using is_always_equal = std::bool_constant<P.always_equal>;
    template <class U>
    struct rebind {
        using other = StatefulAllocator<U, P>;
    };

    StatefulAllocator() noexcept = default;
    explicit StatefulAllocator(int id) noexcept : id_(P.always_equal ? 0 : id) {}
    template <class U>
    StatefulAllocator(const StatefulAllocator<U, P>& other) noexcept : id_(other.id()) {}

    T* allocate(std::size_t count) {
        if constexpr (P.throws) Budget::spend();
        return Ledger::allocate<T>(count, id_);
    }
    void deallocate(T* data, std::size_t count) noexcept { Ledger::deallocate(data, count, id_); }
    StatefulAllocator select_on_container_copy_construction() const noexcept { return StatefulAllocator(id_ + copied_by); }
    int id() const noexcept { return id_; }
    template <class U>
    friend bool operator==(const StatefulAllocator& a, const StatefulAllocator<U, P>& b) noexcept {
        return a.id() == b.id();
    }

private:
    int id_ = 0;
};

/// As StatefulAllocator, without a default constructor.
template <class T>
class NoDefaultAllocator {
public:
    using value_type = T;
    NoDefaultAllocator() = delete;
    explicit NoDefaultAllocator(int id) noexcept : id_(id) {}
    template <class U>
    NoDefaultAllocator(const NoDefaultAllocator<U>& other) noexcept : id_(other.id()) {}
    T* allocate(std::size_t count) { return Ledger::allocate<T>(count, id_); }
    void deallocate(T* data, std::size_t count) noexcept { Ledger::deallocate(data, count, id_); }
    int id() const noexcept { return id_; }
    template <class U>
    friend bool operator==(const NoDefaultAllocator& a, const NoDefaultAllocator<U>& b) noexcept {
        return a.id() == b.id();
    }

private:
    int id_;
};

/// Stateless; each allocation spends the budget.
template <class T>
class ThrowingAllocator {
public:
    static constexpr int ledger_id = -1;
    using value_type = T;
    ThrowingAllocator() noexcept = default;
    template <class U>
    ThrowingAllocator(const ThrowingAllocator<U>&) noexcept {}
    T* allocate(std::size_t count) {
        Budget::spend();
        return Ledger::allocate<T>(count, ledger_id);
    }
    void deallocate(T* data, std::size_t count) noexcept { Ledger::deallocate(data, count, ledger_id); }
    template <class U>
    friend bool operator==(const ThrowingAllocator&, const ThrowingAllocator<U>&) noexcept {
        return true;
    }
};

//=== fancy pointers ===//

/// A pointer that is not one: the least that the standard asks of a fancy pointer.
template <class T>
class FancyPtr {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using difference_type = std::ptrdiff_t;
    using pointer = FancyPtr;
    using reference = std::add_lvalue_reference_t<T>;
    using iterator_category = std::random_access_iterator_tag;
    template <class U>
    using rebind = FancyPtr<U>;

    FancyPtr() noexcept = default;
    FancyPtr(std::nullptr_t) noexcept {}
    explicit FancyPtr(T* raw) noexcept : raw_(raw) {}
    template <class U>
        requires std::is_convertible_v<U*, T*>
    FancyPtr(const FancyPtr<U>& other) noexcept : raw_(other.operator->()) {}
    template <class U>
        requires(std::is_void_v<std::remove_cv_t<U>> && !std::is_void_v<T>)
    explicit FancyPtr(const FancyPtr<U>& other) noexcept : raw_(static_cast<T*>(other.operator->())) {}

    static FancyPtr pointer_to(reference object) noexcept
        requires(!std::is_void_v<T>)
    {
        return FancyPtr(std::addressof(object));
    }
    T* operator->() const noexcept { return raw_; }
    reference operator*() const noexcept
        requires(!std::is_void_v<T>)
    {
        return *raw_;
    }
    reference operator[](difference_type i) const noexcept
        requires(!std::is_void_v<T>)
    {
        return raw_[i];
    }
    explicit operator bool() const noexcept { return raw_ != nullptr; }

    FancyPtr& operator+=(difference_type n) noexcept { return raw_ += n, *this; }
    FancyPtr& operator-=(difference_type n) noexcept { return raw_ -= n, *this; }
    FancyPtr& operator++() noexcept { return ++raw_, *this; }
    FancyPtr& operator--() noexcept { return --raw_, *this; }
    FancyPtr operator++(int) noexcept { return FancyPtr(raw_++); }
    FancyPtr operator--(int) noexcept { return FancyPtr(raw_--); }
    friend FancyPtr operator+(FancyPtr a, difference_type n) noexcept { return a += n; }
    friend FancyPtr operator+(difference_type n, FancyPtr a) noexcept { return a += n; }
    friend FancyPtr operator-(FancyPtr a, difference_type n) noexcept { return a -= n; }
    friend difference_type operator-(FancyPtr a, FancyPtr b) noexcept { return a.raw_ - b.raw_; }
    friend bool operator==(FancyPtr a, FancyPtr b) noexcept { return a.raw_ == b.raw_; }
    friend bool operator==(FancyPtr a, std::nullptr_t) noexcept { return a.raw_ == nullptr; }
    friend auto operator<=>(FancyPtr a, FancyPtr b) noexcept { return a.raw_ <=> b.raw_; }

private:
    T* raw_ = nullptr;
};

/// Gives out FancyPtr.
template <class T>
class FancyAllocator {
public:
    static constexpr int ledger_id = -2;
    using value_type = T;
    using pointer = FancyPtr<T>;
    using const_pointer = FancyPtr<const T>;
    using void_pointer = FancyPtr<void>;
    using const_void_pointer = FancyPtr<const void>;
    FancyAllocator() noexcept = default;
    template <class U>
    FancyAllocator(const FancyAllocator<U>&) noexcept {}
    pointer allocate(std::size_t count) { return pointer(Ledger::allocate<T>(count, ledger_id)); }
    void deallocate(pointer data, std::size_t count) noexcept { Ledger::deallocate(data.operator->(), count, ledger_id); }
    template <class U>
    friend bool operator==(const FancyAllocator&, const FancyAllocator<U>&) noexcept {
        return true;
    }
};

} // namespace test

#endif
