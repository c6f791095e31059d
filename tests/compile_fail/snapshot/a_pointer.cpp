// expect: T is a pointer, which means nothing to another process; store a handle in its place
// covers: slots/codec.hpp static_assert "snapshot: T is a pointer"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

int main() {
    SlotMap<int> numbers;
    SlotMap<std::vector<int*>> pointers;
    auto size = numbers.snapshot().size();
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    size += pointers.snapshot().size();
#endif
    return static_cast<int>(size + pointers.size());
}
