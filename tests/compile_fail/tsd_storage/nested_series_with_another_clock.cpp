// expect: a nested series must have the same Time
// covers: series/tsd_storage.hpp static_assert "must have the same Time"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;

int main() {
    TSDStorage<int, TSSStorage<int, int>, int> dict;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    TSDStorage<int, TSSStorage<int, int>, long> other;
#endif
    return static_cast<int>(dict.size());
}
