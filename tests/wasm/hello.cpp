// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The least that a module of WebAssembly has of a SlotMap: insert, erase and get. Its size is a test, and a row of bench/RESULTS.md. Failures
// print, or trap when the build names `stop` as SLOTWISE_FAILURE_HANDLER.
[[noreturn]] inline void stop(const char*, const char*, int) noexcept { __builtin_trap(); }
#include <slotwise/map/slot_map.hpp>

extern "C" int hello() {
    slotwise::SlotMap<int> map;
    const auto one = map.insert(1), two = map.insert(2);
    map.erase(one);
    const int* const second = map.get(two);
    return map.get(one) == nullptr && second != nullptr && *second == 2 ? 0 : 1;
}
