// expect: call to non- || must be initialized by a constant expression
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/handle.hpp>

using namespace slotwise;

int main() {
    constexpr Handle<int, HandleLayout{8, 8, 0}> handle(255, 1);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    constexpr Handle<int, HandleLayout{8, 8, 0}> beyond(256, 1);
#endif
    return static_cast<int>(handle.index());
}
