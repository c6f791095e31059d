// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Catch2, version 3 or 2, whichever CMake found and says in SLOTWISE_CATCH2_VERSION. Tests use what both have in common:
// TEST_CASE, TEMPLATE_TEST_CASE, SECTION, GENERATE, REQUIRE/CHECK and their _THROWS_ forms, INFO, CAPTURE.
#ifndef SLOTWISE_TESTS_SUPPORT_CATCH_HPP
#define SLOTWISE_TESTS_SUPPORT_CATCH_HPP

#ifndef SLOTWISE_CATCH2_VERSION
#error "SLOTWISE_CATCH2_VERSION is 2 or 3; tests/CMakeLists.txt defines it from the Catch2 it found"
#endif

#if SLOTWISE_CATCH2_VERSION >= 3
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

// The running function with its template arguments, as the compiler writes it.
#if defined(_MSC_VER) && !defined(__clang__)
#define SLOTWISE_TEST_FUNCTION __FUNCSIG__
#else
#define SLOTWISE_TEST_FUNCTION __PRETTY_FUNCTION__
#endif

// Without exceptions an error ends the program through the failure hook, with the words that it would have thrown: that is what
// the same line of a test then asks for, in a child process. A test that throws itself does so by TEST_THROW.
#if defined(__cpp_exceptions)
#define TEST_THROW(exception) throw exception
#else
#include "death.hpp"
#define TEST_THROW(exception) ::test::end_saying(#exception)
#undef CHECK_NOTHROW
#undef CHECK_THROWS_AS
#undef REQUIRE_THROWS_AS
// A child process takes a millisecond, and exhaustive tests reach such a line a hundred thousand times: the first hundred ask,
// then one in a thousand.
#define SLOTWISE_TEST_DIES(expression)                                                                                         \
    [&] {                                                                                                                      \
        static std::size_t times_here = 0;                                                                                     \
        const bool asks = ++times_here <= 100 || times_here % 1000 == 0;                                                       \
        return !asks || ::test::dies_saying("", [&] { static_cast<void>(expression); });                                       \
    }()
#define CHECK_THROWS_AS(expression, type) CHECK(SLOTWISE_TEST_DIES(expression))
#define CHECK_NOTHROW(expression) CHECK((static_cast<void>(expression), true))
#define REQUIRE_THROWS_AS(expression, type) REQUIRE(SLOTWISE_TEST_DIES(expression))
#endif

#endif
