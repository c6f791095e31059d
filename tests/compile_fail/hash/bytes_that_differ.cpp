// expect: equal values of this type may differ in their bytes
// covers: core/seeded_hash.hpp static_assert "equal values of this type may differ"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/seeded_hash.hpp>

using namespace slotwise;

int main() {
    auto hash = SeededHash<int>()(1);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    hash = SeededHash<double>()(1.0);
#endif
    return static_cast<int>(hash);
}
