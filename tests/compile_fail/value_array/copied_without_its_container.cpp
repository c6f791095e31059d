// expect: use of deleted function || call to deleted constructor
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/slots/value_array.hpp>

using namespace slotwise;

int main() {
    ValueArray<int> column;
    ValueArray<int> copy(column, Occupancy());
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    ValueArray<int> blind(column);
#endif
    return copy.pages().shift == 0;
}
