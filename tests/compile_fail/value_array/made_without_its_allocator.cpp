// expect: is_default_constructible
// covers: slots/value_array.hpp requires "std::is_default_constructible_v<Allocator>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/slots/value_array.hpp>

#include "../arena.hpp"

using namespace slotwise;

int main() {
    int memory = 0;
    ValueArray<int, test::Arena<int>> values(test::Arena<int>{&memory});
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    ValueArray<int, test::Arena<int>> other;
#endif
    return values.on_reset(), memory;
}
