// expect: discards qualifiers || not marked const || no matching
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tss_storage.hpp>

using namespace slotwise;

int main() {
    TSSStorage<int> set;
    set.write(1).add(1);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    set.as_set().insert(2);
#endif
    return static_cast<int>(set.as_set().size());
}
