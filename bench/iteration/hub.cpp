// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#if SLOTWISE_BENCH_HAS_HUB

// Sparse walks: over a mask of 64 bits a block.
#include "workload.hpp"

#include "../support/hive.hpp"

namespace {

using namespace bench;

const Registered registered([] {
    iteration::add_contender<Hub>("boost_hub.sparse_iterator", Role::rival);
    iteration::add_contender<HubForEach>("boost_hub.sparse", Role::rival);
});

} // namespace

#endif
