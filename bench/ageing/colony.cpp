// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#if SLOTWISE_BENCH_HAS_COLONY

#include "workload.hpp"

#include "../support/hive.hpp"

namespace {

using namespace bench;

const Registered registered([] {
    ageing::add_contender<Colony>("plf_colony", Role::rival, ageing::age_row | ageing::iterate_rows | ageing::memory_row);
    ageing::add_contender<Colony>("plf_colony_unchecked", Role::limit, ageing::lookup_rows);
});

} // namespace

#endif
