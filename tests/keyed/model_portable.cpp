// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "model_keyed.hpp"

TEST_CASE("a random history agrees with the oracle over the portable index", "[model]") {
    using namespace test;
    constexpr auto L = model_bits16;
    keyed_histories<ModelMap<std::uint64_t, false, Reuse::lowest, Exhaustion::retire, L, PortableHashIndex>>(500);
    keyed_histories<ModelMap<std::uint64_t, true, Reuse::fifo, Exhaustion::wrap, L, PortableHashIndex>>(600);
    keyed_histories<ModelMap<std::string, true, Reuse::lifo, Exhaustion::retire, L, PortableHashIndex>>(700);
}
