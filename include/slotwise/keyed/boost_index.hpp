// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// BoostIndex: boost::unordered_flat_set (Boost 1.81 or newer) in the place of HashIndex.
#ifndef SLOTWISE_KEYED_BOOST_INDEX_HPP
#define SLOTWISE_KEYED_BOOST_INDEX_HPP

#include "detail/table_index.hpp"

#include <boost/unordered/unordered_flat_set.hpp>

SLOTWISE_BEGIN

/// MapStorage<Key, T, IndexBy<BoostIndex>>.
template <class Allocator>
class BoostIndex
    : public detail::TableIndex<boost::unordered_flat_set<detail::TableEntry, detail::TableHash, detail::TableEqual,
                                                          detail::rebind_t<Allocator, detail::TableEntry>>> {
public:
    using BoostIndex::TableIndex::TableIndex;
};

SLOTWISE_END

#endif
