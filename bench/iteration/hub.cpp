// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#if SLOTWISE_BENCH_HAS_HUB

#include "workload.hpp"

#include "../support/hive.hpp"

namespace {

using namespace bench;

const Registered registered([] {
    iteration::add_contender<Hub>("boost_hub", Role::rival);
    iteration::add_contender<HubForEach>("boost_hub.for_each", Role::rival);
});

} // namespace

#endif
