// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "fixed.hpp"
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/map/slot_map.hpp>

#include <memory>
#include <string>

using namespace slotwise;
using test::Fixed;

//=== assigning_what_cannot_be_assigned ===//
// expect: is_assignable
struct Frozen {
    Frozen(int) {}
    Frozen(const Frozen&) = default;
    Frozen& operator=(const Frozen&) = delete;
};

MapStorage<int, Frozen> map;
map.insert(1, Frozen(2));
map.insert_or_assign(1, Frozen(3)); // faulty

//=== brackets_without_default_value ===//
// expect: is_default_constructible
struct Weight {
    explicit Weight(int) {}
};

MapStorage<int, Weight> map;
map.try_emplace(1, 5);
map[2]; // faulty

//=== const_values ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 24
MapStorage<int, int> map;
MapStorage<int, const int> constants; // faulty
constants.insert(1, 2);               // faulty

//=== a_value_with_a_map_of_its_own_type ===//
// An element of a SlotMap may have one: g++ refused it, because the requirements of a store were tested too early.
// expect: incomplete type || complete class
struct Node {
    SlotMap<Node> children;
};
Node root;
root.children.emplace();
struct Tree {
    MapStorage<int, Tree> children; // faulty
};

//=== copying_a_map_of_owners ===//
// expect: container copy: the values cannot be copied; write std::move(container)
// lines: 50
MapStorage<int, std::unique_ptr<int>> map;
map[1] = std::make_unique<int>(1);
auto moved = std::move(map);
auto copy = moved; // faulty

//=== inserting_a_pair_that_cannot_move ===//
// expect: move_constructible
MapStorage<int, Fixed> map;
map.try_emplace(1, 2);
map.insert(std::pair<int, Fixed>(2, 3)); // faulty

//=== inserting_another_value ===//
// expect: is_constructible
MapStorage<int, int> map;
map.insert(1, 2);
map.insert(2, "two"); // faulty

//=== inserting_by_brackets_into_a_const_map ===//
// expect: discards qualifiers || no viable overloaded operator[]
MapStorage<int, int> map;
map[1] = 2;
const auto& reader = map;
return reader[1]; // faulty
return reader.at(1);

//=== iterator_from_a_const_one ===//
// expect: is_const_v || could not convert || no viable conversion || conversion from
MapStorage<int, int> map;
MapStorage<int, int>::const_iterator reader(map.begin());
MapStorage<int, int>::iterator writer(reader); // faulty
return reader == map.end();

//=== merging_owners_with_deferred_erase ===//
// expect: deferred_erase || copy_constructible
template <class T>
using Deferring = MapStorage<int, T, Options<KeySetOptions{.deferred_erase = true}>>;

Deferring<int> map, other;
map.merge(other);
Deferring<std::unique_ptr<int>> owners, source;
owners.merge(source); // faulty
return static_cast<int>(owners.size() + source.size());

//=== range_of_no_iterators ===//
// expect: input_iterator
std::pair<int, int> items[] = {{1, 2}};
MapStorage<int, int> map(items, items + 1);
MapStorage<int, int> other(1.5, 2.5); // faulty

//=== range_with_another_end ===//
// expect: sentinel_for
std::pair<int, int> items[] = {{1, 2}};
MapStorage<int, int> map(items, items + 1);
MapStorage<int, int> other(items, 2.5); // faulty

//=== remove_without_deferred_erase ===//
// expect: deferred_erase
MapStorage<int, int, Options<KeySetOptions{.deferred_erase = true}>> deferring;
deferring[1] = 2;
deferring.remove(deferring.begin());
MapStorage<int, int> map;
map[1] = 2;
map.remove(map.begin()); // faulty

//=== used_as_a_set_that_changes ===//
// expect: discards qualifiers || is a private member || is not accessible || inaccessible || no matching member function || not marked const
MapStorage<int, int> map;
bool found = map.as_set().contains(1);
map.as_set().insert(1); // would have no value // faulty

//=== value_from_the_wrong_arguments ===//
// expect: is_constructible
MapStorage<int, std::string> map;
map.try_emplace(1, std::size_t{3}, 'x');
map.try_emplace(2, map); // faulty

//=== a_value_that_comes_back_from_the_wrong_arguments ===//
// expect: is_constructible
MapStorage<int, std::string> map;
map.insert(1, "one");
const auto one = map.handle_of(1);
map.erase_reserved(one);
map.fulfill(one, 1, std::size_t{3}, 'x');
map.fulfill(one, 1, map); // faulty

//=== writing_to_a_const_map ===//
// expect: read-only || cannot assign
MapStorage<int, int> map;
map[1] = 2;
map.at(1) = 3;
const auto& reader = map;
reader.at(1) = 4; // faulty
return reader.at(1);

//=== writing_to_items_of_a_const_map ===//
// expect: read-only || cannot assign
MapStorage<int, int> map;
map[1] = 2;
for (auto [key, value] : map) value = key;
const auto& reader = map;
int sum = 0;
for (auto [key, value] : reader) sum += key + value;
for (auto [key, value] : reader) value = key; // faulty
return sum;

//=== writing_to_the_key_of_an_item ===//
// expect: read-only || cannot assign
MapStorage<int, int> map;
map[1] = 2;
map.begin()->value = 3;
map.begin()->key = 3; // faulty
return map.at(1);

//=== inserting_a_range_that_is_none ===//
// expect: insert_range
MapStorage<int, int> map;
const std::pair<int, int> items[] = {{1, 2}};
map.insert_range(items);
map.insert_range(3); // faulty

//=== value_or_of_another_type ===//
// expect: value_or
MapStorage<int, int> map;
int sum = map.value_or(1, 1);
sum += map.value_or(1, nullptr); // faulty
return sum;

//=== one_span_over_pages ===//
// expect: Growth::reserve
MapStorage<int, int, Options<KeySetOptions{.growth = Growth::reserve}>> reserved;
MapStorage<int, int> map;
auto size = reserved.slot_span().size();
size += map.slot_span().size(); // faulty
return static_cast<int>(size + map.size());

//=== one_span_of_a_column_over_pages ===//
// expect: Growth::reserve
MapStorage<int, int, Column<float>, Options<KeySetOptions{.growth = Growth::reserve}>> reserved;
MapStorage<int, int, Column<float>> map;
auto size = reserved.slot_span<float>().size();
size += map.slot_span<float>().size(); // faulty
return static_cast<int>(size + map.size());

//=== keys_without_a_hash ===//
// expect: keyed container: the key has no hash; give std::hash<K> for it, or HashBy<H>
// lines: 30
struct Point {
    int x, y;
    friend bool operator==(const Point&, const Point&) = default;
};
struct PointHash {
    std::size_t operator()(const Point& point) const noexcept { return static_cast<std::size_t>(point.x ^ point.y); }
};

MapStorage<Point, int, HashBy<PointHash>> hashed;
hashed.insert(Point{1, 2}, 3);
MapStorage<Point, int> map; // faulty
map.insert(Point{1, 2}, 3); // faulty
