// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "arena.hpp"
#include "fixed.hpp"
#include <slotwise/map/slot_map.hpp>

#include <algorithm>
#include <memory>
#include <string>

using namespace slotwise;
using test::Fixed;

//=== copying_what_only_moves ===//
// expect: builds_from
SlotMap<std::unique_ptr<int>> map;
const auto owner = std::make_unique<int>(1);
map.insert(std::make_unique<int>(*owner));
map.insert(owner); // faulty

//=== trying_to_copy_what_only_moves ===//
// expect: builds_from
SlotMap<std::unique_ptr<int>> map;
const auto owner = std::make_unique<int>(1);
map.try_insert(std::make_unique<int>(*owner));
map.try_insert(owner); // faulty

//=== transforming_into_nothing ===//
// expect: this one returns nothing
SlotMap<int> map;
static_cast<void>(map.transform([](int value) { return value; }));
static_cast<void>(map.transform([](int) {})); // faulty

//=== transforming_a_map_that_reserves_for_its_values ===//
// expect: name Options::max_slots
using Few = SlotMap<int, Options<SlotMapOptions{.growth = Growth::reserve, .max_slots = 100}>>;
using Most = SlotMap<int, Options<SlotMapOptions{.growth = Growth::reserve}>>;
struct Large {
    char bytes[100'000];
};
static_cast<void>(Few().transform([](int) { return Large(); }));
static_cast<void>(Most().transform([](int) { return Large(); })); // faulty

//=== emplacing_from_the_wrong_arguments ===//
// expect: builds_from
SlotMap<std::string> map;
map.emplace(std::size_t{3}, 'x');
map.emplace(map); // faulty

//=== emplacing_a_reference_from_the_wrong_arguments ===//
// expect: builds_from
SlotMap<std::string> map;
map.emplace_ref(std::size_t{3}, 'x');
map.emplace_ref(map); // faulty

//=== erasing_at_the_bits_of_a_handle ===//
// expect: same_as
SlotMap<int> map;
const auto handle = map.insert(1);
map.erase_at(handle.index());
map.erase_at(handle.to_bits()); // faulty

//=== erasing_the_address_of_something_else ===//
// expect: same_as
SlotMap<int> map;
int* address = nullptr;
long* other = nullptr;
map.erase(address);
map.erase(other); // faulty

//=== trying_to_emplace_from_the_wrong_arguments ===//
// expect: builds_from
SlotMap<std::string> map;
map.try_emplace(std::size_t{3}, 'x');
map.try_emplace(map); // faulty

//=== extracting_what_cannot_move ===//
// expect: move_constructible
SlotMap<Fixed> map;
map.erase(map.emplace(1));
map.extract(map.emplace(1)); // faulty

//=== getting_many_by_numbers ===//
// expect: same_as
SlotMap<int> map;
map.get_many(map.insert(1), map.insert(2));
map.get_many(1, 2); // faulty

//=== handle_of_the_address_of_something_else ===//
// expect: same_as
SlotMap<int> map;
int* address = nullptr;
long* other = nullptr;
bool null = map.handle_of(address) == SlotMap<int>::handle_type();
null = map.handle_of(other) == SlotMap<int>::handle_type(); // faulty
return null + (other == nullptr);

//=== insert_with_a_function_without_parameter ===//
// expect: is_invocable
SlotMap<int> map;
map.insert_with([](SlotMap<int>::handle_type) { return 1; });
map.insert_with([] { return 1; }); // faulty

//=== inserting_what_cannot_move ===//
// expect: builds_from
SlotMap<Fixed> map;
map.emplace(1);
map.insert(Fixed(2)); // faulty

//=== iterator_from_a_const_one ===//
// expect: is_const_v
SlotMap<int> map;
SlotMap<int>::const_iterator reader(map.begin());
SlotMap<int>::iterator writer(reader); // faulty
return reader == map.end();

//=== made_without_its_allocator ===//
// expect: is_default_constructible
int memory = 0;
SlotMap<int, AllocBy<test::Arena<int>>> map(test::Arena<int>{&memory});
SlotMap<int, AllocBy<test::Arena<int>>> other; // faulty

//=== one_span_over_pages ===//
// expect: Growth::reserve
SlotMap<int, Options<SlotMapOptions{.growth = Growth::reserve}>> reserved;
SlotMap<int> map;
auto size = reserved.slot_span().size();
size += map.slot_span().size(); // faulty
return static_cast<int>(size + map.size());

//=== reversing_by_an_algorithm_that_knows_no_handles ===//
// expect: OnlyMapSortMovesValues
SlotMap<int> map{2, 1};
std::ranges::reverse(map); // faulty
return *std::ranges::max_element(map);

//=== swapping_by_an_algorithm_that_knows_no_handles ===//
// expect: this algorithm would move values under other handles
SlotMap<int> map{2, 1}, other{3, 4};
std::ranges::swap_ranges(map, other); // faulty
return *std::ranges::max_element(map);

//=== inserting_a_range_that_is_none ===//
// expect: insert_range
SlotMap<int> map;
const int numbers[] = {1, 2};
map.insert_range(numbers);
map.insert_range(3); // faulty

//=== value_or_of_another_type ===//
// expect: value_or
SlotMap<int> map;
int sum = map.value_or({}, 1);
sum += map.value_or({}, std::string()); // faulty
return sum;

//=== made_of_what_is_no_range ===//
// expect: input_iterator
const std::string text = "abc";
const SlotMap<char> letters(text.begin(), text.end());
const SlotMap<char> others(text, text); // faulty

//=== made_of_two_ranges ===//
// expect: sentinel_for
const std::string text = "abc";
const SlotMap<char> letters(text.begin(), text.end());
const SlotMap<char> others(text.begin(), letters.end()); // faulty

//=== const_elements ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 16
SlotMap<int> map;
SlotMap<const int> constants; // faulty
constants.insert(1);          // faulty

//=== elements_that_are_references ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 16
int value = 1;
SlotMap<int*> map;
SlotMap<int&> references; // faulty
references.insert(value); // faulty
map.insert(&value);

//=== copying_a_map_of_owners ===//
// expect: SlotMap copy: T cannot be copied; write std::move(map), or copy element by element
// lines: 32
SlotMap<std::unique_ptr<int>> map;
auto moved = std::move(map);
auto copy = moved; // faulty

//=== first_slot_2 ===//
// expect: first_slot must be 0 or 1
SlotMap<int, Options<SlotMapOptions{.first_slot = 1}>> map;
SlotMap<int, Options<SlotMapOptions{.first_slot = 2}>> other; // faulty
return static_cast<int>(map.size());

//=== first_slot_and_wrapping ===//
// expect: first_slot = 1 needs Exhaustion::retire
SlotMap<int, Options<SlotMapOptions{.first_slot = 1}>> map;
SlotMap<int, Options<SlotMapOptions{.exhaustion = Exhaustion::wrap, .first_slot = 1}>> other; // faulty
return static_cast<int>(map.size());
