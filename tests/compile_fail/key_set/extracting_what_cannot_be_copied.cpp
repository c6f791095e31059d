// expect: use of deleted function || call to deleted constructor || no matching function for call to || no matching member function
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

#include <memory>

using namespace slotwise;

int main() {
    using Key = std::unique_ptr<int>;
    KeySet<Key> set;
    bool taken = set.extract(Key()).has_value();
    KeySet<Key, DefaultHash<Key>, EqualTo, KeySetOptions{.deferred_erase = true}> deferring; // the removed key stays readable
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    taken = deferring.extract(Key()).has_value();
#endif
    return taken + static_cast<int>(deferring.size());
}
