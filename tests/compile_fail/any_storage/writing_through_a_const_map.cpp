// expect: invalid conversion || discards qualifiers
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/any_storage.hpp>

using namespace slotwise;

int main() {
    const int key = 1;
    AnyMapStorage map(TypeDescriptor::of<int>(), TypeDescriptor::of<int>());
    map.insert(&key, &key);
    void* value = map.get(&key);
    const auto& reader = map;
    const void* read = reader.get(&key);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    value = reader.get(&key);
#endif
    return value == read;
}
