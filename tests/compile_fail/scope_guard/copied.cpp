// expect: use of deleted function || call to deleted constructor
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/scope_guard.hpp>

using namespace slotwise;

int main() {
    int undone = 0;
    ScopeGuard guard([&]() noexcept { ++undone; });
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    ScopeGuard copy(guard); // would undo twice
#endif
    guard.dismiss();
    return undone;
}
