// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Slot maps with polymorphic allocators. A separate header because <memory_resource> is slow to include.
#ifndef SLOTWISE_MAP_PMR_HPP
#define SLOTWISE_MAP_PMR_HPP

#include "dense_slot_map.hpp"
#include "identity_map.hpp"
#include "slot_map.hpp"
#include "soa_slot_map.hpp"
#include "sparse_secondary_map.hpp"

#include <memory_resource>

SLOTWISE_BEGIN

/// The containers over std::pmr::polymorphic_allocator.
namespace pmr {

/// SlotMap with memory from a std::pmr::memory_resource.
template <class T, SlotMapOptions O = SlotMapOptions{}>
using SlotMap = slotwise::SlotMap<T, O, std::pmr::polymorphic_allocator<T>>;
/// DenseSlotMap with memory from a std::pmr::memory_resource.
template <class T, SlotMapOptions O = SlotMapOptions{}>
using DenseSlotMap = slotwise::DenseSlotMap<T, O, std::pmr::polymorphic_allocator<T>>;
/// SoaSlotMap with memory from a std::pmr::memory_resource.
template <class... Ts>
using SoaSlotMap = BasicSoaSlotMap<SlotMapOptions{}, std::pmr::polymorphic_allocator<std::byte>, Ts...>;
/// SecondaryMap with memory from a std::pmr::memory_resource.
template <class H, class T>
using SecondaryMap = slotwise::SecondaryMap<H, T, std::pmr::polymorphic_allocator<T>>;
/// SparseSecondaryMap with memory from a std::pmr::memory_resource.
template <class H, class T>
using SparseSecondaryMap = slotwise::SparseSecondaryMap<H, T, std::pmr::polymorphic_allocator<T>>;
/// IdentityMap with memory from a std::pmr::memory_resource.
template <class Id, class H, class Hash = DefaultHash<Id>, class Equal = EqualTo>
using IdentityMap = slotwise::IdentityMap<Id, H, Hash, Equal, std::pmr::polymorphic_allocator<std::byte>>;

} // namespace pmr
SLOTWISE_END

#endif
