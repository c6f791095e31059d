// expect: use of deleted function || call to deleted constructor || no matching function for call
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

#include <memory>

using namespace slotwise;

int main() {
    KeySet<std::unique_ptr<int>> set;
    KeySet<std::unique_ptr<int>> moved(std::move(set));
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    KeySet<std::unique_ptr<int>> copy(moved);
#endif
    return static_cast<int>(moved.size());
}
