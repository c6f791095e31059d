// expect: read-only || cannot assign
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/slots/column_view.hpp>

using namespace slotwise;

int main() {
    const ColumnView<int> view;
    const ColumnView<const int> reader = view;
    view.for_each([](int& value) { value = 1; });
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    reader[0] = 1;
#endif
    return reader.slot_end() == 1;
}
