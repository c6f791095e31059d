// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// An allocator with a number that works in constant expressions: two are equal when their numbers are. It does not propagate
// and, as std::pmr::polymorphic_allocator, cannot be assigned; containers with two of them move their elements one by one.
#ifndef SLOTWISE_TESTS_SUPPORT_CONSTANT_ALLOCATOR_HPP
#define SLOTWISE_TESTS_SUPPORT_CONSTANT_ALLOCATOR_HPP

#include <cstddef>
#include <memory>
#include <type_traits>

namespace test {

template <class T>
class NumberedAllocator {
public:
    using value_type = T;
    using is_always_equal = std::false_type;

    constexpr NumberedAllocator() noexcept = default;
    constexpr explicit NumberedAllocator(int number) noexcept : number_(number) {}
    constexpr NumberedAllocator(const NumberedAllocator&) noexcept = default;
    template <class U>
    constexpr NumberedAllocator(const NumberedAllocator<U>& other) noexcept : number_(other.number()) {}
    NumberedAllocator& operator=(const NumberedAllocator&) = delete;
    constexpr ~NumberedAllocator() = default;

    constexpr T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
    constexpr void deallocate(T* data, std::size_t count) noexcept { std::allocator<T>().deallocate(data, count); }
    constexpr int number() const noexcept { return number_; }
    template <class U>
    friend constexpr bool operator==(const NumberedAllocator& a, const NumberedAllocator<U>& b) noexcept {
        return a.number() == b.number();
    }

private:
    int number_ = 0;
};

} // namespace test

#endif
