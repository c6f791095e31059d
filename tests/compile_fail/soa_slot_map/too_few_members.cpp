// expect: sizeof...
// covers: map/soa_slot_map.hpp requires "sizeof...(Args) == sizeof...(Ts)"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/soa_slot_map.hpp>

using namespace slotwise;

int main() {
    SoaSlotMap<int, float> map;
    map.insert(1, 2.5f);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.insert(1);
#endif
    return static_cast<int>(map.size());
}
