// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Compiled once for each part of the program, with another check level or version.
#include "part.hpp"

#include <slotwise/slotwise.hpp>

#include <cstdio>
#include <string>
#include <typeinfo>

namespace {

long work() {
    slotwise::SlotMap<int> map;
    slotwise::MapStorage<std::string, int> named;
    slotwise::TSSStorage<int> set;
    for (int i = 0; i != 1000; ++i) {
        const auto handle = map.insert(i);
        if (i % 3 == 0) map.erase(handle);
        named[std::to_string(i % 100)] += i;
        set.write(i).add(i % 10);
    }
    long sum = static_cast<long>(named.size() + set.size());
    for (const int value : map) sum += value;
    for (const auto [key, value] : named) sum += value;
    return sum;
}

void break_fast_check() {
    slotwise::SlotMap<int> map;
    const auto stale = map.insert(1);
    map.erase(stale);
    std::printf("%d\n", map[stale]);
}

void break_debug_check() {
    slotwise::SlotMap<int> map;
    map.insert(1);
    const auto it = map.begin();
    map.erase(it);
    std::printf("%d\n", *it);
}

} // namespace

Part PART() {
    return {SLOTWISE_CHECK_LEVEL,
            SLOTWISE_VERSION_PATCH,
            typeid(slotwise::SlotMap<int>).name(),
            reinterpret_cast<const void*>(&slotwise::PublicId::parse),
            &work,
            &break_fast_check,
            &break_debug_check};
}
