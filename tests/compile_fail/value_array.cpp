// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "arena.hpp"
#include <slotwise/slots/value_array.hpp>

using namespace slotwise;

//=== const_values ===//
// expect: ValueArray<T>: T must be a non-const object type whose destructor does not throw
ValueArray<int> column;
ValueArray<const int> constants; // faulty
return column.pages().shift == 0;

//=== copied_without_its_container ===//
// expect: use of deleted function || call to deleted constructor
ValueArray<int> column;
ValueArray<int> copy(column, Occupancy());
ValueArray<int> blind(column); // faulty
return copy.pages().shift == 0;

//=== inserting_what_needs_arguments ===//
// expect: default_initializable
struct Weight {
    int grams = 0;
    explicit Weight(int weight) : grams(weight) {}
};

ValueArray<Weight> weights;
weights.on_capacity(0, 64);
weights.construct(0, 5);
const int grams = weights[0].grams;
weights.on_insert(1, InsertKind::fresh); // faulty
return weights.on_reset(), grams;

//=== made_without_its_allocator ===//
// expect: is_default_constructible
int memory = 0;
ValueArray<int, test::Arena<int>> values(test::Arena<int>{&memory});
ValueArray<int, test::Arena<int>> other; // faulty
return values.on_reset(), memory;
