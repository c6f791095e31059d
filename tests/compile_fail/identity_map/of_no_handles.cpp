// expect: the second argument is a slot map's handle_type
// covers: map/identity_map.hpp static_assert "the second argument is"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/identity_map.hpp>

using namespace slotwise;

int main() {
    IdentityMap<int, Handle<int>> map;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    IdentityMap<int, int> other;
#endif
    return static_cast<int>(map.size());
}
