// expect: deferred_erase
// covers: keyed/map_storage.hpp requires "(O.deferred_erase)"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

int main() {
    MapStorage<int, int, DefaultHash<int>, EqualTo, KeySetOptions{.deferred_erase = true}> deferring;
    deferring[1] = 2;
    deferring.remove(deferring.begin());
    MapStorage<int, int> map;
    map[1] = 2;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.remove(map.begin());
#endif
    return static_cast<int>(map.size());
}
