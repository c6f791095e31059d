// expect: convertible_to
// covers: map/soa_slot_map.hpp requires "std::convertible_to<Us*, Ts*>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/soa_slot_map.hpp>

using namespace slotwise;

int main() {
    SoaSlotMap<int> map;
    SoaPointer<int> writer = map.get({});
    SoaPointer<const int> reader(writer);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    writer = SoaPointer<int>(reader);
#endif
    return reader == nullptr;
}
