// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The first program. The README quotes the marked part word for word; it compiles when it is pasted into a file.

// [readme]
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/slot_map.hpp>

#include <iostream>
#include <string>

int main() {
    slotwise::SlotMap<std::string> names;
    const auto ada = names.insert("Ada"), bob = names.insert("Bob"); // handles of 64 bits
    const std::string* const address = names.get(ada);

    names.erase(bob);                                                             // O(1); bob's handle is stale now
    const auto eve = names.insert("Eve");                                         // lives in the slot bob had ...
    const bool checked = eve.index() == bob.index() && names.get(bob) == nullptr; // ... but his handle never finds her

    for (int i = 0; i < 10'000; ++i) names.insert(std::to_string(i));
    const bool stable = names.get(ada) == address; // elements never move

    slotwise::SecondaryMap<decltype(names)::handle_type, int> ages; // a column beside the map
    ages.attach_to(names);
    ages.insert(ada, 36);
    names.erase(ada);
    const bool follows = !ages.contains(ada); // a column drops what its map has dropped

    std::size_t letters = 0;
    names.for_each([&](const std::string& name) { letters += name.size(); }); // in runs that vectorise
    std::cout << letters << (checked && stable && follows ? " letters, check: passed\n" : " letters, check: FAILED\n");
    return checked && stable && follows && letters == 38'893 ? 0 : 1;
}
// [/readme]
