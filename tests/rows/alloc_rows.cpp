// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Containers of rows under every kind of allocator.
// Compiled with SLOTWISE_TEST_REST too, see support/bounds.hpp.
#include "subjects.hpp"

using namespace test;

TEST_CASE("BitColumn: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<BitColumns>();
}

TEST_CASE("TickColumn: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<TickColumns>();
}

TEST_CASE("SoaVector: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<SoaVectors<>>();
}

TEST_CASE("AnyRows: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<ManyRows<>>();
}
