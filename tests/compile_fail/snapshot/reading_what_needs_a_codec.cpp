// expect: restore(): the element type is not trivially copyable; pass a codec
// covers: slots/snapshot.hpp static_assert "restore(): the element type is not trivially copyable"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

#include <string>

using namespace slotwise;

int main() {
    SlotMap<int> ints;
    SlotMap<std::string> strings;
    ints.restore(ints.snapshot());
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    strings.restore(ints.snapshot());
#endif
    return static_cast<int>(strings.size());
}
