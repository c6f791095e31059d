// expect: no matching function for call || no matching member function || cannot convert || no viable conversion || could not convert
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/any_storage.hpp>
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

int main() {
    AnyMapStorage described(TypeDescriptor::of<int>(), TypeDescriptor::of<int>());
    MapStorage<int, int> map;
    bool found = described.contains(described.handle_at(0));
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    found = described.contains(map.handle_at(0));
#endif
    return found + static_cast<int>(map.size());
}
