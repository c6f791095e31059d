// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/any_slot_map.hpp>

using namespace slotwise;

//=== reserved_memory ===//
// expect: Growth::reserve and page_slots are for SlotMap
constexpr SlotMapOptions plain{}, reserving{.growth = Growth::reserve};
BasicAnySlotMap<Options<plain>> map(TypeDescriptor::of<int>());
BasicAnySlotMap<Options<reserving>> other(TypeDescriptor::of<int>()); // faulty

//=== atomic_versions_of_described_elements ===//
// expect: atomic_versions is for SlotMap and HandlePool
constexpr SlotMapOptions plain{}, shared{.atomic_versions = true};
BasicAnySlotMap<Options<plain>> map(TypeDescriptor::of<int>());
BasicAnySlotMap<Options<shared>> other(TypeDescriptor::of<int>()); // faulty

//=== zero_vacant_of_described_elements ===//
// expect: zero_vacant is for SlotMap
constexpr SlotMapOptions plain{}, zeroing{.zero_vacant = true};
BasicAnySlotMap<Options<plain>> map(TypeDescriptor::of<int>());
BasicAnySlotMap<Options<zeroing>> other(TypeDescriptor::of<int>()); // faulty

//=== two_addresses ===//
// expect: two addresses are no element
AnySlotMap map(TypeDescriptor::of<int>());
int a = 1, b = 2;
const AnyValue values[] = {AnyValue::copied(&a), AnyValue::copied(&b)};
map.insert(&a);
map.insert(values, values + 2);
map.insert(&a, &b); // faulty

//=== without_a_type_of_elements ===//
// expect: no matching function for call || no default constructor || no matching constructor || use of deleted function || call to deleted || call to implicitly-deleted
AnySlotMap map(TypeDescriptor::of<int>());
AnySlotMap typeless; // faulty
