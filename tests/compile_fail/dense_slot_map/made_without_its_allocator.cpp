// expect: is_default_constructible
// covers: map/dense_slot_map.hpp requires "std::is_default_constructible_v<Allocator>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/dense_slot_map.hpp>

#include "../arena.hpp"

using namespace slotwise;

int main() {
    int memory = 0;
    DenseSlotMap<int, SlotMapOptions{}, test::Arena<int>> map(test::Arena<int>{&memory});
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    DenseSlotMap<int, SlotMapOptions{}, test::Arena<int>> other;
#endif
    return static_cast<int>(map.size());
}
