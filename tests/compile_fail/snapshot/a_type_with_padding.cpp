// expect: T has no codec: it has padding or members that cannot be seen from outside
// expect: Hidden
// covers: slots/codec.hpp static_assert "snapshot: T has no codec"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

class Hidden {
    char a = 0;
    long b = 0;

public:
    long sum() const { return a + b; }
};
struct Seen {
    char a = 0;
    long b = 0;
};

int main() {
    SlotMap<std::pair<int, Seen>> seen;
    SlotMap<std::pair<int, Hidden>> hidden;
    auto size = seen.snapshot().size();
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    size += hidden.snapshot().size();
#endif
    return static_cast<int>(size + hidden.size());
}
