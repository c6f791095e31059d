// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include "../support/article_slot_map.hpp"

namespace {

using namespace bench;

const Registered registered([] { memory::add_contender<ArticleSlotMap>("article_slot_map", Role::rival); });

} // namespace
