// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The series of README.md: what a window of time has changed, and a replica that follows by the bytes of deltas.
#include <slotwise/series/apply_delta.hpp>
#include <slotwise/series/tsd_storage.hpp>

#include <iostream>
#include <string>

int main() {
    // [readme]
    slotwise::TSDStorage<std::string, double> prices, replica;
    const auto before = prices.window();
    prices.write(1).set("bund", 131.2); // opens the window of time 1
    for (auto [key, bid] : prices.modified_items(1)) std::cout << key << ' ' << bid;
    const auto bytes = capture(prices).to_bytes(before); // the window's delta
    apply_delta(replica, bytes);                         // in another process
    // [/readme]
    return replica == prices && replica.at("bund") == 131.2 ? 0 : 1;
}
