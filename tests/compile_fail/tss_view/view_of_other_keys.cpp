// expect: no matching || conversion from || no viable conversion
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tss_storage.hpp>

using namespace slotwise;

int main() {
    TSSStorage<int> set;
    TSSView<int> view = set;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    TSSView<long> other = set;
#endif
    return static_cast<int>(view.size());
}
