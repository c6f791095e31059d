// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sets and dictionaries over time at a glance. docs/tour.md quotes the marked part word for word.

#include <slotwise/series/tsd_storage.hpp>

#include <cstdint>
#include <iostream>
#include <string>

static int failures = 0;
static void check(bool holds, const char* promise) {
    if (!holds) std::cout << "FAILED: " << promise << '\n', ++failures;
}

int main() {
    // [readme]
    slotwise::TSDStorage<std::string, double> price; // a dictionary over time; TSSStorage<std::string> is a set over time
    {
        auto w = price.write(1); // opens window 1
        w.set("bund", 131.20);
        w.set("gilt", 92.10);
    }
    {
        auto w = price.write(2); // a newer time: rolls. Deltas are relative to now
        w.set("bund", 131.25);
        w.remove("gilt");
        w.set("oat", 124.70);
        w.set("btp", 118.40);
        w.remove("btp"); // came and went: in no delta
    }
    for (auto [key, value] : price.modified_items(2)) std::cout << key << " = " << value << '\n'; // bund, oat
    for (const std::string& key : price.added_keys(2)) check(key == "oat", "only oat is new");
    for (auto [key, value] : price.removed_items(2)) check(key == "gilt" && value == 92.10, "removed, still readable");
    check(price.modified_items(1).empty(), "a delta is there while its window is open, and never a wrong one");

    const auto delta = capture(price, 2); // owned: outlives the window
    price.write(3).set("gilt", 92.30);    // rolls: the old gilt is erased now, this is another
    slotwise::TSDStorage<std::string, double> replica;
    {
        auto w = replica.write(1);
        w.set("bund", 131.20);
        w.set("gilt", 92.10);
    }
    replica.write(2).apply(compose(delta, capture(price, 3)));
    check(replica == price, "replaying deltas gives the same state");
    // [/readme]
    check(replica.check_invariants() && price.check_invariants(), "sound");
    std::cout << "check: " << (failures == 0 ? "passed" : "FAILED") << '\n';
    return failures == 0 ? 0 : 1;
}
