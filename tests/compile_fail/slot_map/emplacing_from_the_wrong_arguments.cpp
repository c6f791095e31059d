// expect: builds_from
// covers: map/slot_map_core.hpp requires "builds_from<Args...>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

#include <string>

using namespace slotwise;

int main() {
    SlotMap<std::string> map;
    map.emplace(std::size_t{3}, 'x');
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.emplace(map);
#endif
    return static_cast<int>(map.size());
}
