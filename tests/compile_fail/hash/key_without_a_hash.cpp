// expect: constraints not satisfied || no matching function for call to object
// covers: core/hash.hpp requires "(std::is_integral_v<K> || std::is_enum_v<K>)"
// covers: core/hash.hpp requires "std::hash<K>{}(key)"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/hash.hpp>

using namespace slotwise;

struct Point {
    int x = 0;
};

int main() {
    auto hash = DefaultHash<int>()(1);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    hash = DefaultHash<Point>()(Point());
#endif
    return static_cast<int>(hash);
}
