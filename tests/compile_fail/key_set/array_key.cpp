// expect: keyed containers: Key must be a non-const object type whose destructor does not throw
// covers: keyed/key_store.hpp static_assert "Key must be a non-const object type"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

using namespace slotwise;

struct Hash {
    template <class Key>
    std::size_t operator()(const Key&) const noexcept {
        return 1;
    }
};

int main() {
    KeySet<int, Hash> set;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    KeySet<int[4], Hash> arrays;
#endif
    return static_cast<int>(set.size());
}
