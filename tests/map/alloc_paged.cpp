// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The slot map of one storage under every kind of allocator.
// Compiled with SLOTWISE_TEST_REST too, see support/bounds.hpp.
#include "subjects.hpp"

TEST_CASE("Paged: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    test::alloc_matrix<test::SlotMaps<test::Paged>>();
}
