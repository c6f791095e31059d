// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// SlotMap, addresses that never change: by for_each (runs over contiguous live elements), by iterator, and in reserved address space.
#include "workload.hpp"

#include <slotwise/map/slot_map.hpp>

namespace {

using namespace bench;

template <class Map>
class Base {
public:
    using value_type = typename Map::value_type;

    auto insert(const value_type& value) { return map_.insert(value); }
    void erase(typename Map::handle_type handle) { map_.erase(handle); }

protected:
    Map map_;
};

template <class Map>
class ForEach : public Base<Map> {
public:
    [[nodiscard]] auto sum() const {
        field_t<typename Map::value_type> sum{};
        this->map_.for_each([&sum](const auto& value) { sum += value.field; });
        return sum;
    }
};

template <class Map>
class Iterator : public Base<Map> {
public:
    [[nodiscard]] auto sum() const {
        field_t<typename Map::value_type> sum{};
        for (const auto& value : this->map_) sum += value.field;
        return sum;
    }
};

template <class T>
using Reserved = slotwise::SlotMap<T, slotwise::SlotMapOptions{.growth = slotwise::Growth::reserve}>;

template <class T>
using SlotMapForEach = ForEach<slotwise::SlotMap<T>>;
template <class T>
using SlotMapIterator = Iterator<slotwise::SlotMap<T>>;
template <class T>
using SlotMapReservedForEach = ForEach<Reserved<T>>;

const Registered registered([] {
    iteration::add_contender<SlotMapForEach>("SlotMap.for_each", Role::ours);
    iteration::add_contender<SlotMapIterator>("SlotMap.iterator", Role::ours);
    iteration::add_contender<SlotMapReservedForEach>("SlotMap_reserve.for_each", Role::ours);
});

} // namespace
