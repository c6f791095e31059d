// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// The limit of checked handles: array index + version compare, free indexes on a stack.
#include "workload.hpp"

#include "../support/plain_arrays.hpp"

namespace {

using namespace bench;

const Registered registered([] { slot_map::add_contender<PlainArrays>("plain_arrays", Role::limit); });

} // namespace
