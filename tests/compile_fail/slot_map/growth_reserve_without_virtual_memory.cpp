// expect: needs virtual memory, which this platform lacks: use Growth::pages
// covers: map/paged_store.hpp static_assert "needs virtual memory"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#define SLOTWISE_VIRTUAL_MEMORY 0
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

int main() {
    SlotMap<int> map;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    SlotMap<int, SlotMapOptions{.growth = Growth::reserve}> other;
#endif
    return static_cast<int>(map.size());
}
