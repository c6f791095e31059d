// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/format.hpp>

#include "support/catch.hpp"

#include <string>

using namespace slotwise;

#ifdef __cpp_lib_format
TEST_CASE("std::format writes a handle as operator<< does") {
    CHECK(std::format("{}", Handle<int>(12, 5)) == "12v5");
    CHECK(std::format("[{}]", Handle<int, HandleLayout{20, 30, 14}>(12, 5, 3)) == "[12v5#3]");
    CHECK(std::format("{}", Handle<int>()) == "null");
}
#else
TEST_CASE("format.hpp can be included where the standard library has no <format>") { CHECK(Handle<int>(12, 5).index() == 12); }
#endif
