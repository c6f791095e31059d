// expect: use of deleted function || overload resolution selected deleted || implicitly deleted
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;

int main() {
    TSDStorage<int, int> dict;
    auto writer = dict.write(1), other = dict.write(1);
    writer = std::move(other);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    other = writer;
#endif
    return writer.is_open();
}
