// expect: builds_from
// covers: map/slot_map_core.hpp requires "builds_from<const value_type&>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

#include <memory>

using namespace slotwise;

int main() {
    SlotMap<std::unique_ptr<int>> map;
    const auto owner = std::make_unique<int>(1);
    map.insert(std::make_unique<int>(*owner));
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.insert(owner);
#endif
    return static_cast<int>(map.size());
}
