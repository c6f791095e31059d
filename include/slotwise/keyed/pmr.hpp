// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Keyed containers with polymorphic allocators. A separate header because <memory_resource> is slow to include.
#ifndef SLOTWISE_KEYED_PMR_HPP
#define SLOTWISE_KEYED_PMR_HPP

#include "map_storage.hpp"

#include <memory_resource>

SLOTWISE_BEGIN

/// The containers over std::pmr::polymorphic_allocator.
namespace pmr {

/// KeySet with memory from a std::pmr::memory_resource.
template <class Key, class Hash = DefaultHash<Key>, class Equal = EqualTo, KeySetOptions O = KeySetOptions{}, class... Columns>
using KeySet = slotwise::KeySet<Key, Hash, Equal, O, std::pmr::polymorphic_allocator<Key>, HashIndex, Columns...>;
/// SetStorage with memory from a std::pmr::memory_resource.
template <class Key, class Hash = DefaultHash<Key>, class Equal = EqualTo, KeySetOptions O = KeySetOptions{}, class... Columns>
using SetStorage = slotwise::SetStorage<Key, Hash, Equal, O, std::pmr::polymorphic_allocator<Key>, HashIndex, Columns...>;
/// MapStorage with memory from a std::pmr::memory_resource.
template <class Key, class T, class Hash = DefaultHash<Key>, class Equal = EqualTo, KeySetOptions O = KeySetOptions{},
          class... Columns>
using MapStorage = slotwise::MapStorage<Key, T, Hash, Equal, O, std::pmr::polymorphic_allocator<Key>, HashIndex, Columns...>;

} // namespace pmr
SLOTWISE_END

#endif
