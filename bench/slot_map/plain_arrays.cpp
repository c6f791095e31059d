// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Checked handles by hand: array index + version compare, free indexes on a stack.
#include "workload.hpp"

#include "../support/plain_arrays.hpp"

namespace {

using namespace bench;

const Registered registered([] { slot_map::add_contender<PlainArrays>("plain_arrays", Role::rival); });

} // namespace
