// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/paged_array.hpp>

using namespace slotwise;

//=== odd_page_slots ===//
// expect: page_slots must be 0 or a power of two of at least 64
PagedArray<int, std::allocator<int>, 128> pages;
PagedArray<int, std::allocator<int>, 100> odd; // faulty
return static_cast<int>(pages.capacity());

//=== page_smaller_than_a_word ===//
// expect: one occupancy word covers 64 slots
PagedArray<int, std::allocator<int>, 64> pages;
PagedArray<int, std::allocator<int>, 32> small; // faulty
return static_cast<int>(pages.capacity());
