// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Small sizes only, larger ones just take longer to lose.
#include "workload.hpp"

#include "../support/unordered_map.hpp"

namespace {

using namespace bench;

const Registered registered([] { iteration::add_contender<UnorderedMap>("unordered_map", Role::rival, 10'000); });

} // namespace
