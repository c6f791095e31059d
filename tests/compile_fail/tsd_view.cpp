// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;

//=== changing_the_map_of_a_view ===//
// expect: no member named
TSDStorage<int, int> dict;
dict.write(1).set(1, 2);
TSDView<int, int> view = dict;
view.as_map().erase(1); // faulty
return static_cast<int>(view.as_map().size());

//=== writing_through_a_view ===//
// expect: use of deleted function || attempt to use a deleted function
// expect: write
TSDStorage<int, int> dict;
dict.write(1).set(1, 2);
TSDView<int, int> view = dict;
view.write(2); // faulty
return *view.get(1);

//=== writing_to_an_item ===//
// expect: read-only || const-qualified
TSDStorage<int, int> dict;
dict.write(1).set(1, 2);
int sum = 0;
for (auto [key, value] : dict.view().modified_items(1)) value = key; // faulty
for (auto [key, value] : dict.view().modified_items(1)) sum += key + value;
return sum;

//=== a_text_in_the_place_of_a_number ===//
// expect: no matching
const TSDStorage<int, int> dict;
const TSDView<int, int> view(dict);
view.value_or(1, 2);
view.value_or(1, "none"); // faulty

//=== a_series_of_another_time ===//
// expect: no matching
const TSDStorage<int, int> dict;
const TSDView<int, int> view(dict);
const TSDView<int, int, double> other(dict); // faulty
