// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// RobinIndex: tsl::robin_set in the place of HashIndex.
#ifndef SLOTWISE_KEYED_ROBIN_INDEX_HPP
#define SLOTWISE_KEYED_ROBIN_INDEX_HPP

#include "detail/table_index.hpp"

#include <tsl/robin_set.h>

SLOTWISE_BEGIN

/// MapStorage<Key, T, IndexBy<RobinIndex>>.
template <class Allocator>
class RobinIndex : public detail::TableIndex<tsl::robin_set<detail::TableEntry, detail::TableHash, detail::TableEqual,
                                                            detail::rebind_t<Allocator, detail::TableEntry>>> {
public:
    using RobinIndex::TableIndex::TableIndex;
};

SLOTWISE_END

#endif
