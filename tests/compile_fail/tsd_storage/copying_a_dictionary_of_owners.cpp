// expect: use of deleted function || call to deleted || ValueArray
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

#include <memory>

using namespace slotwise;

int main() {
    TSDStorage<int, std::unique_ptr<int>> dict;
    auto moved = std::move(dict);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    auto copy = moved;
#endif
    return static_cast<int>(moved.size());
}
