// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// A free-list walk: over every slot, each tested.
#include "workload.hpp"

#include "../support/article_slot_map.hpp"

namespace {

using namespace bench;

const Registered registered([] { iteration::add_contender<ArticleSlotMap>("article_slot_map.free_list", Role::rival); });

} // namespace
