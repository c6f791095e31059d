// expect: input_iterator
// covers: keyed/key_set.hpp requires "std::input_iterator It"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

using namespace slotwise;

int main() {
    int keys[] = {1, 2};
    KeySet<int> set(keys, keys + 2);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    KeySet<int> other(1.5, 2.5);
#endif
    return static_cast<int>(set.size());
}
