// expect: read-only || cannot assign
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

int main() {
    MapStorage<int, int> map;
    map[1] = 2;
    map.begin()->value = 3;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.begin()->key = 3;
#endif
    return map.at(1);
}
