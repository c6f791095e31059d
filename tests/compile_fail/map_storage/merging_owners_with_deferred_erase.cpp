// expect: deferred_erase || copy_constructible
// covers: keyed/map_storage.hpp requires "std::copy_constructible<Key> && std::copy_constructible<T>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

#include <memory>

using namespace slotwise;

template <class T>
using Deferring = MapStorage<int, T, DefaultHash<int>, EqualTo, KeySetOptions{.deferred_erase = true}>;

int main() {
    Deferring<int> map, other;
    map.merge(other);
    Deferring<std::unique_ptr<int>> owners, source;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    owners.merge(source);
#endif
    return static_cast<int>(owners.size() + source.size());
}
