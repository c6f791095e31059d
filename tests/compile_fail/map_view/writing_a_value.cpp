// expect: read-only || cannot assign
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_view.hpp>

using namespace slotwise;

int main() {
    MapStorage<int, int> map;
    map[1] = 2;
    const MapView<int, int> view = map;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    *view.get(1) = 3;
#endif
    return view.at(1);
}
