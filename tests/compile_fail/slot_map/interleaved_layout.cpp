// expect: write Layout::split
// covers: map/slot_map_core.hpp static_assert "write Layout::split"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

int main() {
    SlotMap<int> split;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    SlotMap<int, SlotMapOptions{.layout = Layout::interleaved}> interleaved;
#endif
    return static_cast<int>(split.size());
}
