// expect: is_constructible
// covers: keyed/map_storage.hpp requires "(std::is_constructible_v<T, V>)"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

int main() {
    MapStorage<int, int> map;
    map.insert(1, 2);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.insert(2, "two");
#endif
    return static_cast<int>(map.size());
}
