// expect: read-only || not assignable
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;

int main() {
    TSDStorage<int, int> dict;
    dict.write(1).set(1, 2);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    *dict.get(1) = 3;
#endif
    return *dict.get(1);
}
