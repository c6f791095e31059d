// expect: constraints not satisfied
// covers: keyed/key_set.hpp requires "std::move_constructible<Key>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

#include "../fixed.hpp"

using namespace slotwise;
using test::Fixed;

struct Hash {
    std::size_t operator()(const Fixed& key) const noexcept { return static_cast<std::size_t>(key.id); }
};

int main() {
    KeySet<Fixed, Hash> set;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    set.insert(Fixed(1));
#endif
    return static_cast<int>(set.size());
}
