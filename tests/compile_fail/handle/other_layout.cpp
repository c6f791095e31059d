// expect: no match for || invalid operands
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/handle.hpp>

using namespace slotwise;

int main() {
    const Handle<int> handle(1, 3);
    bool equal = handle == Handle<int>(1, 3);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    equal = handle == Handle<int, HandleLayout{16, 16, 0}>(1, 3);
#endif
    return equal;
}
