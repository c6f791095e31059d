// expect: T has no codec: it has padding or members that cannot be seen from outside
// expect: Hidden
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

class Hidden {
    long a = 0;

public:
    long get() const { return a; }
};

int main() {
    SlotMap<long> seen;
    SlotMap<Hidden> hidden;
    seen.restore(seen.snapshot());
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    hidden.restore(seen.snapshot());
#endif
    return static_cast<int>(hidden.size());
}
