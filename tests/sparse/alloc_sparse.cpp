// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sparse containers under every kind of allocator.
// Compiled with SLOTWISE_TEST_REST too, see support/bounds.hpp.
#include "subjects.hpp"

using namespace test;

TEST_CASE("EntityIndex: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<EntityIndices>();
}

TEST_CASE("SparseSet: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<SparseSets>();
}

TEST_CASE("SparseMap: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<SparseMaps<>>();
}

TEST_CASE("SwitchMap: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<Switches<>>();
}
