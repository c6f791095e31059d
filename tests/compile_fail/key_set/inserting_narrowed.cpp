// expect: Explicit constructors and narrowing do not count
// covers: keyed/key_set.hpp static_assert "this is no Key"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

using namespace slotwise;

int main() {
    KeySet<float> set;
    set.insert(0.1f);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    set.insert(0.1);
#endif
}
