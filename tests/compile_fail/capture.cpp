// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/capture.hpp>
#include <slotwise/series/tss_storage.hpp>

using namespace slotwise;

//=== what_is_no_series ===//
// expect: is_series
struct Log {
    using delta_type = int;
    using time_type = int;
    int view() const { return 1; }
};

TSSStorage<int> set;
auto delta = capture(set, 1);
capture(Log(), 1); // faulty

//=== of_the_last_window_of_no_series ===//
// expect: no matching function
struct Log {
    int window() const { return 1; }
};

TSSStorage<int> set;
auto delta = capture(set);
capture(Log()); // faulty
