// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "arena.hpp"

#include <slotwise/memory/reserved_array.hpp>

using namespace slotwise;

//=== more_than_the_address_space ===//
// expect: more than half of the address space
template <std::size_t MaxSlots>
using Array = ReservedArray<int, std::allocator<int>, MaxSlots>;

Array<1000> fits;
fits.reserve(1);
Array<(std::size_t{1} << (sizeof(std::size_t) * 8 - 2))> refused; // faulty
refused.reserve(1);                                               // faulty

//=== stricter_than_a_page ===//
// expect: aligned more strictly than a page of virtual memory
struct alignas(4096) Page {};
struct alignas(8192) TwoPages {};

ReservedArray<Page> pages;
pages.reserve(1);
ReservedArray<TwoPages> refused; // faulty
refused.reserve(1);              // faulty

//=== made_without_its_allocator ===//
// expect: is_default_constructible
int memory = 0;
ReservedArray<int, test::Arena<int>> array(test::Arena<int>{&memory});
array.reserve(1);
ReservedArray<int, test::Arena<int>> other; // faulty
