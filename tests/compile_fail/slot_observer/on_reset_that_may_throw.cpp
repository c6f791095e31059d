// expect: CheckStaticObserver<Watcher>
// expect: its on_reset is not called
// covers: slots/slot_observer.hpp static_assert "its on_reset is not called"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

#include <string>

using namespace slotwise;

struct Watcher {
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    void on_reset() {}
#else
    void on_reset() noexcept {}
#endif
};

int main() {
    SlotMap<int, SlotMapOptions{}, std::allocator<int>, Watcher> map;
    map.insert(1);
}
