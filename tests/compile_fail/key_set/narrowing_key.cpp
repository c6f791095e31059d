// expect: Explicit constructors and narrowing do not count
// covers: keyed/key_set.hpp static_assert "this is no Key"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

using namespace slotwise;

int main() {
    const KeySet<unsigned char> set;
    bool found = set.contains(44);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    found = set.contains(44.9);
#endif
    return found;
}
