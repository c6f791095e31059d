// expect: discards qualifiers || not marked const || no matching || no viable
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;

int main() {
    TSDStorage<int, int> dict;
    dict.write(1).set(1, 2);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    dict.as_map().erase(1);
#endif
    return *dict.as_map().get(1);
}
