// expect: no matching function for call || no default constructor || no matching constructor || use of deleted function || call to deleted || call to implicitly-deleted
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/any_storage.hpp>

using namespace slotwise;

int main() {
    AnySetStorage set(TypeDescriptor::of<int>());
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    AnySetStorage typeless;
#endif
    return static_cast<int>(set.size());
}
