// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/handle.hpp>
#include <slotwise/slots/column_view.hpp>

using namespace slotwise;

//=== get_by_a_number ===//
// expect: AnyHandle
const ColumnView<int> view;
const int* found = view.get(Handle<int>());
found = view.get(7); // faulty
return found != nullptr;

//=== writing_to_a_read_only_view ===//
// expect: read-only || cannot assign
const ColumnView<int> view;
const ColumnView<const int> reader = view;
view.for_each([](int& value) { value = 1; });
reader[0] = 1; // faulty
return reader.slot_end() == 1;
