// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/any_storage.hpp>
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

//=== handle_of_a_map_by_type ===//
// expect: no matching function for call || no matching member function || cannot convert || no viable conversion || could not convert
AnyMapStorage described(TypeDescriptor::of<int>(), TypeDescriptor::of<int>());
MapStorage<int, int> map;
bool found = described.contains(described.handle_at(0));
found = described.contains(map.handle_at(0)); // faulty
return found + static_cast<int>(map.size());

//=== without_a_type ===//
// expect: no matching function for call || no default constructor || no matching constructor || use of deleted function || call to deleted || call to implicitly-deleted
AnySetStorage set(TypeDescriptor::of<int>());
AnySetStorage typeless; // faulty

//=== writing_through_a_const_map ===//
// expect: invalid conversion || discards qualifiers
const int key = 1;
AnyMapStorage map(TypeDescriptor::of<int>(), TypeDescriptor::of<int>());
map.insert(&key, &key);
void* value = map.get(&key);
const auto& reader = map;
const void* read = reader.get(&key);
value = reader.get(&key); // faulty
return value == read;

//=== a_writable_view_of_a_read_only_column ===//
// expect: no matching function for call || no viable conversion || conversion from || could not convert || no matching constructor
MapStorage<int, int> map;
const auto& reader = map;
ConstAnyColumnView read = reader.values();
AnyColumnView write = map.values();
AnyColumnView forbidden = reader.values(); // faulty
return read.empty() == write.empty();

//=== a_described_column_by_what_is_no_handle ===//
// expect: no matching function for call || no matching member function
MapStorage<int, int> map;
map.insert(1, 2);
const AnyColumnView values = map.values();
void* value = values.get(map.handle_of(1));
value = values.get("one"); // faulty
return value == nullptr;

//=== one_array_of_a_type_known_at_run_time ===//
// expect: Growth::reserve is for types that are known when the program is compiled
BasicAnySetStorage<Options<KeySetOptions{.page_slots = 64}>> set(TypeDescriptor::of<int>());
BasicAnySetStorage<Options<KeySetOptions{.growth = Growth::reserve}>> other(TypeDescriptor::of<int>()); // faulty
return static_cast<int>(set.size());
