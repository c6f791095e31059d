// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/map/slot_map.hpp>

namespace {

using namespace bench;

template <class T>
using Default = slotwise::SlotMap<T>;
template <class T>
using Lifo = slotwise::SlotMap<T, slotwise::SlotMapOptions{.reuse = slotwise::Reuse::lifo}>;
template <class T>
using Reserve = slotwise::SlotMap<T, slotwise::SlotMapOptions{.growth = slotwise::Growth::reserve}>;

const Registered registered([] {
    memory::add_contender<Default>("SlotMap", Role::ours);
    memory::add_contender<Lifo>("SlotMap_lifo", Role::ours);
    memory::add_contender<Reserve>("SlotMap_reserve", Role::ours, true);
});

} // namespace
