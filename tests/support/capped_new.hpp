// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The global operator new of a test program, which counts the bytes that are out, and refuses more than a cap. It can also fail
// as that of failing_new.hpp does. Include it in one source of a program, and failing_new.hpp in none.
//
//     test::HeapCap cap(std::size_t{1} << 20);    // from here to the end of the block, 1 MiB more than there is
#ifndef SLOTWISE_TESTS_SUPPORT_CAPPED_NEW_HPP
#define SLOTWISE_TESTS_SUPPORT_CAPPED_NEW_HPP

#include "heap_cap.hpp"
#include "thrown.hpp"

#include <new>

namespace test {

/// What operator new answers.
inline void* taken(std::size_t bytes, std::size_t align) {
    HeapBudget::spend();
    if (void* const memory = HeapCap::take(bytes, align)) return memory;
    TEST_THROW(std::bad_alloc());
}

} // namespace test

const bool test::operator_new_can_fail = true;

// Not inlined: g++ would see free() given what it takes for memory of the standard operator new.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return test::taken(bytes, 16); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t align) {
    return test::taken(bytes, static_cast<std::size_t>(align));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return test::HeapCap::take(bytes, 16);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { test::HeapCap::give_back(memory, 16); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { test::HeapCap::give_back(memory, 16); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t align) noexcept {
    test::HeapCap::give_back(memory, static_cast<std::size_t>(align));
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t align) noexcept {
    test::HeapCap::give_back(memory, static_cast<std::size_t>(align));
}

#endif
