// expect: discards qualifiers || no viable overloaded operator[]
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

int main() {
    MapStorage<int, int> map;
    map[1] = 2;
    const auto& reader = map;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    return reader[1];
#endif
    return reader.at(1);
}
