// expect: deferred_erase
// covers: keyed/key_set.hpp requires "O.deferred_erase"
// covers: keyed/key_set_core.hpp requires "O.deferred_erase"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

using namespace slotwise;

int main() {
    KeySet<int, DefaultHash<int>, EqualTo, KeySetOptions{.deferred_erase = true}> deferring;
    deferring.remove(1);
    deferring.remove(deferring.handle_of(1));
    KeySet<int> set;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    set.remove(set.handle_of(1));
#endif
    return static_cast<int>(set.size());
}
