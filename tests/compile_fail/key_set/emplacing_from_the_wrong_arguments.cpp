// expect: is_constructible
// covers: keyed/key_set.hpp requires "std::is_constructible_v<Key, Args...>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

#include <string>

using namespace slotwise;

int main() {
    KeySet<std::string> set;
    set.emplace(std::size_t{3}, 'x');
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    set.emplace(set);
#endif
    return static_cast<int>(set.size());
}
