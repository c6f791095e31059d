// expect: the map's handles have another type
// covers: slots/slot_follower.hpp static_assert "the map's handles have another type"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

int main() {
    SlotMap<int> ints;
    SlotMap<long> longs;
    SecondaryMap<SlotMap<int>::handle_type, int> names;
    names.attach_to(ints);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    names.attach_to(longs);
#endif
    return static_cast<int>(names.size() + longs.size());
}
