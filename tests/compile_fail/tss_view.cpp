// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>
#include <slotwise/series/tss_storage.hpp>

using namespace slotwise;

//=== view_of_another_time ===//
// expect: conversion from || no viable conversion
TSSStorage<int, TimeBy<double>> set;
TSSView<int, double> view = set;
TSSView<int> other = set; // faulty

//=== view_of_other_keys ===//
// expect: no matching || conversion from || no viable conversion
TSSStorage<int> set;
TSSView<int> view = set;
TSSView<long> other = set; // faulty

//=== writing_through_a_view ===//
// expect: use of deleted function || attempt to use a deleted function
// expect: write
TSSStorage<int> set;
set.write(1).add(1);
TSSView<int> view = set;
view.write(2); // faulty

//=== writing_through_the_keys_of_a_dictionary ===//
// expect: use of deleted function || attempt to use a deleted function
// expect: write
TSDStorage<int, int> dict;
dict.write(1).set(1, 2);
dict.keys().write(2); // faulty
return static_cast<int>(dict.keys().size());

//=== a_series_of_another_time ===//
// expect: no matching
const TSSStorage<int> set;
const TSSView<int> view(set);
const TSSView<int, double> other(set); // faulty
