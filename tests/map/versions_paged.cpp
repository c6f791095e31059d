// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "versions.hpp"

TEMPLATE_TEST_CASE_SIG("with 2- to 4-bit versions no stale handle ever resolves, whatever was done before (paged)",
                       "[versions]", ((slotwise::Reuse R), R), slotwise::Reuse::lifo, slotwise::Reuse::fifo,
                       slotwise::Reuse::lowest) {
    test::explore_versions<test::Paged, R, slotwise::Exhaustion::retire>();
}

TEMPLATE_TEST_CASE_SIG("with 2- to 4-bit versions wrap loses no slot and finds exactly the live handles (paged)", "[versions]",
                       ((slotwise::Reuse R), R), slotwise::Reuse::lifo, slotwise::Reuse::fifo, slotwise::Reuse::lowest) {
    test::explore_versions<test::Paged, R, slotwise::Exhaustion::wrap>();
}
