// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetStorage under every kind of allocator.
// Compiled with SLOTWISE_TEST_REST too, see support/bounds.hpp.
#include "subjects.hpp"

using namespace test;

TEST_CASE("SetStorage: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<Keyed<SetStorages<Tracked, NumberHash, EqualTo, at_once>>>();
    alloc_matrix<Keyed<SetStorages<Tracked, NumberHash, EqualTo, deferred>>>();
}
