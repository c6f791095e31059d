// expect: no matching
// expect: nested
// covers: series/tsd_storage.hpp requires "!nested"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;

int main() {
    TSDStorage<int, TSSStorage<int>> dict;
    auto writer = dict.write(1);
    writer.create(1);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    writer.set(1, TSSStorage<int>());
#endif
    return static_cast<int>(dict.size());
}
