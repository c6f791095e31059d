// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "arena.hpp"
#include "fixed.hpp"
#include <slotwise/map/dense_slot_map.hpp>

#include <algorithm>
#include <memory>

using namespace slotwise;

//=== growth_reserve ===//
// expect: Growth::reserve is for SlotMap
DenseSlotMap<int> map;
DenseSlotMap<int, Options<SlotMapOptions{.growth = Growth::reserve}>> other; // faulty

//=== atomic_versions_of_packed_elements ===//
// expect: atomic_versions is for SlotMap and HandlePool
DenseSlotMap<int> map;
DenseSlotMap<int, Options<SlotMapOptions{.atomic_versions = true}>> other; // faulty

//=== zero_vacant_of_packed_elements ===//
// expect: zero_vacant is for SlotMap
DenseSlotMap<int> map;
DenseSlotMap<int, Options<SlotMapOptions{.zero_vacant = true}>> other; // faulty

//=== handle_of_the_address_of_something_else ===//
// expect: same_as
DenseSlotMap<int> map;
int* address = nullptr;
long* other = nullptr;
bool null = map.handle_of(address) == DenseSlotMap<int>::handle_type();
null = map.handle_of(other) == DenseSlotMap<int>::handle_type(); // faulty
return null + (other == nullptr);

//=== made_without_its_allocator ===//
// expect: is_default_constructible
int memory = 0;
DenseSlotMap<int, AllocBy<test::Arena<int>>> map(test::Arena<int>{&memory});
DenseSlotMap<int, AllocBy<test::Arena<int>>> other; // faulty

//=== sorting_by_an_algorithm_that_knows_no_handles ===//
// expect: OnlyMapSortMovesValues
DenseSlotMap<int> map{2, 1};
map.sort([](int a, int b) { return a < b; });
std::ranges::sort(map); // faulty
return *std::ranges::max_element(map);

//=== swapping_by_an_algorithm_that_knows_no_handles ===//
// expect: this algorithm would move values under other handles; write map.sort(less)
DenseSlotMap<int> map{2, 1}, other{3, 4};
map.swap_values(map.handle_of_row(0), map.handle_of_row(1));
std::ranges::swap_ranges(map, other); // faulty
return *std::ranges::max_element(map);

//=== sorting_what_has_no_order ===//
// expect: no matching || constraints not satisfied || invalid reference to function || not satisfied
struct Body {
    int mass;
};
DenseSlotMap<Body> map{{2}, {1}};
map.sort([](const Body& a, const Body& b) { return a.mass < b.mass; });
map.sort(); // faulty

//=== elements_that_cannot_move ===//
// expect: DenseSlotMap, SoaSlotMap: elements must be movable, because rows move; take SlotMap
// lines: 40
DenseSlotMap<int> map;
map.emplace(1);
DenseSlotMap<test::Fixed> other; // faulty
other.emplace(1);                // faulty

//=== elements_that_move_with_a_throw_alone ===//
// expect: erase exchanges rows by swap if a move may throw, and an element has no swap
// lines: 44
DenseSlotMap<int> map;
map.erase(map.emplace(1));
DenseSlotMap<test::Stiff> other; // faulty
other.erase(other.emplace(1));   // faulty

//=== copying_a_map_of_owners ===//
// expect: DenseSlotMap, SoaSlotMap copy: elements cannot be copied; write std::move(map)
// lines: 32
DenseSlotMap<std::unique_ptr<int>> map;
auto moved = std::move(map);
auto copy = moved; // faulty

//=== reference_elements ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 16
int value = 1;
DenseSlotMap<int*> map;
DenseSlotMap<int&> references; // faulty
references.insert(value);      // faulty
map.insert(&value);
