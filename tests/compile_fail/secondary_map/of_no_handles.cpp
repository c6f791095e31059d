// expect: SecondaryMap<Handle, T>: the first argument is a slot map's handle_type
// covers: map/secondary_map.hpp static_assert "the first argument is"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/secondary_map.hpp>

using namespace slotwise;

int main() {
    SecondaryMap<Handle<int>, int> map;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    SecondaryMap<int, int> other;
#endif
    return static_cast<int>(map.size());
}
