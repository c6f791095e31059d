// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Slot maps with polymorphic allocators. A separate header because <memory_resource> is slow to include.
#ifndef SLOTWISE_MAP_PMR_HPP
#define SLOTWISE_MAP_PMR_HPP

#include "any_slot_map.hpp"
#include "dense_slot_map.hpp"
#include "handle_pool.hpp"
#include "identity_map.hpp"
#include "index_map.hpp"
#include "slot_map.hpp"
#include "soa_slot_map.hpp"
#include "sparse_secondary_map.hpp"

#include <memory_resource>

SLOTWISE_BEGIN

/// The containers over std::pmr::polymorphic_allocator.
namespace pmr {

/// SlotMap with memory from a std::pmr::memory_resource.
template <class T, class... With>
using SlotMap = slotwise::SlotMap<T, AllocBy<std::pmr::polymorphic_allocator<T>>, With...>;
/// DenseSlotMap with memory from a std::pmr::memory_resource.
template <class T, class... With>
using DenseSlotMap = slotwise::DenseSlotMap<T, AllocBy<std::pmr::polymorphic_allocator<T>>, With...>;
/// SoaSlotMap with memory from a std::pmr::memory_resource.
template <class... Ts>
using SoaSlotMap = BasicSoaSlotMap<Members<Ts...>, AllocBy<std::pmr::polymorphic_allocator<std::byte>>>;
/// AnySlotMap with memory from a std::pmr::memory_resource.
template <class... With>
using AnySlotMap = BasicAnySlotMap<AllocBy<std::pmr::polymorphic_allocator<std::byte>>, With...>;
/// HandlePool with memory from a std::pmr::memory_resource.
template <class T, class... With>
using HandlePool = slotwise::HandlePool<T, AllocBy<std::pmr::polymorphic_allocator<std::byte>>, With...>;
/// SecondaryMap with memory from a std::pmr::memory_resource.
template <class H, class T>
using SecondaryMap = slotwise::SecondaryMap<H, T, AllocBy<std::pmr::polymorphic_allocator<T>>>;
/// IndexMap with memory from a std::pmr::memory_resource.
template <class T>
using IndexMap = slotwise::IndexMap<T, AllocBy<std::pmr::polymorphic_allocator<T>>>;
/// SparseSecondaryMap with memory from a std::pmr::memory_resource.
template <class H, class T>
using SparseSecondaryMap = slotwise::SparseSecondaryMap<H, T, AllocBy<std::pmr::polymorphic_allocator<T>>>;
/// IdentityMap with memory from a std::pmr::memory_resource.
template <class Id, class H, class... With>
using IdentityMap = slotwise::IdentityMap<Id, H, AllocBy<std::pmr::polymorphic_allocator<std::byte>>, With...>;

} // namespace pmr
SLOTWISE_END

#endif
