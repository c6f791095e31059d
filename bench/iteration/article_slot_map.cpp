// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Free-list iteration: visit every slot and test it.
#include "workload.hpp"

#include "../support/article_slot_map.hpp"

namespace {

using namespace bench;

template <class T>
class Article : public ArticleSlotMap<T> {
public:
    using value_type = T;

    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        this->for_each([&sum](const T& value) { sum += value.field; });
        return sum;
    }
};

const Registered registered([] { iteration::add_contender<Article>("article_slot_map", Role::rival); });

} // namespace
