// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/value_array.hpp>

namespace {

using namespace bench;

struct Setup {
    slotwise::DynamicColumn<slotwise::ValueArray<std::uint32_t>> column;
    slotwise::SlotMap<Element16> map;
    slotwise::ObserverToken token = map.attach(column);
    [[nodiscard]] bool seen(std::size_t n) const {
        return column.column()[map.handle_of(map.begin()).index()] == 0 && map.size() == n;
    }
};

const Registered registered([] { observers::add_contender<Setup>("dynamic_column", Role::ours); });

} // namespace
