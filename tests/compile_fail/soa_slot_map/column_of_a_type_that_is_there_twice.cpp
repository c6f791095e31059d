// expect: T must name exactly one member; use column<I>()
// covers: map/soa_slot_map.hpp static_assert "T must name exactly one member"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/soa_slot_map.hpp>

using namespace slotwise;

int main() {
    SoaSlotMap<int, int, float> map;
    auto size = map.column<float>().size() + map.column<1>().size();
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    size += map.column<int>().size();
#endif
    return static_cast<int>(size);
}
