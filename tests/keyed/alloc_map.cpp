// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// MapStorage under every kind of allocator.
// Compiled with SLOTWISE_TEST_REST too, see support/bounds.hpp.
#include "subjects.hpp"

using namespace test;

TEST_CASE("MapStorage: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<Keyed<MapStorages<Tracked, Tracked, NumberHash, EqualTo, deferred>>>();
}
