// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/sparse_secondary_map.hpp>

using namespace slotwise;

//=== of_no_handles ===//
// expect: SparseSecondaryMap<Handle, T>: the first argument is a slot map's handle_type
// covers: map/sparse_secondary_map.hpp static_assert "the first argument is"
SparseSecondaryMap<Handle<int>, int> map;
SparseSecondaryMap<int, int> other; // faulty

//=== values_whose_move_may_throw ===//
// expect: T's moves must be noexcept, because values are packed; use SecondaryMap
// covers: map/sparse_secondary_map.hpp static_assert "moves must be noexcept"
struct Heavy {
    Heavy() = default;
    Heavy(Heavy&&) {}
    Heavy& operator=(Heavy&&) { return *this; }
};

SparseSecondaryMap<Handle<int>, int> map;
SparseSecondaryMap<Handle<int>, Heavy> other; // faulty
