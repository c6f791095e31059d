// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/arrow/shard.hpp>

using namespace slotwise;

//=== floating_point_key ===//
// expect: the key is an integer of at most 64 bits
auto hash = stable_hash(1);
hash = stable_hash(1.0); // faulty

//=== wide_text ===//
// expect: the key is an integer of at most 64 bits
auto hash = stable_hash("ada");
hash = stable_hash(L"ada"); // faulty

//=== wide_units ===//
// expect: XXH64 reads bytes
const char bytes[] = "ab";
auto hash = detail::XxHash64::of(bytes, 2);
const int numbers[] = {1, 2};
hash = detail::XxHash64::of(numbers, 2); // faulty
