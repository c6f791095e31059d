// expect: one occupancy word covers 64 slots
// covers: memory/paged_array.hpp static_assert "a power of two of at least 64"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/paged_array.hpp>

using namespace slotwise;

int main() {
    PagedArray<int, std::allocator<int>, 64> pages;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    PagedArray<int, std::allocator<int>, 32> small;
#endif
    return static_cast<int>(pages.capacity());
}
