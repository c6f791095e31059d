// expect: same_as
// covers: map/dense_slot_map.hpp requires "std::same_as<std::remove_const_t<P>, T>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/dense_slot_map.hpp>

using namespace slotwise;

int main() {
    DenseSlotMap<int> map;
    int* address = nullptr;
    long* other = nullptr;
    bool null = map.handle_of(address) == DenseSlotMap<int>::handle_type();
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    null = map.handle_of(other) == DenseSlotMap<int>::handle_type();
#endif
    return null + (other == nullptr);
}
