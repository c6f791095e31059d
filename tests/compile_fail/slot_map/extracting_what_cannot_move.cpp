// expect: move_constructible
// covers: map/slot_map_core.hpp requires "std::move_constructible<value_type>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

#include "../fixed.hpp"

using namespace slotwise;
using test::Fixed;

int main() {
    SlotMap<Fixed> map;
    map.erase(map.emplace(1));
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.extract(map.emplace(1));
#endif
    return static_cast<int>(map.size());
}
