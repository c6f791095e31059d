// expect: default_initializable
// covers: slots/value_array.hpp requires "std::default_initializable<T>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/slots/value_array.hpp>

using namespace slotwise;

struct Weight {
    int grams = 0;
    explicit Weight(int weight) : grams(weight) {}
};

int main() {
    ValueArray<Weight> weights;
    weights.on_capacity(0, 64);
    weights.construct(0, 5);
    const int grams = weights[0].grams;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    weights.on_insert(1, InsertKind::fresh);
#endif
    return weights.on_reset(), grams;
}
