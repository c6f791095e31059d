// expect: builds_from
// covers: map/slot_map_core.hpp requires "builds_from<value_type &&>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

struct Fixed {
    int id = 0;
    explicit Fixed(int name) : id(name) {}
    Fixed(const Fixed&) = delete;
    Fixed& operator=(const Fixed&) = delete;
    bool operator==(const Fixed&) const = default;
};

int main() {
    SlotMap<Fixed> map;
    map.emplace(1);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.insert(Fixed(2));
#endif
    return static_cast<int>(map.size());
}
