// expect: use of deleted function || attempt to use a deleted function
// expect: write
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tss_storage.hpp>

using namespace slotwise;

int main() {
    TSSStorage<int> set;
    set.write(1).add(1);
    TSSView<int> view = set;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    view.write(2);
#endif
    return static_cast<int>(view.size());
}
