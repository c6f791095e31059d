// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// version.hpp, config.hpp and abi.hpp: what each translation unit sees.
#include <slotwise/config/abi.hpp>

#include "support/catch.hpp"

#include <string>
#include <type_traits>

#define text_of_macro_(name) #name
#define text_of_macro(name) std::string(text_of_macro_(name))

SLOTWISE_BEGIN
struct Probe {};
SLOTWISE_END

TEST_CASE("the inline namespace names version, check level and exception mode") {
#ifdef SLOTWISE_COMPILED
    const std::string compiled = "_compiled";
#else
    const std::string compiled;
#endif
    const std::string part = "v" + std::to_string(SLOTWISE_VERSION_MAJOR) + "_" + std::to_string(SLOTWISE_VERSION_MINOR) + "_" +
                             std::to_string(SLOTWISE_VERSION_PATCH) + "_c" + std::to_string(SLOTWISE_CHECK_LEVEL) + "_e" +
                             std::to_string(SLOTWISE_EXCEPTIONS) + compiled;
    CHECK(text_of_macro(SLOTWISE_ABI) == part);
    STATIC_REQUIRE(std::is_same_v<slotwise::Probe, slotwise::SLOTWISE_ABI::Probe>);
}

TEST_CASE("exceptions are seen to be on where the compiler has them on") {
#if defined(__cpp_exceptions)
    CHECK(SLOTWISE_EXCEPTIONS == 1);
#else
    CHECK(SLOTWISE_EXCEPTIONS == 0);
#endif
}
