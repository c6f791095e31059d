// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Version, free link and value side by side in one std::vector: the best case of a lookup, no stable addresses.
#include "workload.hpp"

#include "../support/article_slot_map.hpp"

namespace {

using namespace bench;

template <class T>
class Article : public ArticleSlotMap<T> {
public:
    using value_type = T;
    static constexpr bool sees_stale = true;
};

const Registered registered([] { slot_map::add_contender<Article>("article_slot_map", Role::rival); });

} // namespace
