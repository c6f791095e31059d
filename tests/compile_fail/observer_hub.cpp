// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/value_array.hpp>

using namespace slotwise;

//=== column_of_a_type_that_two_columns_have ===//
// expect: exactly one static column must have values of type T; use column<I>()
SlotMap<int, Column<int>, Column<int>, Column<float>> map;
auto sum = map.column<float>()[0] + static_cast<float>(map.column<1>()[0]);
sum += static_cast<float>(map.column<int>()[0]); // faulty

//=== observer_that_is_not_there ===//
// expect: O must name exactly one static observer; use observer<I>()
SlotMap<int, Column<float>> map;
map.observer<ValueArray<float>>().on_reset();
map.observer<ValueArray<double>>().on_reset(); // faulty
