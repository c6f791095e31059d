// expect: read-only || cannot assign
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

using namespace slotwise;

int main() {
    KeySet<int> set;
    const auto keys = set.keys();
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    keys[set.insert(1).slot] = 2;
#endif
    return keys.contains(0);
}
