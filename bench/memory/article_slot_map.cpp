// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include "../support/article_slot_map.hpp"

namespace {

using namespace bench;

template <class T>
class Article : public ArticleSlotMap<T> {
public:
    using value_type = T;
};

const Registered registered([] { memory::add_contender<Article>("article_slot_map", Role::rival); });

} // namespace
