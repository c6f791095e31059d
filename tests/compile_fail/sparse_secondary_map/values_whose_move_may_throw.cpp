// expect: T's moves must be noexcept, because values are packed; use SecondaryMap
// covers: map/sparse_secondary_map.hpp static_assert "moves must be noexcept"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/sparse_secondary_map.hpp>

using namespace slotwise;

struct Heavy {
    Heavy() = default;
    Heavy(Heavy&&) {}
    Heavy& operator=(Heavy&&) { return *this; }
};

int main() {
    SparseSecondaryMap<Handle<int>, int> map;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    SparseSecondaryMap<Handle<int>, Heavy> other;
#endif
    return static_cast<int>(map.size());
}
