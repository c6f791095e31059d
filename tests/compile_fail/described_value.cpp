// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/rows/described_value.hpp>

using namespace slotwise;

//=== a_described_value_of_a_described_value ===//
// expect: no matching function for call
const auto five = DescribedValue::of(5);
auto copy = five;
copy = DescribedValue::of(five); // faulty
return copy == five;
