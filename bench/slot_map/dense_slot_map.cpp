// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// DenseSlotMap: one more array between handle and value, paid by lookup and erase, won back by iteration.
#include "workload.hpp"

#include <slotwise/map/dense_slot_map.hpp>

namespace {

using namespace bench;

template <class T>
class Map : public slotwise::DenseSlotMap<T> {
public:
    using value_type = T;
    static constexpr bool sees_stale = true;
};

const Registered registered([] { slot_map::add_contender<Map>("DenseSlotMap", Role::ours); });

} // namespace
