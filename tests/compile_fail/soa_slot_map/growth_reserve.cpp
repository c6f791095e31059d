// expect: Growth::reserve is for SlotMap
// covers: map/soa_slot_map.hpp static_assert "Growth::reserve is for SlotMap"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/soa_slot_map.hpp>

using namespace slotwise;

int main() {
    SoaSlotMap<int> map;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    BasicSoaSlotMap<SlotMapOptions{.growth = Growth::reserve}, std::allocator<std::byte>, int> other;
#endif
    return static_cast<int>(map.size());
}
