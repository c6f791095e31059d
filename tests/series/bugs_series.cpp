// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Cases for faults that a person could write in these headers and that no other case sees.
#include "support/catch.hpp"

#include <slotwise/series/tsd_storage.hpp>

#include <vector>

using namespace slotwise;

TEST_CASE("a late write keeps what was removed in the window it joins", "[series]") {
    TSSStorage<int> set;
    set.write(4).assign({1, 2});
    set.write(5).remove(1);
    const slot_t slot = set.tracker().removed(5).begin().slot();
    {
        auto writer = set.write_late(3);
        CHECK(writer.time() == 5);
        writer.add(7);
    }
    CHECK(set.window() == 5);
    CHECK(set.pending() == 1);
    CHECK(set.was_removed(1, 5));
    CHECK(set.slot_of(7) != slot);
    std::vector<int> removed;
    for (const int key : set.removed(5)) removed.push_back(key);
    CHECK(removed == std::vector<int>{1});
    CHECK(set.check_invariants());
}

TEST_CASE("what is written to a nested series after its element was removed makes no other member valid", "[series]") {
    TSDStorage<int, TSSStorage<int>> dict;
    auto writer = dict.write(1);
    writer.create(1);
    writer.create(2);
    auto nested = writer.modify(1);
    writer.remove(1);
    nested.add(7);
    nested.close();
    writer.close();
    CHECK(dict.size() == 1);
    CHECK(dict.count_valid() == 0);
    CHECK(dict.check_invariants());
}
