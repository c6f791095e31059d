// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// EventQueue and RelationMap under every kind of allocator.
// Compiled with SLOTWISE_TEST_REST too, see support/bounds.hpp.
#include "ecs/subjects.hpp"

using namespace test;

TEST_CASE("EventQueue: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<EventQueues>();
}

TEST_CASE("RelationMap: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<RelationMaps>();
}
