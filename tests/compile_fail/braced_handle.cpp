// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What stands in braces is a key or nothing: no function that is asked with a handle takes one so.
#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/series/tsd_storage.hpp>
#include <slotwise/series/tss_storage.hpp>

#include <string>

using namespace slotwise;

//=== a_braced_handle_of_a_set ===//
// expect: no matching || no match for || no viable overloaded
SetStorage<std::string> names;
const auto ada = names.insert("Ada").it.handle();
static_cast<void>(names.at(ada));
static_cast<void>(names.at({0, 1})); // faulty

//=== asking_why_with_a_braced_handle ===//
// expect: no matching || no match for || no viable overloaded
SetStorage<std::string> names;
const auto ada = names.insert("Ada").it.handle();
static_cast<void>(names.explain(ada));
static_cast<void>(names.explain({0, 1})); // faulty

//=== a_braced_handle_where_no_key_is_made_of_it ===//
// expect: no matching || no match for || no viable overloaded
SetStorage<int> numbers;
numbers.erase(numbers.insert(1).it.handle());
numbers.erase({1, 1}); // faulty

//=== a_braced_handle_of_a_map ===//
// expect: no matching || no match for || no viable overloaded
MapStorage<int, int> numbers;
const auto one = numbers.insert(1, 10).it.handle();
static_cast<void>(numbers.get(one));
static_cast<void>(numbers.get({0, 1})); // faulty

//=== a_maps_callback_of_no_form ===//
// expect: the function is called as f(key, value), f(handle, key, value) or f(item)
// lines: 45
MapStorage<int, int> numbers;
numbers.for_each([](int, int) {});
numbers.for_each([](const char*) {}); // faulty

//=== a_braced_handle_of_an_identity ===//
// expect: no matching || no match for || no viable overloaded
SlotMap<int> map;
IdentityMap<std::string, SlotMap<int>::handle_type> identity;
identity.insert("one", map.insert(1));
static_cast<void>(identity.id_of({0, 1})); // faulty

//=== erasing_a_braced_handle_from_an_identity ===//
// expect: no matching || no match for || no viable overloaded
SlotMap<int> map;
IdentityMap<int, SlotMap<int>::handle_type> identity;
identity.erase(map.insert(1));
identity.erase({0, 1}); // faulty

//=== asking_a_series_why_with_a_braced_handle ===//
// expect: no matching || no match for || no viable overloaded
TSSStorage<int> set;
static_cast<void>(set.explain(set.handle_of(1)));
static_cast<void>(set.explain({0, 1})); // faulty

//=== a_braced_handle_of_a_time_set ===//
// expect: no matching || no match for || no viable overloaded
TSSStorage<int> set;
static_cast<void>(set.at(set.handle_of(1)));
static_cast<void>(set.at({0, 1})); // faulty

//=== a_braced_handle_of_a_dictionary ===//
// expect: no matching || no match for || no viable overloaded
TSDStorage<int, int> dict;
static_cast<void>(dict.get(dict.handle_of(1)));
static_cast<void>(dict.get({0, 1})); // faulty

//=== keeping_a_braced_handle_of_a_set ===//
// expect: no matching || no match for || no viable overloaded
SetStorage<int> numbers;
numbers.erase_reserved(numbers.insert(1).it.handle());
numbers.erase_reserved({0, 1}); // faulty

//=== taking_out_by_a_braced_handle_of_a_set ===//
// expect: no matching || no match for || no viable overloaded
SetStorage<int> numbers;
static_cast<void>(numbers.extract_reserved(numbers.insert(1).it.handle()));
static_cast<void>(numbers.extract_reserved({0, 1})); // faulty

//=== bringing_back_by_a_braced_handle_of_a_set ===//
// expect: no matching || no match for || no viable overloaded
SetStorage<int> numbers;
numbers.fulfill(numbers.insert(1).it.handle(), 2);
numbers.fulfill({0, 1}, 2); // faulty

//=== cancelling_a_braced_handle_of_a_map ===//
// expect: no matching || no match for || no viable overloaded
MapStorage<int, int> numbers;
numbers.cancel(numbers.insert(1, 10).it.handle());
numbers.cancel({0, 1}); // faulty

//=== bringing_back_by_a_braced_handle_of_a_map ===//
// expect: no matching || no match for || no viable overloaded
MapStorage<int, int> numbers;
numbers.fulfill(numbers.insert(1, 10).it.handle(), 2, 20);
numbers.fulfill({0, 1}, 2, 20); // faulty

//=== taking_out_by_a_braced_handle_of_a_map ===//
// expect: no matching || no match for || no viable overloaded
MapStorage<int, int> numbers;
static_cast<void>(numbers.extract_reserved(numbers.insert(1, 10).it.handle()));
static_cast<void>(numbers.extract_reserved({0, 1})); // faulty
