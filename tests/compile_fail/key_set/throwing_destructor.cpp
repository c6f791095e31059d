// expect: keyed containers: Key must be a non-const object type whose destructor does not throw
// covers: keyed/key_store.hpp static_assert "Key must be a non-const object type"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

using namespace slotwise;

template <bool Throws>
struct Key {
    int id = 0;
    ~Key() noexcept(!Throws) {}
    friend bool operator==(const Key& a, const Key& b) { return a.id == b.id; }
};
struct Hash {
    template <bool Throws>
    std::size_t operator()(const Key<Throws>& key) const noexcept {
        return static_cast<std::size_t>(key.id);
    }
};

int main() {
    KeySet<Key<false>, Hash> set;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    KeySet<Key<true>, Hash> throws;
#endif
    return static_cast<int>(set.size());
}
