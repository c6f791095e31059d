// expect: is_const_v
// covers: map/map_iterator.hpp requires "std::is_const_v<Core>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

int main() {
    SlotMap<int> map;
    SlotMap<int>::const_iterator reader(map.begin());
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    SlotMap<int>::iterator writer(reader);
#endif
    return reader == map.end();
}
