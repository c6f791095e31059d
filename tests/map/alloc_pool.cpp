// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// HandlePool under every kind of allocator.
// Compiled with SLOTWISE_TEST_REST too, see support/bounds.hpp.
#include "subjects.hpp"

TEST_CASE("HandlePool: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    test::alloc_matrix<test::Pools<>>();
}
