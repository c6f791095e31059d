// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A replica that applies every captured delta never diverges from its source: a dictionary of dictionaries of sets.
#include "replica_replay.hpp"

TEMPLATE_TEST_CASE("a replica of a dictionary of dictionaries of sets never diverges in 10,000 random ticks",
                   "[series][replica]", ALL_REPRESENTATIONS) {
    using Leaf = typename TestType::template set<int>;
    using Middle = typename TestType::template dict<int, Leaf>;
    test::replay<typename TestType::template dict<int, Middle>>(8, 3, 10'000, 2'000);
}
