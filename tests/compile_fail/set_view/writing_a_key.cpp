// expect: read-only || cannot assign
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/set_view.hpp>

using namespace slotwise;

int main() {
    const KeySet<int> set{1, 2};
    const SetView<int> view = set;
    int sum = 0;
    for (const int& key : view) sum += key;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    *view.find(1) = 3;
#endif
    return sum;
}
