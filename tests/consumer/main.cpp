// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What every consumer project compiles and runs: the front door, one map, one stale handle.
#include <slotwise/slotwise.hpp>

#include <cstdio>

// Consumers are compiled with the compiler's extensions, as CMake does by default; the unit tests are not. Then __int128 is an
// integer.
#if defined(__SIZEOF_INT128__) && !defined(__STRICT_ANSI__)
constexpr slotwise::DefaultHash<__int128> hash_of_wide;
static_assert(hash_of_wide(__int128{1} << 64) != hash_of_wide(__int128{2} << 64), "both halves of a wide key count");
#endif

int main() {
    slotwise::SlotMap<int> numbers;
    const auto seven = numbers.insert(7);
    const auto eight = numbers.insert(8);
    const bool erased = numbers.erase(seven);
    const auto nine = numbers.insert(9);

    const bool right =
        erased && numbers.get(seven) == nullptr && numbers.at(eight) == 8 && numbers.at(nine) == 9 && numbers.size() == 2;
    std::printf("slotwise %d.%d.%d: %s\n", SLOTWISE_VERSION_MAJOR, SLOTWISE_VERSION_MINOR, SLOTWISE_VERSION_PATCH,
                right ? "works" : "is broken");
    return right ? 0 : 1;
}
