// expect: move_constructible
// covers: keyed/map_storage.hpp requires "std::move_constructible<Key> && std::move_constructible<T>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

#include "../fixed.hpp"

using namespace slotwise;
using test::Fixed;

int main() {
    MapStorage<int, Fixed> map;
    map.try_emplace(1, 2);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    map.insert(std::pair<int, Fixed>(2, 3));
#endif
    return static_cast<int>(map.size());
}
