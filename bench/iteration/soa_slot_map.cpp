// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// SoaSlotMap: an element is split into columns and the loop reads one of them. Its limit is vector_of_field, not vector.
#include "workload.hpp"

#include "../support/soa_columns.hpp"

namespace {

using namespace bench;

template <class T>
class Soa {
public:
    using value_type = T;

    auto insert(const T& value) { return Split<T>::insert(map_, value); }
    void erase(typename Split<T>::Map::handle_type handle) { map_.erase(handle); }
    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        for (const field_t<T>& field : map_.template column<0>()) sum += field;
        return sum;
    }

private:
    typename Split<T>::Map map_;
};

const Registered registered([] { iteration::add_contender<Soa>("SoaSlotMap.column", Role::ours); });

} // namespace
