// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Secondary maps, maps by numbers, identity maps and described slot maps under every kind of allocator.
// Compiled with SLOTWISE_TEST_REST too, see support/bounds.hpp.
#include "subjects.hpp"

using namespace test;

TEST_CASE("SecondaryMap: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<Secondaries<SecondaryMap>>();
}

TEST_CASE("SparseSecondaryMap: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<Secondaries<SparseSecondaryMap>>();
}

TEST_CASE("IndexMap: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<Indexes<>>();
}

TEST_CASE("IdentityMap: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<Identities<>>();
}

TEST_CASE("AnySlotMap: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<DescribedSlotMaps<>>();
}
