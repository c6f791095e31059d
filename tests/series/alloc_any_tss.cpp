// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyTSSStorage under every kind of allocator.
// Compiled with SLOTWISE_TEST_REST too, see support/bounds.hpp.
#include "any_subjects.hpp"

using namespace test;

TEST_CASE("AnyTSSStorage: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<DescribedTimes<false>>();
}
