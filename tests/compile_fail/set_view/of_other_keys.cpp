// expect: could not convert || no matching function || no viable conversion || conversion from
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/set_view.hpp>

using namespace slotwise;

int elements(SetView<int> view) { return static_cast<int>(view.size()); }

int main() {
    KeySet<int> set;
    KeySet<long> other;
    int sum = elements(set) + static_cast<int>(other.size());
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    sum += elements(other);
#endif
    return sum;
}
