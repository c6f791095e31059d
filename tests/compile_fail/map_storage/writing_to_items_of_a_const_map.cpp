// expect: read-only || cannot assign
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

int main() {
    MapStorage<int, int> map;
    map[1] = 2;
    for (auto [key, value] : map) value = key;
    const auto& reader = map;
    int sum = 0;
    for (auto [key, value] : reader) sum += key + value;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    for (auto [key, value] : reader) value = key;
#endif
    return sum;
}
