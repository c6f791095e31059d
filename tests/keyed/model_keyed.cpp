// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "model_keyed.hpp"

TEMPLATE_TEST_CASE_SIG("a random history of a map agrees with the oracle", "[model]", ((slotwise::Reuse R), R),
                       slotwise::Reuse::lifo, slotwise::Reuse::fifo, slotwise::Reuse::lowest) {
    using namespace test;
    keyed_histories<ModelMap<std::uint64_t, false, R, Exhaustion::retire>>(100);
    keyed_histories<ModelMap<std::uint64_t, false, R, Exhaustion::wrap>>(200);
}
