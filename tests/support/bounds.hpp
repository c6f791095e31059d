// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// How far tests go that walk every world up to a bound. The suite that everybody runs stops early. SLOTWISE_TEST_BOUNDS=full in the
// environment asks for all; `tools/dev test --all` and the long form of `tools/dev versions` set it.
#ifndef SLOTWISE_TESTS_SUPPORT_BOUNDS_HPP
#define SLOTWISE_TESTS_SUPPORT_BOUNDS_HPP

#include <cstdlib>
#include <string_view>

namespace test {

inline bool full_bounds() {
    const char* asked = std::getenv("SLOTWISE_TEST_BOUNDS");
    return asked != nullptr && std::string_view(asked) == "full";
}

template <class T>
T bound(T normal, T full) {
    return full_bounds() ? full : normal;
}

} // namespace test

#endif
