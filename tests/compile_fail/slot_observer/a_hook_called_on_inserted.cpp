// expect: CheckStaticObserver<Watcher>
// expect: name it on_insert
// covers: slots/slot_observer.hpp static_assert "name it on_insert"
// covers: slots/observer_hub.hpp static_assert "CheckStaticObserver<Static>::holds"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

#include <string>

using namespace slotwise;

struct Watcher {
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    void on_inserted(slot_t, InsertKind) {}
#else
    void on_insert(slot_t, InsertKind) {}
#endif
};

int main() {
    SlotMap<int, SlotMapOptions{}, std::allocator<int>, Watcher> map;
    map.insert(1);
}
