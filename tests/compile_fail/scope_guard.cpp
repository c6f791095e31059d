// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/scope_guard.hpp>

using namespace slotwise;

//=== copied ===//
// expect: use of deleted function || call to deleted constructor
int undone = 0;
ScopeGuard guard([&]() noexcept { ++undone; });
ScopeGuard copy(guard); // would undo twice // faulty
guard.dismiss();
return undone;
