// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotDirectory with versions of 1 to 4 bits under Exhaustion::retire, exhaustively.
#include "explorer.hpp"

using slotwise::Exhaustion;
using test::explore_all;

TEST_CASE(
    "with 1-bit versions that retire, after any sequence of operations no stale handle ever resolves, until nothing is left",
    "[versions]") {
    explore_all<1, Exhaustion::retire>(3);
}
TEST_CASE(
    "with 2-bit versions that retire, after any sequence of operations no stale handle ever resolves, until nothing is left",
    "[versions]") {
    explore_all<2, Exhaustion::retire>(3);
}
TEST_CASE(
    "with 3-bit versions that retire, after any sequence of operations no stale handle ever resolves, until nothing is left",
    "[versions]") {
    explore_all<3, Exhaustion::retire>(2);
}
TEST_CASE(
    "with 4-bit versions that retire, after any sequence of operations no stale handle ever resolves, until nothing is left",
    "[versions]") {
    explore_all<4, Exhaustion::retire>(2);
}
TEST_CASE("with 2-bit dense versions every slot lives three times, and no stale handle ever resolves", "[versions]") {
    explore_all<2, Exhaustion::retire, true>(2);
}
TEST_CASE("with 1-bit dense versions every slot lives once", "[versions]") { explore_all<1, Exhaustion::retire, true>(3); }
