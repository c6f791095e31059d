// expect: AnyHandle
// covers: slots/column_view.hpp requires "AnyHandle H"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/slots/column_view.hpp>

#include <slotwise/core/handle.hpp>

using namespace slotwise;

int main() {
    const ColumnView<int> view;
    const int* found = view.get(Handle<int>());
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    found = view.get(7);
#endif
    return found != nullptr;
}
