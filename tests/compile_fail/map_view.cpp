// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_view.hpp>

using namespace slotwise;

//=== of_other_values ===//
// expect: could not convert || no matching function || no viable conversion || conversion from
int elements(MapView<int, int> view) { return static_cast<int>(view.size()); }

MapStorage<int, int> map;
MapStorage<int, long> other;
int sum = elements(map) + static_cast<int>(other.size());
sum += elements(other); // faulty
return sum;

//=== writing_a_value ===//
// expect: read-only || cannot assign
MapStorage<int, int> map;
map[1] = 2;
const MapView<int, int> view = map;
*view.get(1) = 3; // faulty
return view.at(1);

//=== writing_through_an_item ===//
// expect: read-only || cannot assign
MapStorage<int, int> map;
map[1] = 2;
const MapView<int, int> view = map;
int sum = 0;
for (const auto [key, value] : view) sum += key + value;
for (auto [key, value] : view) value = key; // faulty
return sum;
