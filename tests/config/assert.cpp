// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/config/assert.hpp>

#include "support/catch.hpp"
#include "support/death.hpp"

namespace {

constexpr int half(int even) {
    SLOTWISE_EXPECT(even % 2 == 0, "half: the number is odd");
    SLOTWISE_EXPECT_DEBUG(even % 2 == 0, "half: the number is odd");
    return even / 2;
}

template <int N>
concept half_is_constant = requires { typename std::integral_constant<int, half(N)>; };

static_assert(half(4) == 2, "a check that holds is a constant expression");

} // namespace

// Compiled at whatever level the build asks for; assert_none.cpp is the same at level 0, in the same program.
#if SLOTWISE_CHECK_LEVEL >= 1

TEST_CASE("a failed check ends the program with what was wrong and where") {
    const std::string text = test::death_of([] { SLOTWISE_EXPECT(1 + 1 == 3, "sum: that is not three"); });
    CHECK(text.find("slotwise: sum: that is not three (") == 0);
    CHECK(text.find("assert.cpp:") != std::string::npos);
}

TEST_CASE("a failed check is not a constant expression") {
    STATIC_REQUIRE(half_is_constant<4>);
    STATIC_REQUIRE_FALSE(half_is_constant<5>);
}

#endif

TEST_CASE("a debug check fails at level 2 only") {
    const bool died = test::dies_saying("debug only", [] { SLOTWISE_EXPECT_DEBUG(false, "debug only"); });
    CHECK(died == (SLOTWISE_CHECK_LEVEL >= 2));
}

TEST_CASE("a check that is on evaluates its condition once, one that is off never") {
    int evaluated = 0;
    SLOTWISE_EXPECT(++evaluated > 0, "counts");
    CHECK(evaluated == (SLOTWISE_CHECK_LEVEL >= 1 ? 1 : 0));
    evaluated = 0;
    SLOTWISE_EXPECT_DEBUG(++evaluated > 0, "counts");
    CHECK(evaluated == (SLOTWISE_CHECK_LEVEL >= 2 ? 1 : 0));
}

TEST_CASE("a check is one statement wherever a statement may stand") {
    bool otherwise = false;
    if (SLOTWISE_CHECK_LEVEL > 99)
        SLOTWISE_EXPECT(false, "never reached");
    else
        otherwise = true;
    CHECK(otherwise);
}
