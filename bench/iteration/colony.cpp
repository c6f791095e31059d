// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#if SLOTWISE_BENCH_HAS_COLONY

// Neither of the three walks: a jump-counting skipfield leads from a run of elements to the next.
#include "workload.hpp"

#include "../support/hive.hpp"

namespace {

using namespace bench;

const Registered registered([] { iteration::add_contender<Colony>("plf_colony", Role::rival); });

} // namespace

#endif
