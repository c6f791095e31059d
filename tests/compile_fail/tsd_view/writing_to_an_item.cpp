// expect: read-only || const-qualified
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;

int main() {
    TSDStorage<int, int> dict;
    dict.write(1).set(1, 2);
    int sum = 0;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    for (auto [key, value] : dict.view().modified_items(1)) value = key;
#endif
    for (auto [key, value] : dict.view().modified_items(1)) sum += key + value;
    return sum;
}
