// expect: no member named
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;

int main() {
    TSDStorage<int, int> dict;
    dict.write(1).set(1, 2);
    TSDView<int, int> view = dict;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    view.as_map().erase(1);
#endif
    return static_cast<int>(view.as_map().size());
}
