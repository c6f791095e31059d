// expect: Growth::reserve
// covers: map/slot_map.hpp requires "O.growth == Growth::reserve"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

int main() {
    SlotMap<int, SlotMapOptions{.growth = Growth::reserve}> reserved;
    SlotMap<int> map;
    auto size = reserved.slot_span().size();
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    size += map.slot_span().size();
#endif
    return static_cast<int>(size + map.size());
}
