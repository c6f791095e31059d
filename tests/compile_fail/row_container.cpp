// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/rows/any_rows.hpp>
#include <slotwise/rows/bit_column.hpp>

#include <string>

using namespace slotwise;

//=== an_argument_that_is_no_allocator ===//
// expect: this container of rows takes AllocBy<A> only
BasicBitColumn<AllocBy<std::allocator<int>>> bits;
BasicBitColumn<HashBy<int>> hashed; // faulty

//=== two_allocators ===//
// expect: AllocBy<A> occurs twice
BasicBitColumn<AllocBy<std::allocator<int>>> bits;
BasicBitColumn<AllocBy<std::allocator<int>>, AllocBy<std::allocator<int>>> twice; // faulty

//=== runs_of_what_has_no_words ===//
// expect: BitSource || no matching
const BitColumn bits(3, true);
auto all = include(bits);
auto none = include(std::string("101")); // faulty
return static_cast<int>(all.word(0));

//=== a_value_made_of_a_value ===//
// expect: no matching function for call || constraints not satisfied || no matching function
const int number = 1;
AnyValue value = AnyValue::of(number);
value = AnyValue::of(value); // faulty

//=== writing_through_a_read_only_span ===//
// expect: discards qualifiers || read-only || no match || const-qualified || cannot assign
AnyRows rows{&TypeDescriptor::of<int>()};
rows.push_back_default();
const AnyRows& reader = rows;
rows.column(0).as<int>()[0] = 1;
reader.column(0).as<int>()[0] = 2; // faulty
