// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// By iterator where elements are erased, else by pointer, as a user who never erases would.
#if SLOTWISE_BENCH_HAS_HUB

#include "workload.hpp"

#include "../support/hive.hpp"

namespace {

using namespace bench;

const Registered registered([] {
    slot_map::add_contender<HubPointers>("boost_hub", Role::rival, slot_map::insert_row | slot_map::clear_row);
    slot_map::add_contender<HubPointers>("boost_hub_unchecked", Role::limit, slot_map::lookup_row);
    slot_map::add_contender<Hub>("boost_hub", Role::rival, slot_map::erase_row);
});

} // namespace

#endif
