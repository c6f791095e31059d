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

TEST_CASE("std::format gives a handle and a state the width, fill and alignment of a string") {
    CHECK(std::format("{:>8}|{:*^8}|{:6}|", Handle<int>(12, 5), Handle<int>(), Handle<int>(1, 1)) ==
          "    12v5|**null**|1v1   |");
    CHECK(std::format("{}|{:>6}|{:<5}|{}", HandleStatus::out_of_range, HandleStatus::stale, SlotState::live,
                      InsertKind::fresh) == "out_of_range| stale|live |fresh");
}
#else
TEST_CASE("format.hpp can be included where the standard library has no <format>") { CHECK(Handle<int>(12, 5).index() == 12); }
#endif
