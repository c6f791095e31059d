// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Containers with keys over polymorphic allocators. A separate header because <memory_resource> is slow to include.
#ifndef SLOTWISE_KEYED_PMR_HPP
#define SLOTWISE_KEYED_PMR_HPP

#include "map_storage.hpp"

#include <memory_resource>

SLOTWISE_BEGIN

/// The containers over std::pmr::polymorphic_allocator.
namespace pmr {

/// SetStorage with memory from a std::pmr::memory_resource.
template <class Key, class... With>
using SetStorage = slotwise::SetStorage<Key, AllocBy<std::pmr::polymorphic_allocator<Key>>, With...>;
/// The same.
template <class Key, class... With>
using KeySet = SetStorage<Key, With...>;
/// MapStorage with memory from a std::pmr::memory_resource.
template <class Key, class T, class... With>
using MapStorage = slotwise::MapStorage<Key, T, AllocBy<std::pmr::polymorphic_allocator<Key>>, With...>;

} // namespace pmr
SLOTWISE_END

#endif
