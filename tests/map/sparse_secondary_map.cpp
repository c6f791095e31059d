// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseSecondaryMap: its rows. What it shares with SecondaryMap is in secondary_map.cpp.
#include "support/catch.hpp"

#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>

#include <string>

using namespace slotwise;
using H = SlotMap<int>::handle_type;

TEST_CASE("A SparseSecondaryMap packs its values", "[map]") {
    SparseSecondaryMap<H, int> few;
    for (slot_t slot = 0; slot != 40; ++slot) few.insert(H(slot * 1000, 1), static_cast<int>(slot));
    CHECK(few.values().size() == 40);
    CHECK(few.handles().size() == 40);
    CHECK(reinterpret_cast<std::uintptr_t>(few.values().data()) % 64 == 0);
    few.erase(H(0, 1));
    CHECK(few.values().size() == 39);
    CHECK(few.values()[0] == 39); // the last one came into the gap
    CHECK(few[few.handles()[0]] == 39);
    // An argument that refers to an own value while the array grows.
    SparseSecondaryMap<H, std::string> texts;
    texts.insert(H(0, 1), std::string(100, 'x'));
    for (slot_t slot = 1; slot != 200; ++slot) texts.insert(H(slot, 1), texts[H(0, 1)]);
    CHECK(texts[H(199, 1)] == std::string(100, 'x'));
}
