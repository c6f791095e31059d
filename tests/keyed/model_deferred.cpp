// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "model_keyed.hpp"

TEMPLATE_TEST_CASE_SIG("a random history of a map with deferred erase agrees with the oracle", "[model]",
                       ((slotwise::Reuse R), R), slotwise::Reuse::lifo, slotwise::Reuse::fifo, slotwise::Reuse::lowest) {
    using namespace test;
    keyed_histories<ModelMap<std::uint64_t, true, R, Exhaustion::retire>>(300);
    keyed_histories<ModelMap<std::uint64_t, true, R, Exhaustion::wrap>>(400);
}
