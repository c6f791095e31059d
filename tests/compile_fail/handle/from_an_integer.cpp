// expect: no match for || no viable overloaded
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/handle.hpp>

using namespace slotwise;

int main() {
    Handle<int> handle = Handle<int>::from_bits(7);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    handle = 7;
#endif
    return static_cast<int>(handle.index());
}
