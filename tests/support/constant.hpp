// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Tests that run twice: while they are compiled, in a constant expression, and when the program runs (where coverage sees them).
//     constexpr int adds() { HOLDS(1 + 1 == 2); return 0; }      0, or the line that does not hold
//     IN_CONSTANTS("numbers can be added", adds())
#ifndef SLOTWISE_TESTS_SUPPORT_CONSTANT_HPP
#define SLOTWISE_TESTS_SUPPORT_CONSTANT_HPP

#include "catch.hpp"

#define HOLDS(...)                                                                                                             \
    do {                                                                                                                       \
        if (!(__VA_ARGS__)) return __LINE__;                                                                                   \
    } while (false)

#define IN_CONSTANTS(name, ...)                                                                                                \
    TEST_CASE(name, "[constexpr]") {                                                                                           \
        static_assert((__VA_ARGS__) == 0, "does not hold in a constant expression");                                           \
        CHECK((__VA_ARGS__) == 0);                                                                                             \
    }

#endif
