// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Version, free link and value side by side: the best case of a lookup, no stable addresses.
#include "workload.hpp"

#include "../support/article_slot_map.hpp"

namespace {

using namespace bench;

const Registered registered([] { slot_map::add_contender<ArticleSlotMap>("article_slot_map", Role::rival); });

} // namespace
