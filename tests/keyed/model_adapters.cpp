// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The adapters over other libraries' tables, each where its library is installed.
#include "model_keyed.hpp"

#if __has_include(<boost/unordered/unordered_flat_set.hpp>)
#include <slotwise/keyed/boost_index.hpp>

TEST_CASE("a random history agrees with the oracle over BoostIndex", "[model]") {
    using namespace test;
    constexpr auto L = model_bits16;
    keyed_histories<ModelMap<std::uint64_t, false, Reuse::lowest, Exhaustion::retire, L, BoostIndex>>(1100, 700);
    keyed_histories<ModelMap<std::string, true, Reuse::fifo, Exhaustion::retire, L, BoostIndex>>(1200, 700);
}
#endif

#if __has_include(<tsl/robin_set.h>)
#include <slotwise/keyed/robin_index.hpp>

TEST_CASE("a random history agrees with the oracle over RobinIndex", "[model]") {
    using namespace test;
    constexpr auto L = model_bits16;
    keyed_histories<ModelMap<std::uint64_t, false, Reuse::lowest, Exhaustion::retire, L, RobinIndex>>(1300, 700);
    keyed_histories<ModelMap<std::string, true, Reuse::fifo, Exhaustion::retire, L, RobinIndex>>(1400, 700);
}
#endif

#if __has_include(<ankerl/unordered_dense.h>)
#include <slotwise/keyed/ankerl_index.hpp>

TEST_CASE("a random history agrees with the oracle over AnkerlIndex", "[model]") {
    using namespace test;
    constexpr auto L = model_bits16;
    keyed_histories<ModelMap<std::uint64_t, false, Reuse::lowest, Exhaustion::retire, L, AnkerlIndex>>(1500, 700);
    keyed_histories<ModelMap<std::string, true, Reuse::fifo, Exhaustion::retire, L, AnkerlIndex>>(1600, 700);
}
#endif
