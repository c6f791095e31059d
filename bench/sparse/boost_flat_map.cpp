// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#if defined(SLOTWISE_BENCH_HAS_BOOST)

#include "hash_map.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

namespace {

using namespace bench;

const Registered registered([] {
    using Map = boost::unordered_flat_map<std::uint32_t, int>;
    using Column = boost::unordered_flat_map<std::uint32_t, float>;
    sparse::add_map<sparse::HashMap<Map>>("boost_flat_map", Role::rival);
    sparse::add_group<sparse::HashMaps<Column>>("boost_flat_map", Role::rival);
});

} // namespace

#endif
