// expect: same_as
// covers: map/slot_map_core.hpp requires "std::same_as<handle_type>... Handles"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

int main() {
    SlotMap<int> map;
    map.get_many(map.insert(1), map.insert(2));
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.get_many(1, 2);
#endif
    return static_cast<int>(map.size());
}
