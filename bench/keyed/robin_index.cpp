// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// MapStorage over tsl's table: what our own index gains or loses.
#if SLOTWISE_BENCH_HAS_ROBIN_MAP

#include "storage_map.hpp"

#include <slotwise/keyed/robin_index.hpp>

namespace {

using namespace bench;

template <class Kind, template <class> class Allocator>
using OverRobin = keyed::StorageMap<Kind, Allocator, slotwise::RobinIndex>;

const Registered registered([] { keyed::add_contender<OverRobin>("slotwise_map_robin_index", Role::ours); });

} // namespace

#endif
