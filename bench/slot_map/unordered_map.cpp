// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include "../support/unordered_map.hpp"

namespace {

using namespace bench;

const Registered registered([] { slot_map::add_contender<UnorderedMap>("unordered_map", Role::rival); });

} // namespace
