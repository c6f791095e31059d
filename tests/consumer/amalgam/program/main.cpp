// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The single header and a renamed part of it in one source, a renamed copy in the other one: they share neither types nor
// settings.
#include <slotwise_single.hpp>

#include <maps_only.hpp>

#include "vendored.hpp"

#include <cstdio>
#include <type_traits>

static_assert(SLOTWISE_CHECK_LEVEL == 0 && MAPS_ONLY_CHECK_LEVEL == 1);
static_assert(!std::is_same_v<slotwise::SlotMap<int>, maps_only::SlotMap<int>>);
static_assert(!std::is_same_v<slotwise::SlotMap<int>::handle_type, maps_only::SlotMap<int>::handle_type>);

namespace {

template <class Map>
bool works() {
    Map numbers;
    const auto seven = numbers.insert(7);
    const auto eight = numbers.insert(8);
    numbers.erase(seven);
    const auto nine = numbers.insert(9);
    return numbers.get(seven) == nullptr && numbers.at(eight) == 8 && numbers.at(nine) == 9 && numbers.size() == 2;
}

} // namespace

int main() {
    if (!works<slotwise::SlotMap<int>>()) return std::puts("the single header is broken"), 1;
    if (!works<maps_only::SlotMap<int>>()) return std::puts("the renamed part is broken"), 1;
    if (!vendored_works()) return std::puts("the renamed copy is broken"), 1;
    vendored_breaks();
    return std::puts("the renamed copy does not check as it was told to"), 1;
}
