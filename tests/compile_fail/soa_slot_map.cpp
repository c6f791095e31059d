// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "arena.hpp"
#include "fixed.hpp"
#include <slotwise/map/soa_slot_map.hpp>

using namespace slotwise;

//=== members_that_move_with_a_throw_alone ===//
// expect: erase exchanges rows by swap if a move may throw, and an element has no swap
// lines: 44
SoaSlotMap<int, int> map;
map.erase(map.emplace(1, 2));
SoaSlotMap<test::Stiff, int> other;            // faulty
other.erase(other.emplace(test::Stiff(1), 2)); // faulty

//=== column_of_a_type_that_is_there_twice ===//
// expect: T must name exactly one member or Column<T>; use column<I>()
SoaSlotMap<int, int, float> map;
auto size = map.column<float>().size() + map.column<1>().size();
map.column<int>(); // faulty

//=== column_of_a_member_and_a_further_column_of_one_type ===//
// expect: T must name exactly one member or Column<T>; use column<I>()
BasicSoaSlotMap<Members<int, float>, Column<int>> map;
const auto ages = map.column<2>();
auto size = map.column<float>().size() + ages.slot_end();
map.column<int>(); // faulty

//=== growth_reserve ===//
// expect: Growth::reserve is for SlotMap
SoaSlotMap<int> map;
BasicSoaSlotMap<Members<int>, Options<SlotMapOptions{.growth = Growth::reserve}>> other; // faulty

//=== atomic_versions_of_packed_rows ===//
// expect: atomic_versions is for SlotMap and HandlePool
SoaSlotMap<int> map;
BasicSoaSlotMap<Members<int>, Options<SlotMapOptions{.atomic_versions = true}>> other; // faulty

//=== zero_vacant_of_packed_rows ===//
// expect: zero_vacant is for SlotMap
SoaSlotMap<int> map;
BasicSoaSlotMap<Members<int>, Options<SlotMapOptions{.zero_vacant = true}>> other; // faulty

//=== made_without_its_allocator ===//
// expect: is_default_constructible
using Map = BasicSoaSlotMap<Members<int>, AllocBy<test::Arena<std::byte>>>;

int memory = 0;
Map map(test::Arena<std::byte>{&memory});
Map other; // faulty

//=== no_members ===//
// expect: name at least one member type
SoaSlotMap<int> map;
SoaSlotMap<> other; // faulty

//=== rows_of_a_const_map_to_write ===//
// expect: convertible_to
SoaSlotMap<int> map;
SoaPointer<int> writer = map.get({});
SoaPointer<const int> reader(writer);
writer = SoaPointer<int>(reader); // faulty
return reader == nullptr;

//=== too_few_members ===//
// expect: sizeof...
SoaSlotMap<int, float> map;
map.insert(1, 2.5f);
map.insert(1); // faulty

//=== sort_by_a_type_that_is_no_member ===//
// expect: T must name exactly one member; use sort<I>(less)
SoaSlotMap<int, float> map;
const auto less = [](auto a, auto b) { return a < b; };
map.sort<int>(less);
map.sort<double>(less); // faulty
