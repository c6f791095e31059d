// expect: builds_from
// covers: map/slot_map_core.hpp requires "builds_from<value_type &&>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

#include "../fixed.hpp"

using namespace slotwise;
using test::Fixed;

int main() {
    SlotMap<Fixed> map;
    map.emplace(1);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.insert(Fixed(2));
#endif
    return static_cast<int>(map.size());
}
