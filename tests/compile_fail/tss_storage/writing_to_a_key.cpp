// expect: read-only || const-qualified
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tss_storage.hpp>

using namespace slotwise;

int main() {
    TSSStorage<int> set;
    set.write(1).add(1);
    int sum = 0;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    for (auto& key : set) key = 2;
#endif
    for (auto& key : set) sum += key;
    return sum;
}
