// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A replica that applies every captured delta never diverges from its source: dictionaries of dictionaries.
#include "replica_replay.hpp"

TEMPLATE_TEST_CASE("a replica of a dictionary of dictionaries never diverges in 10,000 random ticks", "[series][replica]",
                   ALL_REPRESENTATIONS) {
    test::replay<typename TestType::template dict<int, typename TestType::template dict<int, double>>>(7, 5, 10'000, 3'000);
}
