// expect: ValueArray<T>: T must be a non-const object type whose destructor does not throw
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/slots/value_array.hpp>

using namespace slotwise;

int main() {
    ValueArray<int> column;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    ValueArray<const int> constants;
#endif
    return column.pages().shift == 0;
}
