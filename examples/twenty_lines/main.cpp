// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The first program of README.md.
// [readme]
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/slot_map.hpp>

#include <iostream>
#include <string>

int main() {
    slotwise::SlotMap<std::string> names;
    const auto ada = names.insert("Ada"), bob = names.insert("Bob"); // handles
    const std::string* const address = names.get(ada);

    names.erase(bob);                     // O(1); bob's handle is stale now
    const auto eve = names.insert("Eve"); // she lives in the slot that bob had
    if (names.get(bob) == nullptr) std::cout << "bob's handle finds nobody\n";

    for (int i = 0; i < 10'000; ++i) names.insert("somebody");
    if (names.get(ada) == address) std::cout << "ada has not moved\n";

    slotwise::SecondaryMap<decltype(names)::handle_type, int> ages;
    ages.attach_to(names); // data beside the map: it drops what the map drops
    ages.insert(eve, 36);
    names.erase(eve);
    std::cout << ages.size() << " ages, ";

    std::size_t letters = 0;
    names.for_each([&](const std::string& name) { letters += name.size(); });
    std::cout << letters << " letters\n";
}
// [/readme]
