// expect: constraints not satisfied || no matching member function for call
// covers: keyed/key_set.hpp requires "std::copy_constructible<Key>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

#include <memory>

using namespace slotwise;

int main() {
    KeySet<std::unique_ptr<int>> set;
    auto key = std::make_unique<int>(1);
#ifdef SLOTWISE_COMPILE_FAIL_CONTROL
    set.insert(std::move(key));
#else
    set.insert(key);
#endif
    return 0;
}
