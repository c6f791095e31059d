// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// A dense walk over one column of several. Its limit is vector_of_field, not vector.
#include "workload.hpp"

#include "../support/soa_slot_map.hpp"

namespace {

using namespace bench;

const Registered registered([] { iteration::add_contender<SoaSlotMap>("SoaSlotMap.dense", Role::ours); });

} // namespace
