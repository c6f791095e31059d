// expect: read-only || cannot assign
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_view.hpp>

using namespace slotwise;

int main() {
    MapStorage<int, int> map;
    map[1] = 2;
    const MapView<int, int> view = map;
    int sum = 0;
    for (const auto [key, value] : view) sum += key + value;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    for (auto [key, value] : view) value = key;
#endif
    return sum;
}
