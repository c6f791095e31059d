// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sparse containers over polymorphic allocators. A separate header because <memory_resource> is slow to include.
#ifndef SLOTWISE_SPARSE_PMR_HPP
#define SLOTWISE_SPARSE_PMR_HPP

#include "entity_index.hpp"
#include "sparse_map.hpp"
#include "sparse_set.hpp"
#include "switch_map.hpp"

#include <memory_resource>

SLOTWISE_BEGIN

namespace pmr {

/// SparseSet with memory from a std::pmr::memory_resource.
template <class Id, class... With>
using SparseSet = slotwise::SparseSet<Id, AllocBy<std::pmr::polymorphic_allocator<Id>>, With...>;
/// SparseMap with memory from a std::pmr::memory_resource.
template <class Id, class T, class... With>
using SparseMap = slotwise::SparseMap<Id, T, AllocBy<std::pmr::polymorphic_allocator<T>>, With...>;
/// SwitchMap with memory from a std::pmr::memory_resource.
template <class Id, class Value, class... With>
using SwitchMap = slotwise::SwitchMap<Id, Value, AllocBy<std::pmr::polymorphic_allocator<std::byte>>, With...>;
/// EntityIndex with memory from a std::pmr::memory_resource.
template <class Entity, class Location, class... With>
using EntityIndex = slotwise::EntityIndex<Entity, Location, AllocBy<std::pmr::polymorphic_allocator<std::byte>>, With...>;

} // namespace pmr
SLOTWISE_END

#endif
