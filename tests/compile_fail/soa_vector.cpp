// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "arena.hpp"
#include "fixed.hpp"
#include <slotwise/rows/soa_vector.hpp>

#include <mutex>

using namespace slotwise;

struct Empty {};
struct ThrowsWhenDestroyed {
    ~ThrowsWhenDestroyed() noexcept(false) {}
};

//=== members_not_named ===//
// expect: the members stand first, in Members<...>
BasicSoaVector<Members<int>> rows;
BasicSoaVector<int> other; // faulty

//=== no_members ===//
// expect: name at least one member type
SoaVector<int> rows;
SoaVector<> other; // faulty

//=== member_whose_destructor_may_throw ===//
// expect: members must be non-const object types whose destructors do not throw
SoaVector<int> rows;
SoaVector<ThrowsWhenDestroyed> other; // faulty

//=== member_that_cannot_move ===//
// expect: members must be movable, because rows move
SoaVector<int> rows;
SoaVector<std::mutex> other; // faulty

//=== members_that_move_with_a_throw_alone ===//
// expect: erase exchanges rows by swap if a move may throw, and an element has no swap
// lines: 40
SoaVector<int, int> rows;
rows.emplace_back(1, 2);
rows.erase(0);
SoaVector<test::Stiff, int> other;     // faulty
other.emplace_back(test::Stiff(1), 2); // faulty
other.erase(0);                        // faulty

//=== column_of_a_tag ===//
// expect: this member is a tag, which has no column
SoaVector<Empty, int> rows;
auto numbers = rows.column<1>();
auto tags = rows.column<0>(); // faulty

//=== column_of_a_type_that_is_there_twice ===//
// expect: T must name exactly one member; name it by its number
SoaVector<int, int, float> rows;
auto size = rows.column<float>().size() + rows.column<1>().size();
auto numbers = rows.column<int>(); // faulty

//=== made_without_its_allocator ===//
// expect: is_default_constructible
using Rows = BasicSoaVector<Members<int>, AllocBy<test::Arena<std::byte>>>;

int memory = 0;
Rows rows(test::Arena<std::byte>{&memory});
Rows other; // faulty

//=== resized_without_defaults ===//
// expect: default_initializable
struct Explicit {
    explicit Explicit(int) {}
};

SoaVector<Explicit> rows;
rows.resize(3, Explicit(1));
rows.resize(3); // faulty

//=== resized_with_what_cannot_be_copied ===//
// expect: copy_constructible
struct Once {
    Once() = default;
    Once(Once&&) = default;
};

SoaVector<Once> rows;
const Once once;
rows.resize(3);
rows.resize(3, once); // faulty

//=== too_few_values ===//
// expect: sizeof...
SoaVector<int, float> rows;
rows.push_back(1, 2.5f);
rows.push_back(1); // faulty

//=== maker_of_another_type ===//
// expect: made_by
SoaVector<int> rows;
rows.emplace_back([] { return 1; });
rows.emplace_back([] { return "one"; }); // faulty

//=== no_columns ===//
// expect: sizeof...
SoaVector<int> rows;
auto [numbers] = rows.columns<int>();
auto none = rows.columns<>(); // faulty

//=== padding_of_what_is_not_trivial ===//
// expect: is_trivially_copyable
struct Owner {
    Owner() = default;
    Owner(Owner&&) noexcept {}
};

SoaVector<int, Owner> rows;
auto* numbers = rows.padded_data<0>();
auto* owners = rows.padded_data<1>(); // faulty

//=== compared_without_equality ===//
// expect: equality_comparable
struct Unequal {
    int value;
};

SoaVector<int> numbers;
SoaVector<Unequal> rows;
const bool same = numbers == numbers;
const bool also = rows == rows; // faulty

//=== blocks_of_no_rows ===//
// expect: a block has at least one row
SoaVector<int> rows;
const auto nothing = [](auto) {};
rows.for_each_block<4>(nothing);
rows.for_each_block<0>(nothing); // faulty

//=== const_rows_to_write ===//
// expect: binds
SoaVector<int> rows;
const std::tuple<int> value(1);
const SoaVector<int>::const_reference reader(value);
const SoaVector<int>::reference writer(value); // faulty

//=== const_rows_assigned ===//
// expect: takes
SoaVector<int> rows;
const SoaVector<int>& reader = rows;
rows[0] = reader[0];
reader[0] = rows[0]; // faulty

//=== copying_rows_of_owners ===//
// expect: SoaVector copy: a member cannot be copied; write std::move(rows)
// lines: 16
struct Owner {
    Owner() = default;
    Owner(Owner&&) = default;
    Owner& operator=(Owner&&) = default;
};
SoaVector<int, Owner> rows;
auto moved = std::move(rows);
auto copy = moved; // faulty

//=== elements_that_are_const ===//
// expect: SoaVector: members are plain objects, not const, volatile or references
// lines: 20
SoaVector<int, float> rows;
SoaVector<const int, float> constants; // faulty
constants.push_back(1, 2.0f);          // faulty
static_cast<void>(rows);

//=== elements_that_are_references ===//
// expect: SoaVector: members are plain objects, not const, volatile or references
// lines: 20
SoaVector<int, float> rows;
SoaVector<int&, float> references;    // faulty
static_cast<void>(references.size()); // faulty
static_cast<void>(rows);
