// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// DenseSlotMap: the values are one packed span; one more array between handle and value, paid by lookup and erase.
#pragma once

#include "element.hpp"

#include <slotwise/map/dense_slot_map.hpp>

namespace bench {

template <class T>
class DenseSlotMap : public slotwise::DenseSlotMap<T> {
public:
    using value_type = T;
    static constexpr bool sees_stale = true;

    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        for (const T& value : this->values()) sum += value.field;
        return sum;
    }
};

} // namespace bench
