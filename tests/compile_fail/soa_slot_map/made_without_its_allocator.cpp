// expect: is_default_constructible
// covers: map/soa_slot_map.hpp requires "std::is_default_constructible_v<Allocator>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/soa_slot_map.hpp>

#include "../arena.hpp"

using namespace slotwise;

using Map = BasicSoaSlotMap<SlotMapOptions{}, test::Arena<std::byte>, int>;

int main() {
    int memory = 0;
    Map map(test::Arena<std::byte>{&memory});
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    Map other;
#endif
    return static_cast<int>(map.size());
}
