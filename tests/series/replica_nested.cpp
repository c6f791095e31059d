// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A replica that applies every captured delta never diverges from its source: dictionaries of sets.
#include "replica_replay.hpp"

TEMPLATE_TEST_CASE("a replica of a dictionary of sets never diverges in 10,000 random ticks", "[series][replica]",
                   ALL_REPRESENTATIONS) {
    test::replay<typename TestType::template dict<int, typename TestType::template set<int>>>(6, 6, 10'000, 5'000);
}
