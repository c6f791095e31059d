// expect: index_bits must be 1 to 32
// covers: core/handle.hpp static_assert "index_bits must be 1 to 32"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/handle.hpp>

using namespace slotwise;

int main() {
    Handle<int, HandleLayout{32, 16, 16}> handle;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    Handle<int, HandleLayout{40, 16, 8}> wide;
#endif
    return static_cast<int>(handle.index());
}
