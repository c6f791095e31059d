// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Keyed storage at a glance. docs/tour.md quotes the marked part word for word.

#include <slotwise/keyed/map_view.hpp>
#include <slotwise/slots/value_array.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>

static int failures = 0;
// Prints each promise as it is kept.
static void check(bool holds, const char* promise) {
    std::cout << (holds ? "  ok      " : "  FAILED  ") << promise << '\n';
    if (!holds) ++failures;
}
static void part(const char* title) { std::cout << title << '\n'; }

// No template over hash, options, allocator or columns: any map from strings to numbers will do.
static int total(slotwise::MapView<std::string, int> stock) {
    int sum = 0;
    stock.values().for_each([&](int count) { sum += count; }); // at the speed of an array
    return sum;
}

int main() {
    part("MapStorage and SetStorage: the user brings the key");
    // [readme]
    slotwise::MapStorage<std::string, int> stock{{"nails", 100}, {"bolts", 20}};
    const int* address = stock.get("nails");
    const auto nails = stock.handle_of("nails"); // names this very entry, for ever

    for (int i = 0; i < 10'000; ++i) stock[std::to_string(i)] = 1;
    check(stock.get("nails") == address, "keys and values never move");

    stock.erase("nails");
    stock["nails"] = 7;
    check(stock.get(nails) == nullptr, "an entry that comes back under its key is another entry");
    check(total(stock) == 10'027, "functions take a MapView, two words, whatever the map's options are");

    // A set with a column, whose erased keys stay readable until the frame ends.
    constexpr slotwise::KeySetOptions deferred{.deferred_erase = true};
    using Names = slotwise::SetStorage<std::string, slotwise::Options<deferred>, slotwise::Column<float>>;
    Names players{"ada", "bob"};
    const auto bob = players.slot_of("bob");
    players.observer<0>()[bob] = 2.5F;
    players.remove("bob");
    check(!players.contains("bob") && players.key(bob) == "bob" && players.observer<0>()[bob] == 2.5F,
          "removed, still readable");
    check(players.insert("bob").it.slot() == bob, "back in the same slot and at the same address, with a fresh column value");
    players.remove("ada");
    players.flush_removed(); // now ada is gone, and her slot is free
    // [/readme]
    check(players.observer<0>()[bob] == 0.0F, "fresh");
    check(players.size() == 1 && players.pending() == 0 && players.check_invariants(), "one is left");
    check(stock.check_invariants(), "the index agrees with the slots");
    std::cout << "check: " << (failures == 0 ? "passed" : "FAILED") << '\n';
    return failures == 0 ? 0 : 1;
}
