// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What is defined before the first header is read.

//=== unknown_check_level ===//
// expect: SLOTWISE_CHECK_LEVEL is 0 (none), 1 (fast) or 2 (debug)
#define SLOTWISE_CHECK_LEVEL 3 // faulty
#include <slotwise/config/config.hpp>

return SLOTWISE_CHECK_LEVEL > 2;

//=== growth_reserve_without_virtual_memory ===//
// expect: needs virtual memory, which this platform lacks: use Growth::pages
#define SLOTWISE_VIRTUAL_MEMORY 0
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

SlotMap<int> map;
SlotMap<int, Options<SlotMapOptions{.growth = Growth::reserve}>> other; // faulty

//=== growth_reserve_under_emscripten ===//
// expect: needs virtual memory, which this platform lacks: use Growth::pages
// flags: -D__EMSCRIPTEN__
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

SlotMap<int> map;
SlotMap<int, Options<SlotMapOptions{.growth = Growth::reserve}>> other; // faulty

//=== an_older_standard ===//
// expect: slotwise needs C++20: compile with -std=c++20
// lines: 30
// flags: -std=c++17
#include <slotwise/slotwise.hpp>

return 0;
