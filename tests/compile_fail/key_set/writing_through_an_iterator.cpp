// expect: read-only || cannot assign
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

using namespace slotwise;

int main() {
    KeySet<int> set{1, 2};
    int sum = 0;
    for (const int& key : set) sum += key;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    *set.begin() = 3;
#endif
    return sum;
}
