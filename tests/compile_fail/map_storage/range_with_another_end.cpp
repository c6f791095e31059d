// expect: sentinel_for
// covers: keyed/map_storage.hpp requires "std::sentinel_for<It> End"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

int main() {
    std::pair<int, int> items[] = {{1, 2}};
    MapStorage<int, int> map(items, items + 1);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    MapStorage<int, int> other(items, 2.5);
#endif
    return static_cast<int>(map.size());
}
