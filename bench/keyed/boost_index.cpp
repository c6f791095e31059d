// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// MapStorage over Boost's table: what our own index gains or loses.
#if SLOTWISE_BENCH_HAS_BOOST

#include "storage_map.hpp"

#include <slotwise/keyed/boost_index.hpp>

namespace {

using namespace bench;

template <class Kind, template <class> class Allocator>
using OverBoost = keyed::StorageMap<Kind, Allocator, slotwise::BoostIndex>;

const Registered registered([] { keyed::add_contender<OverBoost>("slotwise_map_boost_index", Role::ours); });

} // namespace

#endif
