// expect: more than half of the address space
// covers: memory/reserved_array.hpp static_assert "max_slots values are more than half"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/reserved_array.hpp>

using namespace slotwise;

template <std::size_t MaxSlots>
using Array = ReservedArray<int, std::allocator<int>, MaxSlots>;

int main() {
    Array<1000> fits;
    fits.reserve(1);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    Array<(std::size_t{1} << (sizeof(std::size_t) * 8 - 2))> refused;
    refused.reserve(1);
#endif
    return 0;
}
