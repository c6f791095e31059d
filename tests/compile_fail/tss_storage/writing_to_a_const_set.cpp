// expect: use of deleted function || call to deleted
// expect: write
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tss_storage.hpp>

using namespace slotwise;

int main() {
    TSSStorage<int> set;
    set.write(1).add(1);
    const auto& reader = set;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    reader.write(2).add(2);
#endif
    return static_cast<int>(reader.size());
}
