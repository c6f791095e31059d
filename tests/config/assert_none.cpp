// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Check level 0 and a failure handler of the user's, in a program whose other sources have another level: the level is part of
// the inline namespace, so both live side by side.
#if !defined(SLOTWISE_CHECK_LEVEL) || SLOTWISE_CHECK_LEVEL != 0 // else the handler must be the same in all sources
#define SLOTWISE_FAILURE_HANDLER ::handle_failure
#endif
#undef SLOTWISE_CHECK_LEVEL
#define SLOTWISE_CHECK_LEVEL 0

#include "support/catch.hpp"
#include "support/death.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace {

[[noreturn, maybe_unused]] void handle_failure(const char* what, const char* file, int line) noexcept {
    std::fprintf(stderr, "slotwise: handled %s|%s|%d", what, file, line);
    std::abort();
}

} // namespace

#include <slotwise/config/error.hpp>

TEST_CASE("at level 0 no check is evaluated, but each still has to compile") {
    int evaluated = 0;
    SLOTWISE_EXPECT(++evaluated > 100, "not looked at");
    SLOTWISE_EXPECT_DEBUG(++evaluated > 100, "not looked at");
    CHECK(evaluated == 0);
}

TEST_CASE("at level 0 a broken precondition is a constant expression too") {
    constexpr auto unchecked = [](int value) {
        SLOTWISE_EXPECT(value > 0, "not looked at");
        return value;
    };
    STATIC_REQUIRE(unchecked(-1) == -1);
}

TEST_CASE("the failure hook never returns") { STATIC_REQUIRE(noexcept(slotwise::detail::fail("", "", 0))); }

#ifdef SLOTWISE_FAILURE_HANDLER
TEST_CASE("SLOTWISE_FAILURE_HANDLER takes the failure over, with text, file and line") {
    CHECK(test::dies_saying("handled lost|place|3", [] { slotwise::detail::fail("lost", "place", 3); }));
}
#endif

#define text_of_macro_(name) #name
#define text_of_macro(name) std::string(text_of_macro_(name))

SLOTWISE_BEGIN
struct LevelProbe {};
SLOTWISE_END

TEST_CASE("another check level is another namespace") {
    // Were it not, the linker would have kept one detail::fail for all sources of this program, and either this file or the
    // others would report in the wrong words.
    STATIC_REQUIRE(std::is_same_v<slotwise::LevelProbe, slotwise::SLOTWISE_ABI::LevelProbe>);
    CHECK(text_of_macro(SLOTWISE_ABI).find("_c0_e") != std::string::npos);
}
