// expect: is_const_v || could not convert || no viable conversion || conversion from
// covers: keyed/keyed_iterator.hpp requires "std::is_const_v<Owner>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

int main() {
    MapStorage<int, int> map;
    MapStorage<int, int>::const_iterator reader(map.begin());
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    MapStorage<int, int>::iterator writer(reader);
#endif
    return reader == map.end();
}
