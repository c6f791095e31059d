// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Free-list iteration: visit every slot and test it.
#include "workload.hpp"

#include "../support/article_slot_map.hpp"

namespace {

using namespace bench;

const Registered registered([] { iteration::add_contender<ArticleSlotMap>("article_slot_map", Role::rival); });

} // namespace
