// expect: CheckStaticObserver<float> || CheckStaticObserver<std::basic_string
// expect: this type has no hook
// covers: slots/slot_observer.hpp static_assert "this type has no hook"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

#include <string>

using namespace slotwise;

int main() {
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    SlotMap<int, SlotMapOptions{}, std::allocator<int>, float, std::string> map;
#else
    SlotMap<int> map;
#endif
    map.insert(1);
}
