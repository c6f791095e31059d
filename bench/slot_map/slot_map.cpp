// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// SlotMap as it comes, with the other two reuse policies, and in reserved address space.
#include "workload.hpp"

#include <slotwise/map/slot_map.hpp>

namespace {

using namespace bench;

template <class T, slotwise::SlotMapOptions O>
class Map : public slotwise::SlotMap<T, O> {
public:
    using value_type = T;
    static constexpr bool sees_stale = true;
};

template <class T>
using Default = Map<T, slotwise::SlotMapOptions{}>;
template <class T>
using Lifo = Map<T, slotwise::SlotMapOptions{.reuse = slotwise::Reuse::lifo}>;
template <class T>
using Fifo = Map<T, slotwise::SlotMapOptions{.reuse = slotwise::Reuse::fifo}>;
template <class T>
using Lowest = Map<T, slotwise::SlotMapOptions{.reuse = slotwise::Reuse::lowest}>;
template <class T>
using Reserve = Map<T, slotwise::SlotMapOptions{.growth = slotwise::Growth::reserve}>;

const Registered registered([] {
    constexpr slotwise::Reuse reuse = slotwise::SlotMapOptions{}.reuse;
    slot_map::add_contender<Default>("SlotMap", Role::ours);
    if constexpr (reuse != slotwise::Reuse::lifo) slot_map::add_contender<Lifo>("SlotMap_lifo", Role::ours);
    if constexpr (reuse != slotwise::Reuse::fifo) slot_map::add_contender<Fifo>("SlotMap_fifo", Role::ours);
    if constexpr (reuse != slotwise::Reuse::lowest) slot_map::add_contender<Lowest>("SlotMap_lowest", Role::ours);
    slot_map::add_contender<Reserve>("SlotMap_reserve", Role::ours);
});

} // namespace
