// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include "../support/soa_slot_map.hpp"

namespace {

using namespace bench;

const Registered registered([] { slot_map::add_contender<SoaSlotMap>("SoaSlotMap", Role::ours); });

} // namespace
