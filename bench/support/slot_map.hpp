// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// SlotMap as it comes, with the other reuse policies, and in reserved address space.
#pragma once

#include "element.hpp"

#include <slotwise/map/slot_map.hpp>

namespace bench {

template <class T, slotwise::SlotMapOptions O>
class BasicSlotMap : public slotwise::SlotMap<T, slotwise::Options<O>> {
public:
    using value_type = T;
    static constexpr bool sees_stale = true;
    static constexpr bool from_system = O.growth == slotwise::Growth::reserve;

    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        this->for_each([&sum](const T& value) { sum += value.field; });
        return sum;
    }
};

template <class T>
using SlotMap = BasicSlotMap<T, slotwise::SlotMapOptions{}>;
template <class T>
using SlotMapLifo = BasicSlotMap<T, slotwise::SlotMapOptions{.reuse = slotwise::Reuse::lifo}>;
template <class T>
using SlotMapFifo = BasicSlotMap<T, slotwise::SlotMapOptions{.reuse = slotwise::Reuse::fifo}>;
template <class T>
using SlotMapLowest = BasicSlotMap<T, slotwise::SlotMapOptions{.reuse = slotwise::Reuse::lowest}>;
template <class T>
using SlotMapReserve = BasicSlotMap<T, slotwise::SlotMapOptions{.growth = slotwise::Growth::reserve}>;

// Calls add.template operator()<Form>(name) for each form: the default under its own name, its policy not a second time.
template <class Add>
void each_slot_map(Add add) {
    constexpr slotwise::Reuse reuse = slotwise::SlotMapOptions{}.reuse;
    add.template operator()<SlotMap>("SlotMap");
    if constexpr (reuse != slotwise::Reuse::lifo) add.template operator()<SlotMapLifo>("SlotMap_lifo");
    if constexpr (reuse != slotwise::Reuse::fifo) add.template operator()<SlotMapFifo>("SlotMap_fifo");
    if constexpr (reuse != slotwise::Reuse::lowest) add.template operator()<SlotMapLowest>("SlotMap_lowest");
    add.template operator()<SlotMapReserve>("SlotMap_reserve");
}

/// Walks by its iterator.
template <class T>
class SlotMapIterator : public SlotMap<T> {
public:
    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        for (const T& value : *this) sum += value.field;
        return sum;
    }
};

} // namespace bench
