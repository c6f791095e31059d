// expect: this is no Key and does not convert to one
// covers: keyed/key_set.hpp static_assert "this is no Key"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

using namespace slotwise;

int main() {
    KeySet<int> set;
    KeySet<long> other;
    bool found = set.contains(set.handle_of(1));
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    found = set.contains(other.handle_of(1));
#endif
    return found + static_cast<int>(other.size());
}
