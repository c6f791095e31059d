// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// tsl::hopscotch_map: open addressing, a key is within 62 places of where it hashes to. Its elements move when anything
// changes.
#if SLOTWISE_BENCH_HAS_HOPSCOTCH_MAP

#include "standard_map.hpp"

#include <tsl/hopscotch_map.h>

#include <functional>

namespace {

using namespace bench;

template <class Kind, template <class> class Allocator>
using HopscotchMap = keyed::StandardMap<
    Kind, tsl::hopscotch_map<typename Kind::Key, keyed::Value, typename Kind::Hash, std::equal_to<typename Kind::Key>,
                             Allocator<std::pair<typename Kind::Key, keyed::Value>>>>;

const Registered registered([] { keyed::add_contender<HopscotchMap>("hopscotch_map", Role::rival); });

} // namespace

#endif
