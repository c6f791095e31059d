// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// ankerl::unordered_dense::map: its pairs lie in a vector, with buckets of eight bytes beside it (Robin Hood). An erase moves the last pair.
#if SLOTWISE_BENCH_HAS_ANKERL

#include "standard_map.hpp"

#include <ankerl/unordered_dense.h>

#include <functional>

namespace {

using namespace bench;

template <class Kind, template <class> class Allocator>
using AnkerlMap = keyed::StandardMap<
    Kind, ankerl::unordered_dense::map<typename Kind::Key, keyed::Value, typename Kind::Hash, std::equal_to<typename Kind::Key>,
                                       Allocator<std::pair<typename Kind::Key, keyed::Value>>>>;

const Registered registered([] { keyed::add_contender<AnkerlMap>("ankerl_map", Role::rival); });

} // namespace

#endif
