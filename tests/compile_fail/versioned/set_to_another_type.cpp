// expect: no matching function || no matching member function
// covers: core/versioned.hpp requires "std::assignable_from<T&, U&&>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/versioned.hpp>

using namespace slotwise;

int main() {
    Versioned<int> value(1);
    bool changed = value.set(2L);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    changed = value.set("two");
#endif
    return changed;
}
