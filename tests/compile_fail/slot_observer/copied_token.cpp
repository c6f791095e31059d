// expect: use of deleted function || call to implicitly-deleted copy constructor
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/slots/slot_observer.hpp>

using namespace slotwise;

int main() {
    ObserverToken token;
    ObserverToken moved(static_cast<ObserverToken&&>(token));
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    ObserverToken copy(moved);
#endif
    return moved.attached();
}
