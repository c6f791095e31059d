// expect: keyed containers: Key must be a non-const object type whose destructor does not throw
// covers: keyed/key_store.hpp static_assert "Key must be a non-const object type"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

using namespace slotwise;

int main() {
    KeySet<int> set;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    KeySet<const int, DefaultHash<int>, EqualTo, KeySetOptions{}, std::allocator<int>> constants;
#endif
    return static_cast<int>(set.size());
}
