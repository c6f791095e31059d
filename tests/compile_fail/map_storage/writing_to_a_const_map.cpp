// expect: read-only || cannot assign
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

int main() {
    MapStorage<int, int> map;
    map[1] = 2;
    map.at(1) = 3;
    const auto& reader = map;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    reader.at(1) = 4;
#endif
    return reader.at(1);
}
