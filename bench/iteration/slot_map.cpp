// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// By for_each (runs over contiguous live elements), by iterator, and in reserved address space.
#include "workload.hpp"

#include "../support/slot_map.hpp"

namespace {

using namespace bench;

const Registered registered([] {
    iteration::add_contender<SlotMap>("SlotMap.for_each", Role::ours);
    iteration::add_contender<SlotMapIterator>("SlotMap.iterator", Role::ours);
    iteration::add_contender<SlotMapReserve>("SlotMap_reserve.for_each", Role::ours);
});

} // namespace
