// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include "../support/any_slot_map.hpp"

namespace {

using namespace bench;

const Registered registered([] {
    slot_map::add_contender<AnySlotMap>("AnySlotMap", Role::ours);
    slot_map::add_contender<VectorOfAny>("vector_of_any_unchecked", Role::rival);
});

} // namespace
