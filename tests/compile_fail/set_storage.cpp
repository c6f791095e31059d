// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/set_storage.hpp>

#include <memory>

using namespace slotwise;

//=== merging_owners_with_deferred_erase ===//
// expect: deferred_erase || copy_constructible
// covers: keyed/set_storage.hpp requires "std::copy_constructible<Key>"
int main() {
    using Key = std::unique_ptr<int>;
    SetStorage<Key> set, other;
    set.merge(other);
    SetStorage<Key, Options<KeySetOptions{.deferred_erase = true}>> deferring, source;
    deferring.merge(source); // faulty
    return static_cast<int>(deferring.size() + source.size());
}
