// expect: ValueArray<T>: T must be a non-const object type whose destructor does not throw
// covers: slots/value_array.hpp static_assert "T must be a non-const object type"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

int main() {
    MapStorage<int, int> map;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    MapStorage<int, const int> constants;
#endif
    return static_cast<int>(map.size());
}
