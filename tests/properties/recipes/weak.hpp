// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A weak reference to an element. The guide quotes it, and the tests run it on random histories.
#ifndef SLOTWISE_TESTS_PROPERTIES_RECIPES_WEAK_HPP
#define SLOTWISE_TESTS_PROPERTIES_RECIPES_WEAK_HPP

// [readme]
#include <slotwise/map/slot_map.hpp>

template <class Map>
struct Weak {
    Map* map;
    slotwise::HandleOf<Map> handle;
    auto* get() const { return map->get(handle); } // null when the element is gone
};
// [/readme]

#endif
