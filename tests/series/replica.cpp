// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A replica that applies every captured delta never diverges from its source: sets and plain dictionaries.
#include "replica_replay.hpp"

TEMPLATE_TEST_CASE("a replica of a set never diverges in 10,000 random ticks", "[series][replica]", ALL_REPRESENTATIONS) {
    test::replay<typename TestType::template set<int>>(1, 24, 10'000, 10'000);
    test::replay<typename TestType::template set<int>>(2, 200, 500, 500);
}

TEMPLATE_TEST_CASE("a replica of a dictionary of numbers never diverges in 10,000 random ticks", "[series][replica]",
                   ALL_REPRESENTATIONS) {
    test::replay<typename TestType::template dict<int, double>>(3, 20, 10'000, 10'000);
    test::replay<typename TestType::template dict<int, double>>(4, 200, 500, 500);
}

TEMPLATE_TEST_CASE("a replica of a dictionary of strings never diverges in 10,000 random ticks", "[series][replica]",
                   ALL_REPRESENTATIONS) {
    test::replay<typename TestType::template dict<std::string, std::string>>(5, 12, 10'000, 10'000);
}
