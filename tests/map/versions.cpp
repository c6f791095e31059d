// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Compiled with SLOTWISE_TEST_REST too, see support/bounds.hpp.
#include "versions.hpp"

TEMPLATE_TEST_CASE("with 2- to 4-bit versions no stale handle ever resolves, whatever was done before", "[versions]",
                   test::Paged, test::Dense, test::Soa) {
    test::explore_versions<TestType, slotwise::Reuse::lifo, slotwise::Exhaustion::retire>();
    test::explore_versions<TestType, slotwise::Reuse::fifo, slotwise::Exhaustion::retire>();
    test::explore_versions<TestType, slotwise::Reuse::lowest, slotwise::Exhaustion::retire>();
}

TEMPLATE_TEST_CASE("with 2- to 4-bit versions wrap loses no slot and finds exactly the live handles", "[versions]", test::Paged,
                   test::Dense, test::Soa) {
    test::explore_versions<TestType, slotwise::Reuse::lifo, slotwise::Exhaustion::wrap>();
    test::explore_versions<TestType, slotwise::Reuse::fifo, slotwise::Exhaustion::wrap>();
    test::explore_versions<TestType, slotwise::Reuse::lowest, slotwise::Exhaustion::wrap>();
}
