// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/handle.hpp>

using namespace slotwise;

//=== bits_that_do_not_add_up ===//
// expect: index_bits + version_bits + user_bits must be 16, 32 or 64
return static_cast<int>(Handle<int, HandleLayout{24, 8, 0}>{}.index()); // control
return static_cast<int>(Handle<int, HandleLayout{24, 9, 0}>{}.index()); // faulty

//=== from_an_integer ===//
// expect: no match for || no viable overloaded
Handle<int> handle = Handle<int>::from_bits(7);
handle = 7; // faulty
return static_cast<int>(handle.index());

//=== index_bits_beyond_32 ===//
// expect: index_bits must be 1 to 32
Handle<int, HandleLayout{32, 16, 16}> handle;
Handle<int, HandleLayout{40, 16, 8}> wide; // faulty
return static_cast<int>(handle.index());

//=== no_version_bits ===//
// expect: version_bits must be 1 to 32
Handle<int, HandleLayout{31, 1, 0}> handle;
Handle<int, HandleLayout{32, 0, 0}> unversioned; // faulty
return static_cast<int>(handle.index());

//=== dense_versions_of_32_bits ===//
// expect: dense_versions needs version_bits of at most 31
Handle<int, HandleLayout{32, 31, 1, true}> handle;
Handle<int, HandleLayout{32, 32, 0, true}> wide; // faulty
return static_cast<int>(handle.index());

//=== other_layout ===//
// expect: no match for || invalid operands
const Handle<int> handle(1, 3);
bool equal = handle == Handle<int>(1, 3);
equal = handle == Handle<int, HandleLayout{16, 16, 0}>(1, 3); // faulty
return equal;

//=== other_tag ===//
// expect: no match for || invalid operands
struct Node;
struct Edge;

return Handle<Node>{} == Handle<Node>{}; // control
return Handle<Node>{} == Handle<Edge>{}; // faulty

//=== part_beyond_its_bits ===//
// expect: call to non- || must be initialized by a constant expression
constexpr Handle<int, HandleLayout{8, 8, 0}> handle(255, 1);
constexpr Handle<int, HandleLayout{8, 8, 0}> beyond(256, 1); // faulty
return static_cast<int>(handle.index());

//=== from_a_string_that_is_none ===//
// expect: from_string
auto handle = Handle<int>::from_string("1v1");
handle = Handle<int>::from_string(11); // faulty
return handle ? 0 : 1;
