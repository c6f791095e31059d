// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnkerlIndex: ankerl::unordered_dense::set in the place of HashIndex.
#ifndef SLOTWISE_KEYED_ANKERL_INDEX_HPP
#define SLOTWISE_KEYED_ANKERL_INDEX_HPP

#include "detail/table_index.hpp"

#include <ankerl/unordered_dense.h>

SLOTWISE_BEGIN

/// MapStorage<Key, T, IndexBy<AnkerlIndex>>. Inserts are strong with releases that
/// keep their buckets until the new ones are allocated; 4.9.2 was checked.
template <class Allocator>
class AnkerlIndex
    : public detail::TableIndex<ankerl::unordered_dense::set<detail::TableEntry, detail::TableHash, detail::TableEqual,
                                                             detail::rebind_t<Allocator, detail::TableEntry>>> {
public:
    using AnkerlIndex::TableIndex::TableIndex;
};

SLOTWISE_END

#endif
