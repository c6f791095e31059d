// expect: is_default_constructible
// covers: map/identity_map.hpp requires "std::is_default_constructible_v<Hash>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/identity_map.hpp>

using namespace slotwise;

struct Hash {
    explicit Hash(int) {}
    std::size_t operator()(int key) const noexcept { return static_cast<std::size_t>(key); }
};

int main() {
    IdentityMap<int, Handle<int>, Hash> map(Hash(1));
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    IdentityMap<int, Handle<int>, Hash> other;
#endif
    return static_cast<int>(map.size());
}
