// expect: the units are integers, characters or std::byte
// covers: core/seeded_hash.hpp static_assert "the units are integers, characters or std::byte"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/seeded_hash.hpp>

using namespace slotwise;

int main() {
    const char characters[] = "ab";
    auto hash = SipHash13(1, 2).hash_units(characters, 2);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    const double numbers[] = {1.0, 2.0};
    hash = SipHash13(1, 2).hash_units(numbers, 2);
#endif
    return static_cast<int>(hash);
}
