// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Tests that run twice: while they are compiled, in a constant expression, and when the program runs (where coverage sees
// them).
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

// The same of objects with mutable members, which g++ 12 does not read in constant expressions (its bug 92505, mended in 13):
// with that it runs only.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#define IN_CONSTANTS_WITH_MUTABLES(name, ...)                                                                                  \
    TEST_CASE(name, "[constexpr]") { CHECK((__VA_ARGS__) == 0); }
#else
#define IN_CONSTANTS_WITH_MUTABLES(name, ...) IN_CONSTANTS(name, __VA_ARGS__)
#endif

namespace test {

/// Whether a view may be asked in a constant expression: it asks its container through const void*, which becomes a container
/// again from C++26 on only. A test that asks in spite of it when the program runs would show the functions as used in a
/// constant expression.
#if defined(__cpp_constexpr) && __cpp_constexpr >= 202306L
inline constexpr bool views_answer = true;
#else
inline constexpr bool views_answer = false;
#endif

} // namespace test

#endif
