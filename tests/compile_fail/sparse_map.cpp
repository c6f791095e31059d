// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "fixed.hpp"
#include <slotwise/sparse/sparse_group.hpp>
#include <slotwise/sparse/sparse_map.hpp>
#include <slotwise/sparse/sparse_set.hpp>

using namespace slotwise;

struct Fixed {
    explicit Fixed(int number) : value(number) {}
    Fixed(const Fixed&) = delete;
    int value;
};

//=== of_signed_ids ===//
// expect: the first argument is an id
// lines: 25
SparseSet<unsigned> set;
SparseSet<int> other; // faulty

//=== from_signed_ids ===//
// expect: the first argument is an id
// lines: 25
SparseMap<unsigned, double> map;
SparseMap<int, double> other; // faulty

//=== of_arrays ===//
// expect: T is an object type, not const, not an array
SparseMap<unsigned, int> map;
SparseMap<unsigned, int[2]> other; // faulty

//=== erase_of_what_cannot_move ===//
// expect: erase fills the gap with the last value, and T cannot be moved
SparseMap<unsigned, Fixed> map;

map.try_emplace(1u, 2);
map.clear();
map.erase(1u); // faulty

//=== erase_of_what_moves_with_a_throw_alone ===//
// expect: or may throw and cannot be assigned; use SecondaryMap
SparseMap<unsigned, test::Stiff> map;

map.try_emplace(1u, 2);
map.clear();
map.erase(1u); // faulty

//=== versions_of_what_cannot_move ===//
// expect: replaces the entry of an older one, which moves values, and T cannot be moved
SparseMap<unsigned, Fixed> map;
SparseMap<Handle<int>, Fixed> other;

map.try_emplace(1u, 2);
other.try_emplace(Handle<int>(1, 1), 2); // faulty

//=== span_of_an_empty_type ===//
// expect: no matching function || constraints not satisfied || invalid reference to function 'values'
struct Empty {};
SparseMap<unsigned, int> map;
SparseMap<unsigned, Empty> other;

for (const auto& chunk : map.chunks()) static_cast<void>(chunk.values());
for (const auto& chunk : other.chunks()) static_cast<void>(chunk.values()); // faulty

//=== const_iterator_to_iterator ===//
// expect: no viable conversion || conversion from
SparseMap<unsigned, int> map;

SparseMap<unsigned, int>::const_iterator it = map.begin();
SparseMap<unsigned, int>::iterator other = map.cbegin(); // faulty

//=== group_of_one ===//
// expect: a group has two containers or more
SparseSet<unsigned> a, b;

SparseGroup group(a, b);
SparseGroup<SparseSet<unsigned>> other(a); // faulty

//=== group_of_other_ids ===//
// expect: the containers have different types of ids
SparseSet<unsigned> a, b;
SparseSet<unsigned short> c;

SparseGroup group(a, b);
SparseGroup other(a, c); // faulty

//=== group_of_values_whose_moves_throw ===//
// expect: a value's moves may throw, and the group moves values when ids come and go
struct Copied {
    explicit Copied(int number) : value(number) {}
    Copied(const Copied& other) : value(other.value) {}
    Copied& operator=(const Copied&) = default;
    int value;
};
SparseMap<unsigned, int> a, b;
SparseMap<unsigned, Copied> c;

SparseGroup group(a, b);
SparseGroup other(a, c); // faulty

//=== align_other_ids ===//
// expect: the containers have different types of ids
SparseSet<unsigned> a, b;
SparseSet<unsigned short> c;

align_prefix(a, b);
align_prefix(a, c); // faulty

//=== copying_a_map_of_owners ===//
// expect: SparseMap copy: T cannot be copied; write std::move(map)
// lines: 16
struct Owner {
    Owner() = default;
    Owner(Owner&&) = default;
    Owner& operator=(Owner&&) = default;
};
SparseMap<unsigned, Owner> map;
auto moved = std::move(map);
auto copy = moved; // faulty

//=== elements_that_are_const ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
SparseMap<unsigned, int> map;
SparseMap<const unsigned, int> constants; // faulty
constants.insert(1u, 2);                  // faulty
static_cast<void>(map);

//=== elements_that_are_references ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
SparseMap<unsigned, int> map;
SparseMap<unsigned&, int> references;  // faulty
static_cast<void>(references.get(1u)); // faulty
static_cast<void>(map);
