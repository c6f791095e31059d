// expect: discards qualifiers || is a private member || is not accessible || inaccessible || no matching member function || not marked const
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

int main() {
    MapStorage<int, int> map;
    bool found = map.as_set().contains(1);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.as_set().insert(1); // would have no value
#endif
    return found;
}
