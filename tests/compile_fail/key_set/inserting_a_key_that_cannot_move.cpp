// expect: constraints not satisfied
// covers: keyed/key_set.hpp requires "std::move_constructible<Key>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

using namespace slotwise;

struct Fixed {
    int id = 0;
    explicit Fixed(int name) : id(name) {}
    Fixed(const Fixed&) = delete;
    Fixed& operator=(const Fixed&) = delete;
    bool operator==(const Fixed&) const = default;
};
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
