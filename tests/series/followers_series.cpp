// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Maps that are keyed by the handles of a series follow it: their on_insert does not throw, as a series asks.
#include "support/catch.hpp"

#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>
#include <slotwise/series/tss_storage.hpp>

using namespace slotwise;

TEST_CASE("secondary maps and an IdentityMap follow a series until the window rolls", "[series]") {
    TSSStorage<int> set;
    using H = TSSStorage<int>::handle_type;
    SecondaryMap<H, int> dense;
    SparseSecondaryMap<H, int> sparse;
    IdentityMap<int, H> ids;
    dense.attach_to(set);
    sparse.attach_to(set);
    ids.attach_to(set);
    set.write(1).add(5);
    const H handle = set.handle_of(5);
    CHECK((dense.insert(handle, 7).inserted && sparse.insert(handle, 8).inserted && ids.insert(9, handle)));
    static_cast<void>(set.write(2).remove(5));
    CHECK((dense.size() == 1 && sparse.size() == 1 && ids.size() == 1)); // it is still readable
    static_cast<void>(set.write(3));
    CHECK((dense.empty() && sparse.empty() && ids.empty()));
}
