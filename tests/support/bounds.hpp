// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What the suite that everybody runs leaves out, and `tools/dev test --all` runs:
// - Cases with the tag [bounds] walk every world up to a bound, and stop early. SLOTWISE_TEST_BOUNDS=full in the environment, which ctest
//   sets for the tests `<folder>/full bounds`, asks for all of them.
// - A source that names SLOTWISE_TEST_REST is compiled twice, because what costs most of all is to compile products of types. Without the
//   macro it instantiates a part of them, with it, in the programs slotwise_test_<folder>_rest, the others.
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
