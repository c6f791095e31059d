// expect: is_default_constructible
// covers: keyed/map_storage.hpp requires "std::is_default_constructible_v<T>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

struct Weight {
    explicit Weight(int) {}
};

int main() {
    MapStorage<int, Weight> map;
    map.try_emplace(1, 5);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map[2];
#endif
    return static_cast<int>(map.size());
}
