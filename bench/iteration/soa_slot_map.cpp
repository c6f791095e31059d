// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// An element is split into columns and the loop reads one of them. Its limit is vector_of_field, not vector.
#include "workload.hpp"

#include "../support/soa_slot_map.hpp"

namespace {

using namespace bench;

const Registered registered([] { iteration::add_contender<SoaSlotMap>("SoaSlotMap.column", Role::ours); });

} // namespace
