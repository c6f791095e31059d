// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/index_map.hpp>

using namespace slotwise;

//=== values_whose_destructor_may_throw ===//
// expect: IndexMap<T>: T must be a non-const object type whose destructor does not throw
struct ThrowingEnd {
    ~ThrowingEnd() noexcept(false) {}
};

IndexMap<int> map;
IndexMap<ThrowingEnd> other; // faulty

//=== a_constant_iterator_is_no_iterator ===//
// expect: iterator
const IndexMap<int> map;
IndexMap<int>::const_iterator at = map.begin();
IndexMap<int>::iterator writes = map.begin(); // faulty

//=== elements_that_are_const ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
IndexMap<int> map;
IndexMap<const int> constants; // faulty
constants.insert(1, 2);        // faulty
static_cast<void>(map);

//=== elements_that_are_references ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
IndexMap<int> map;
IndexMap<int&> references;            // faulty
static_cast<void>(references.get(1)); // faulty
static_cast<void>(map);
