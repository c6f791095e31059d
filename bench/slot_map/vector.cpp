// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include "../support/vector.hpp"

namespace {

using namespace bench;

const Registered registered([] { slot_map::add_contender<Vector>("vector_unchecked", Role::limit); });

} // namespace
