// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/allocator.hpp>

using namespace slotwise;

//=== flat_array_of_owners ===//
// expect: static assertion failed || static_assert failed
struct Owner {
    ~Owner() {}
};

detail::FlatArray<int, std::allocator<int>> numbers;
detail::FlatArray<Owner, std::allocator<Owner>> owners; // faulty
