// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/map/dense_slot_map.hpp>

namespace {

using namespace bench;

template <class T>
using Dense = slotwise::DenseSlotMap<T>;

const Registered registered([] { memory::add_contender<Dense>("DenseSlotMap", Role::ours); });

} // namespace
