// expect: could not convert || no matching function || no viable conversion || conversion from
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_view.hpp>

using namespace slotwise;

int elements(MapView<int, int> view) { return static_cast<int>(view.size()); }

int main() {
    MapStorage<int, int> map;
    MapStorage<int, long> other;
    int sum = elements(map) + static_cast<int>(other.size());
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    sum += elements(other);
#endif
    return sum;
}
