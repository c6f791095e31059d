// expect: use of deleted function || call to deleted || ValueArray
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

#include <memory>

using namespace slotwise;

int main() {
    MapStorage<int, std::unique_ptr<int>> map;
    map[1] = std::make_unique<int>(1);
    auto moved = std::move(map);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    auto copy = moved;
#endif
    return static_cast<int>(moved.size());
}
