// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// version.hpp, config.hpp and abi.hpp: what each translation unit sees.
#include <slotwise/config/abi.hpp>

#include "support/catch.hpp"

#include <string>
#include <typeinfo>

SLOTWISE_BEGIN
struct Probe {};
SLOTWISE_END

TEST_CASE("the inline namespace names version, check level and exception mode") {
    const std::string part = "v" + std::to_string(SLOTWISE_VERSION_MAJOR) + "_" + std::to_string(SLOTWISE_VERSION_MINOR) + "_" +
                             std::to_string(SLOTWISE_VERSION_PATCH) + "_c" + std::to_string(SLOTWISE_CHECK_LEVEL) + "_e1";
    CHECK(std::string(typeid(slotwise::Probe).name()).find(part) != std::string::npos);
}

TEST_CASE("exceptions are seen to be on where the compiler has them on") { CHECK(SLOTWISE_EXCEPTIONS == 1); }
