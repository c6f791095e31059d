// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/sparse_secondary_map.hpp>

using namespace slotwise;

//=== of_no_handles ===//
// expect: SparseSecondaryMap<Handle, T>: the first argument is a slot map's handle_type
SparseSecondaryMap<Handle<int>, int> map;
SparseSecondaryMap<int, int> other; // faulty

//=== values_whose_move_may_throw ===//
// expect: T's moves must be noexcept, because values are packed; use SecondaryMap
struct Heavy {
    Heavy() = default;
    Heavy(Heavy&&) {}
    Heavy& operator=(Heavy&&) { return *this; }
};

SparseSecondaryMap<Handle<int>, int> map;
SparseSecondaryMap<Handle<int>, Heavy> other; // faulty

//=== elements_that_are_const ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
SparseSecondaryMap<Handle<int>, int> map;
SparseSecondaryMap<Handle<int>, const int> constants; // faulty
constants.insert(Handle<int>(), 1);                   // faulty
static_cast<void>(map);

//=== elements_that_are_references ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
SparseSecondaryMap<Handle<int>, int> map;
SparseSecondaryMap<Handle<int>, int&> references; // faulty
static_cast<void>(references.get(Handle<int>())); // faulty
static_cast<void>(map);
