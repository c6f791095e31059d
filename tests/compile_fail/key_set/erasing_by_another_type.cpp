// expect: this is no Key and does not convert to one
// covers: keyed/key_set.hpp static_assert "this is no Key"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

#include <string>

using namespace slotwise;

int main() {
    KeySet<std::string> set;
    set.erase("a string literal");
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    set.erase(7);
#endif
    return 0;
}
