// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// An allocator that needs to know its memory: no container makes one by itself.
#ifndef SLOTWISE_TESTS_COMPILE_FAIL_ARENA_HPP
#define SLOTWISE_TESTS_COMPILE_FAIL_ARENA_HPP

#include <memory>

namespace test {

template <class T>
struct Arena {
    using value_type = T;
    explicit Arena(int*) {}
    template <class U>
    Arena(const Arena<U>&) {}
    T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
    void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
    friend bool operator==(const Arena&, const Arena&) = default;
};

} // namespace test

#endif
