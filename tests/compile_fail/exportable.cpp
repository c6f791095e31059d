// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/arrow/exportable.hpp>
#include <slotwise/map/any_slot_map.hpp>

using namespace slotwise;

//=== container_without_a_default ===//
// expect: constraints not satisfied || no matching constructor || no matching function
Exportable<AnySlotMap> given(AnySlotMap(TypeDescriptor::of<int>()));
Exportable<AnySlotMap> none; // faulty
return given.read().empty();
