// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/map/slot_map.hpp>

namespace {

using namespace bench;

struct Setup {
    slotwise::SlotMap<Element16> map;
    [[nodiscard]] bool seen(std::size_t) const { return true; }
};

const Registered registered([] { observers::add_contender<Setup>("none_attached", Role::ours); });

} // namespace
