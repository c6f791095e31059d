// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// A dense walk: over a packed array.
#include "workload.hpp"

#include "../support/dense_slot_map.hpp"

namespace {

using namespace bench;

const Registered registered([] { iteration::add_contender<DenseSlotMap>("DenseSlotMap.dense", Role::ours); });

} // namespace
