// expect: name at least one member type
// covers: map/soa_slot_map.hpp static_assert "name at least one member type"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/soa_slot_map.hpp>

using namespace slotwise;

int main() {
    SoaSlotMap<int> map;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    SoaSlotMap<> other;
#endif
    return static_cast<int>(map.size());
}
