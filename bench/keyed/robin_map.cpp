// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// tsl::robin_map: open addressing with Robin Hood displacement, half full at most. Its elements move when anything changes.
#if SLOTWISE_BENCH_HAS_ROBIN_MAP

#include "standard_map.hpp"

#include <tsl/robin_map.h>

#include <functional>

namespace {

using namespace bench;

template <class Kind, template <class> class Allocator>
using RobinMap =
    keyed::StandardMap<Kind,
                       tsl::robin_map<typename Kind::Key, keyed::Value, typename Kind::Hash, std::equal_to<typename Kind::Key>,
                                      Allocator<std::pair<typename Kind::Key, keyed::Value>>>>;

const Registered registered([] { keyed::add_contender<RobinMap>("robin_map", Role::rival); });

} // namespace

#endif
