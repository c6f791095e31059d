// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotDirectory with versions of 1 to 4 bits under Exhaustion::wrap, exhaustively.
#include "explorer.hpp"

using slotwise::Exhaustion;
using test::explore_all;

TEST_CASE("with 1-bit versions that wrap, after any sequence of operations every slot can always be had again", "[versions]") {
    explore_all<1, Exhaustion::wrap>(3);
}
TEST_CASE("with 2-bit versions that wrap, after any sequence of operations every slot can always be had again", "[versions]") {
    explore_all<2, Exhaustion::wrap>(3);
}
TEST_CASE("with 3-bit versions that wrap, after any sequence of operations every slot can always be had again", "[versions]") {
    explore_all<3, Exhaustion::wrap>(2);
}
TEST_CASE("with 4-bit versions that wrap, after any sequence of operations every slot can always be had again", "[versions]") {
    explore_all<4, Exhaustion::wrap>(2);
}
TEST_CASE("with 2-bit dense versions that wrap, every slot can be had three times, and then again", "[versions]") {
    explore_all<2, Exhaustion::wrap, true>(2);
}
