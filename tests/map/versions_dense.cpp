// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "versions.hpp"

TEMPLATE_TEST_CASE_SIG("with 2- to 4-bit versions no stale handle ever resolves, whatever was done before (dense)",
                       "[versions]", ((slotwise::Reuse R), R), slotwise::Reuse::lifo, slotwise::Reuse::fifo,
                       slotwise::Reuse::lowest) {
    test::explore_versions<test::Dense, R, slotwise::Exhaustion::retire>();
}

TEMPLATE_TEST_CASE_SIG("with 2- to 4-bit versions wrap loses no slot and finds exactly the live handles (dense)", "[versions]",
                       ((slotwise::Reuse R), R), slotwise::Reuse::lifo, slotwise::Reuse::fifo, slotwise::Reuse::lowest) {
    test::explore_versions<test::Dense, R, slotwise::Exhaustion::wrap>();
}
