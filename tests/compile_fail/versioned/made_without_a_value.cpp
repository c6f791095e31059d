// expect: default_initializable
// covers: core/versioned.hpp requires "std::default_initializable<T>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/versioned.hpp>

using namespace slotwise;

struct Weight {
    explicit Weight(int) {}
    bool operator==(const Weight&) const = default;
};

int main() {
    Versioned<Weight> weight(Weight(1));
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    Versioned<Weight> nothing;
#endif
    return static_cast<int>(weight.mark());
}
