// expect: StaticObserver
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>
#include <slotwise/slots/value_array.hpp>

using namespace slotwise;

struct Deaf {};

int main() {
    KeySet<int, DefaultHash<int>, EqualTo, KeySetOptions{}, std::allocator<int>, HashIndex, ValueArray<int>> set;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    KeySet<int, DefaultHash<int>, EqualTo, KeySetOptions{}, std::allocator<int>, HashIndex, Deaf> deaf;
#endif
    return static_cast<int>(set.size());
}
