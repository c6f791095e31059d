// expect: use of deleted function || call to implicitly-deleted copy constructor
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/subscriber.hpp>

using namespace slotwise;

int main() {
    Subscription<> token;
    Subscription<> moved(static_cast<Subscription<>&&>(token));
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    Subscription<> copy(moved);
#endif
    return moved.attached();
}
