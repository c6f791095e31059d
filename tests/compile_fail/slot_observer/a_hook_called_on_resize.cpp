// expect: CheckStaticObserver<Watcher>
// expect: name it on_capacity
// covers: slots/slot_observer.hpp static_assert "name it on_capacity"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

#include <string>

using namespace slotwise;

struct Watcher {
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    void on_resize(slot_t, slot_t) {}
#else
    void on_capacity(slot_t, slot_t) {}
#endif
};

int main() {
    SlotMap<int, SlotMapOptions{}, std::allocator<int>, Watcher> map;
    map.insert(1);
}
