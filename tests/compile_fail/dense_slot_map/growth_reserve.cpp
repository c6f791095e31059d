// expect: Growth::reserve is for SlotMap
// covers: map/dense_slot_map.hpp static_assert "Growth::reserve is for SlotMap"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/dense_slot_map.hpp>

using namespace slotwise;

int main() {
    DenseSlotMap<int> map;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    DenseSlotMap<int, SlotMapOptions{.growth = Growth::reserve}> other;
#endif
    return static_cast<int>(map.size());
}
