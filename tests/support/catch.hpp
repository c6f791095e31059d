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

#endif
