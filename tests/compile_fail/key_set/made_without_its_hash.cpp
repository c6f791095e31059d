// expect: is_default_constructible
// covers: keyed/key_set.hpp requires "std::is_default_constructible_v<Hash>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

using namespace slotwise;

struct Hash {
    explicit Hash(int) {}
    std::size_t operator()(int key) const noexcept { return static_cast<std::size_t>(key); }
};

int main() {
    KeySet<int, Hash> set(Hash(1));
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    KeySet<int, Hash> other;
#endif
    return static_cast<int>(set.size());
}
