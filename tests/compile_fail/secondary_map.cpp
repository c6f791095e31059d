// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

//=== attaching_to_a_map_with_other_handles ===//
// expect: the map's handles have another type
SlotMap<int> ints;
SlotMap<long> longs;
SecondaryMap<SlotMap<int>::handle_type, int> names;
names.attach_to(ints);
names.attach_to(longs); // faulty
return static_cast<int>(names.size() + longs.size());

//=== values_whose_destructor_may_throw ===//
// expect: SecondaryMap<Handle, T>: T must be a non-const object type whose destructor does not throw
struct ThrowingEnd {
    ~ThrowingEnd() noexcept(false) {}
};

SecondaryMap<Handle<int>, int> map;
SecondaryMap<Handle<int>, ThrowingEnd> other; // faulty

//=== of_no_handles ===//
// expect: SecondaryMap<Handle, T>: the first argument is a slot map's handle_type
SecondaryMap<Handle<int>, int> map;
SecondaryMap<int, int> other; // faulty

//=== inserting_from_and_to_what_is_no_iterator ===//
// expect: insert
SlotMap<int> elements;
SecondaryMap<SlotMap<int>::handle_type, int> map;
map.insert(elements.insert(1), 2);
map.insert(1, 2); // faulty

//=== copying_a_column_of_owners ===//
// expect: SecondaryMap copy: T cannot be copied; write std::move(map)
// lines: 20
struct Owner {
    Owner() = default;
    Owner(Owner&&) = default;
};
SecondaryMap<Handle<int>, Owner> map;
auto moved = std::move(map);
auto copy = moved; // faulty

//=== elements_that_are_const ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
SecondaryMap<Handle<int>, int> map;
SecondaryMap<Handle<int>, const int> constants; // faulty
constants.insert(Handle<int>(), 1);             // faulty
static_cast<void>(map);

//=== elements_that_are_references ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
SecondaryMap<Handle<int>, int> map;
SecondaryMap<Handle<int>, int&> references;       // faulty
static_cast<void>(references.get(Handle<int>())); // faulty
static_cast<void>(map);
