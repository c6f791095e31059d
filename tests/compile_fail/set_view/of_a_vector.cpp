// expect: as_set
// covers: keyed/set_view.hpp requires "SetView(map.as_set())"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/set_view.hpp>

#include <vector>

using namespace slotwise;

int main() {
    KeySet<int> set;
    std::vector<int> vector;
    SetView<int> view(set);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    SetView<int> other(vector);
#endif
    return static_cast<int>(view.size() + vector.size());
}
