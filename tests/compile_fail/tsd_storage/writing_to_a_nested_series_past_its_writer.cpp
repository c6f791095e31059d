// expect: use of deleted function || call to deleted
// expect: write
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;

int main() {
    TSDStorage<int, TSSStorage<int>> dict;
    dict.write(1).create(1);
    dict.write(1).modify(1).add(5);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    dict.at(1).write(2).add(6);
#endif
    return static_cast<int>(dict.at(1).size());
}
