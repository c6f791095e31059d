// expect: use of deleted function || call to deleted
// expect: write
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;

int main() {
    TSDStorage<int, int> dict;
    dict.write(1).set(1, 2);
    const auto& reader = dict;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    reader.write(2).set(1, 3);
#endif
    return *reader.get(1);
}
