// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// DenseSlotMap: the values are one packed span.
#include "workload.hpp"

#include <slotwise/map/dense_slot_map.hpp>

namespace {

using namespace bench;

template <class T>
class Dense {
public:
    using value_type = T;

    auto insert(const T& value) { return map_.insert(value); }
    void erase(typename slotwise::DenseSlotMap<T>::handle_type handle) { map_.erase(handle); }
    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        for (const T& value : map_.values()) sum += value.field;
        return sum;
    }

private:
    slotwise::DenseSlotMap<T> map_;
};

const Registered registered([] { iteration::add_contender<Dense>("DenseSlotMap", Role::ours); });

} // namespace
