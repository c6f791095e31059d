// expect: use of deleted function || call to deleted || implicitly-deleted
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tss_storage.hpp>

using namespace slotwise;

int main() {
    TSSStorage<int> set;
    auto writer = set.write(1);
    auto moved = std::move(writer);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    auto copy = moved;
#endif
    return moved.is_open();
}
