// expect: constructible_from
// covers: core/versioned.hpp requires "std::constructible_from<T, U &&>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/versioned.hpp>

using namespace slotwise;

int main() {
    Versioned<int> number(1);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    Versioned<int> text("one");
#endif
    return number.get();
}
