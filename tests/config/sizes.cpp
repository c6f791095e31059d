// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sizes at the level that programs are released with: tests have level debug, where objects are larger and not all are stated.
#undef SLOTWISE_CHECK_LEVEL
#define SLOTWISE_CHECK_LEVEL 1

#include "config/sizes.hpp"
#include "support/catch.hpp"

TEST_CASE("objects of a release have the stated sizes") {
    STATIC_REQUIRE(SLOTWISE_CHECK_LEVEL == 1); // where sizes.hpp states them all
}
