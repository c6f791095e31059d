// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/set_view.hpp>

#include <vector>

using namespace slotwise;

//=== of_a_vector ===//
// expect: as_set
KeySet<int> set;
std::vector<int> vector;
SetView<int> view(set);
SetView<int> other(vector); // faulty
return static_cast<int>(view.size() + vector.size());

//=== of_other_keys ===//
// expect: could not convert || no matching function || no viable conversion || conversion from
int elements(SetView<int> view) { return static_cast<int>(view.size()); }

KeySet<int> set;
KeySet<long> other;
int sum = elements(set) + static_cast<int>(other.size());
sum += elements(other); // faulty
return sum;

//=== writing_a_key ===//
// expect: read-only || cannot assign
const KeySet<int> set{1, 2};
const SetView<int> view = set;
int sum = 0;
for (const int& key : view) sum += key;
*view.find(1) = 3; // faulty
return sum;
