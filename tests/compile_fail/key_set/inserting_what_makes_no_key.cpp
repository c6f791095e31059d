// expect: no matching function for call || no matching member function for call
// covers: keyed/key_set.hpp requires "std::is_constructible_v<Key, K>"
// covers: keyed/key_set.hpp requires "std::is_convertible_v<K, Key>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

#include <string>

using namespace slotwise;

int main() {
    KeySet<std::string> set;
    set.insert("a string literal");
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    set.insert(7.5);
#endif
    return 0;
}
