// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Sparse walks, over occupancy words: by for_each (runs of contiguous live elements), by iterator, and in reserved address space.
#include "workload.hpp"

#include "../support/slot_map.hpp"

namespace {

using namespace bench;

const Registered registered([] {
    iteration::add_contender<SlotMap>("SlotMap.sparse", Role::ours);
    iteration::add_contender<SlotMapIterator>("SlotMap.sparse_iterator", Role::ours);
    iteration::add_contender<SlotMapReserve>("SlotMap_reserve.sparse", Role::ours);
});

} // namespace
