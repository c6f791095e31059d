// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// KeySet under every kind of allocator.
#include "subjects.hpp"

using namespace test;

TEST_CASE("KeySet: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<Keyed<KeySets<Tracked, NumberHash, EqualTo, at_once>>>();
}
