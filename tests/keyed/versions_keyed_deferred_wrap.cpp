// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "versions_keyed.hpp"

TEMPLATE_TEST_CASE_SIG(
    "with 1- to 3-bit versions, wrap loses no slot of a set with deferred erase and finds exactly the live handles",
    "[versions]", ((slotwise::Reuse R), R), slotwise::Reuse::lifo, slotwise::Reuse::fifo, slotwise::Reuse::lowest) {
    test::explore_keyed<1, R, slotwise::Exhaustion::wrap, 3, true, 4>();
    test::explore_keyed<2, R, slotwise::Exhaustion::wrap, 2, true, 3>();
    test::explore_keyed<3, R, slotwise::Exhaustion::wrap, 2, true, 2>();
}

TEST_CASE("with 4-bit versions, wrap loses no slot of a set with deferred erase and finds exactly the live handles",
          "[versions]") {
    test::explore_keyed<4, slotwise::Reuse::lowest, slotwise::Exhaustion::wrap, 2, true, 1>();
    test::explore_keyed<4, slotwise::Reuse::lowest, slotwise::Exhaustion::wrap, 1, true, 2>();
}
