// expect: is protected || is private || private constructor || no matching constructor
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tss_storage.hpp>

using namespace slotwise;

int main() {
    TSSStorage<int> set;
    TSSStorage<int>::writer writer = set.write(1);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    TSSStorage<int>::writer other(set);
#endif
    return writer.is_open();
}
