// expect: input_iterator
// covers: keyed/map_storage.hpp requires "std::input_iterator It"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

int main() {
    std::pair<int, int> items[] = {{1, 2}};
    MapStorage<int, int> map(items, items + 1);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    MapStorage<int, int> other(1.5, 2.5);
#endif
    return static_cast<int>(map.size());
}
