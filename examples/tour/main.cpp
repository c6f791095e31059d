// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every operation of SlotMap once, and a glance at its relatives. The README quotes the marked part word for word.

#include <slotwise/map/dense_slot_map.hpp>
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/soa_slot_map.hpp>

#include <cstddef>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace {

int failures = 0;

void check(bool holds, const char* promise) {
    if (holds) return;
    ++failures;
    std::cout << "FAILED: " << promise << '\n';
}

void readme() {
    // [readme]
    slotwise::SlotMap<std::string> names;
    const auto ada = names.insert("Ada"); // a handle: 64 bits, trivially copyable, hashable
    const auto bob = names.insert("Bob");
    const std::string* address = names.get(ada);

    names.erase(bob);                     // O(1), and bob's handle is stale from here on
    const auto eve = names.insert("Eve"); // lives in the slot bob had ...
    check(eve.index() == bob.index() && names.get(bob) == nullptr, "... but bob's handle never finds her");

    for (int i = 0; i < 10'000; ++i) names.insert(std::to_string(i));
    check(names.get(ada) == address, "elements never move, however large the map grows");

    slotwise::SecondaryMap<decltype(names)::handle_type, int> ages; // a column beside the map
    ages.attach_to(names);
    ages.insert(ada, 36);
    names.erase(ada);
    check(!ages.contains(ada), "a column drops what its map has dropped");

    std::size_t letters = 0;
    names.for_each([&](const std::string& name) { letters += name.size(); }); // in runs a compiler can vectorise
    for (auto [handle, name] : names.items()) check(names.at(handle) == name, "handles come with the values");
    // [/readme]
    check(letters == 38'893, "for_each visits every element once");
}

void access_and_removal() {
    slotwise::SlotMap<int> map;
    map.reserve(100);
    const auto one = map.emplace(1);
    const auto two = map.insert_with([](auto self) { return static_cast<int>(self.index()) + 1; }); // knows its own handle
    check(map[one] == 1 && map.at(two) == 2 && map.contains(one), "[] asserts, at() throws, get() answers null");
    const auto [first, second] = map.get_many(one, two);
    check(first == &map[one] && second == &map[two], "get_many looks several up at once");
    check(map.swap_values(one, two) && map[one] == 2, "swap_values: values change places, handles stay");
    check(map.handle_of(&map[two]) == two, "a handle can be had back from an element");

    const auto promised = map.reserve_handle(); // a handle now, the element later
    check(map.get(promised) == nullptr && map.size() == 2, "a reserved handle resolves nowhere");
    const int* const arrived = map.fulfill(promised, 3);
    check(arrived != nullptr && map[promised] == 3 && !map.cancel(promised),
          "fulfill keeps the promise; now nothing is left to cancel");

    const std::optional<int> taken = map.extract(promised);
    check(taken == 3 && !map.erase(promised), "extract moves the value out and the handle goes stale");
    check(map.explain(promised) == slotwise::HandleStatus::stale, "explain says why a handle does not resolve");
    check(map.explain({}) == slotwise::HandleStatus::null, "a value-initialised handle is null");
    check(map.insert_at(promised, 4) != nullptr && map[promised] == 4,
          "insert_at: this very handle again, for undo and replay");
    check(map.insert_at(one, 5) == nullptr, "insert_at refuses a handle whose slot is taken");
    check(map.erase_if([](int value) { return value == 4; }) == 1, "erase_if");
    for (auto at = map.begin(); at != map.end();) at = *at == 1 ? map.erase(at) : std::next(at); // erasing while iterating
    check(map.size() == 1 && *map.begin() == 2, "erase(iterator) goes on behind the element");
}

void whole_maps() {
    slotwise::SlotMap<int> map;
    const auto kept = map.insert(1);
    const auto bytes = map.snapshot();
    slotwise::SlotMap<int> copy = map; // handles mean the same in a copy
    check(copy == map && copy[kept] == 1, "copies are equal, handles included");
    const auto next = map.insert(2);
    copy.restore(bytes);
    check(copy.insert(2) == next, "a restored map hands out the same future handles");
    int sum = 0;
    for (const auto& chunk : copy.chunks()) {
        chunk.live.for_each([&](slotwise::slot_t slot) { sum += chunk.values[slot]; }); // spans and bits, for SIMD and jobs
    }
    check(sum == 3, "chunks: the same elements, as spans with a mask");
    slotwise::SlotMap<int> moved = std::move(copy);
    moved.clear();
    moved.shrink_to_fit();
    check(!moved.contains(kept) && moved.insert(9) != kept, "not even giving memory back revives a handle");
}

void relatives() {
    slotwise::DenseSlotMap<int> dense; // values side by side in one array, moved on erase
    const auto three = dense.insert(3);
    dense.insert(1);
    dense.sort(std::less<>());
    check(dense.values()[0] == 1 && dense[three] == 3 && dense.index_of(three) == 1, "sorting keeps handles");

    slotwise::SoaSlotMap<int, float> rows; // one aligned array per member
    const auto row = rows.insert(7, 0.5F);
    for (float& weight : rows.column<float>()) weight *= 2;
    const auto [id, weight] = rows[row];
    check(id == 7 && weight == 1.0F, "a row is a tuple of references into the columns");
}

} // namespace

int main() {
    readme();
    access_and_removal();
    whole_maps();
    relatives();
    std::cout << "check: " << (failures == 0 ? "passed" : "FAILED") << '\n';
    return failures == 0 ? 0 : 1;
}
