// expect: CheckStaticObserver<Watcher>
// expect: name it on_remove
// covers: slots/slot_observer.hpp static_assert "name it on_remove"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

#include <string>

using namespace slotwise;

struct Watcher {
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    void on_removed(slot_t) noexcept {}
#else
    void on_remove(slot_t) noexcept {}
#endif
};

int main() {
    SlotMap<int, SlotMapOptions{}, std::allocator<int>, Watcher> map;
    map.insert(1);
}
