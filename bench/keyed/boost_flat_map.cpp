// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// boost::unordered_flat_map: open addressing, groups of fifteen slots compared at once. Its elements move when it grows.
#if SLOTWISE_BENCH_HAS_BOOST

#include "standard_map.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <functional>

namespace {

using namespace bench;

template <class Kind, template <class> class Allocator>
using BoostFlatMap = keyed::StandardMap<
    Kind, boost::unordered_flat_map<typename Kind::Key, keyed::Value, typename Kind::Hash, std::equal_to<typename Kind::Key>,
                                    Allocator<std::pair<const typename Kind::Key, keyed::Value>>>>;

static_assert(boost::unordered::hash_is_avalanching<keyed::Integers::Hash>::value, "or Boost mixes a second time");

const Registered registered([] { keyed::add_contender<BoostFlatMap>("boost_flat_map", Role::rival); });

} // namespace

#endif
