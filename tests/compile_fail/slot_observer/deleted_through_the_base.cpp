// expect: is protected || protected destructor
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/slots/slot_observer.hpp>

using namespace slotwise;

struct Watcher final : SlotObserver {};

int main() {
    Watcher watcher;
    SlotObserver* base = &watcher;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    delete base;
#endif
    return base == nullptr;
}
