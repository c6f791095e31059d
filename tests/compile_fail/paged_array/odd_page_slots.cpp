// expect: page_slots must be 0 or a power of two of at least 64
// covers: memory/paged_array.hpp static_assert "a power of two of at least 64"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/paged_array.hpp>

using namespace slotwise;

int main() {
    PagedArray<int, std::allocator<int>, 128> pages;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    PagedArray<int, std::allocator<int>, 100> odd;
#endif
    return static_cast<int>(pages.capacity());
}
