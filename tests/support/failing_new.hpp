// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The global operator new of a test program, which can fail: see run_out_of_memory(). Include it in one source of a program.
#ifndef SLOTWISE_TESTS_SUPPORT_FAILING_NEW_HPP
#define SLOTWISE_TESTS_SUPPORT_FAILING_NEW_HPP

#include "thrown.hpp"

#include <cstdlib>

const bool test::operator_new_can_fail = true;

// Not inlined: g++ would see free() given what it takes for memory of the standard operator new.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    test::HeapBudget::spend();
    if (void* memory = std::malloc(bytes != 0 ? bytes : 1)) return memory;
    TEST_THROW(std::bad_alloc());
}
// What std::stable_sort takes: with a sanitizer it would be the sanitizer's, and the operator delete below not its match.
// Not inlined: g++ would see free() given what it takes for memory of the standard operator new.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return std::malloc(bytes != 0 ? bytes : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

#endif
