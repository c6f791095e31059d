// expect: is_invocable
// covers: map/slot_map_core.hpp requires "std::is_invocable_v<F, handle_type>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

int main() {
    SlotMap<int> map;
    map.insert_with([](SlotMap<int>::handle_type) { return 1; });
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.insert_with([] { return 1; });
#endif
    return static_cast<int>(map.size());
}
