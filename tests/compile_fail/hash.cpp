// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/hash.hpp>
#include <slotwise/core/seeded_hash.hpp>

using namespace slotwise;

//=== bytes_that_differ ===//
// expect: equal values of this type may differ in their bytes
auto hash = SeededHash<int>()(1);
hash = SeededHash<double>()(1.0); // faulty

//=== key_without_a_hash ===//
// expect: constraints not satisfied || no matching function for call to object
struct Point {
    int x = 0;
};

auto hash = DefaultHash<int>()(1);
hash = DefaultHash<Point>()(Point()); // faulty

//=== units_that_are_no_integers ===//
// expect: the units are integers, characters or std::byte
const char characters[] = "ab";
auto hash = SipHash13(1, 2).hash_units(characters, 2);
const double numbers[] = {1.0, 2.0};           // faulty
hash = SipHash13(1, 2).hash_units(numbers, 2); // faulty
