// expect: use of deleted function || attempt to use a deleted function
// expect: write
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;

int main() {
    TSDStorage<int, int> dict;
    dict.write(1).set(1, 2);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    dict.keys().write(2);
#endif
    return static_cast<int>(dict.keys().size());
}
