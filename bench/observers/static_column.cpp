// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/value_array.hpp>

namespace {

using namespace bench;

struct Setup {
    using Column = slotwise::ValueArray<std::uint32_t>;
    slotwise::SlotMap<Element16, Column> map;
    [[nodiscard]] bool seen(std::size_t n) const {
        return map.observer<0>()[map.handle_of(map.begin()).index()] == 0 && map.size() == n;
    }
};

const Registered registered([] { observers::add_contender<Setup>("static_column", Role::ours); });

} // namespace
