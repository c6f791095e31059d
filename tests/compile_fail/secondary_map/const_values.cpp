// expect: SecondaryMap<Handle, T>: T must be a non-const object type whose destructor does not throw
// covers: map/secondary_map.hpp static_assert "T must be a non-const object type"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/secondary_map.hpp>

using namespace slotwise;

int main() {
    SecondaryMap<Handle<int>, int> map;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    SecondaryMap<Handle<int>, const int, std::allocator<int>> other;
#endif
    return static_cast<int>(map.size());
}
