// expect: is_assignable
// covers: keyed/map_storage.hpp requires "std::is_assignable_v<T&, V>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

struct Fixed {
    Fixed(int) {}
    Fixed(const Fixed&) = default;
    Fixed& operator=(const Fixed&) = delete;
};

int main() {
    MapStorage<int, Fixed> map;
    map.insert(1, Fixed(2));
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.insert_or_assign(1, Fixed(3));
#endif
    return static_cast<int>(map.size());
}
