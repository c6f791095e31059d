// expect: discards qualifiers || not marked const || no matching
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;

int main() {
    TSDStorage<int, int> dict;
    dict.write(1).set(1, 2);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    dict.as_set().erase(1);
#endif
    return static_cast<int>(dict.as_set().size());
}
