// expect: deferred_erase || copy_constructible
// covers: keyed/set_storage.hpp requires "std::copy_constructible<Key>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/set_storage.hpp>

#include <memory>

using namespace slotwise;

int main() {
    using Key = std::unique_ptr<int>;
    SetStorage<Key> set, other;
    set.merge(other);
    SetStorage<Key, DefaultHash<Key>, EqualTo, KeySetOptions{.deferred_erase = true}> deferring, source;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    deferring.merge(source);
#endif
    return static_cast<int>(deferring.size() + source.size());
}
