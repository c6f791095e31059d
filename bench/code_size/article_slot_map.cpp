// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// rival
#include "workload.hpp"

#include "../support/article_slot_map.hpp"

template struct bench::code_size::Functions<bench::ArticleSlotMap<bench::Element16>>;
