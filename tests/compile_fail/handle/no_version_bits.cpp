// expect: version_bits must be 1 to 32
// covers: core/handle.hpp static_assert "version_bits must be 1 to 32"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/handle.hpp>

using namespace slotwise;

int main() {
    Handle<int, HandleLayout{31, 1, 0}> handle;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    Handle<int, HandleLayout{32, 0, 0}> unversioned;
#endif
    return static_cast<int>(handle.index());
}
