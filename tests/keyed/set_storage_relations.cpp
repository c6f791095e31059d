// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetStorage: what one does with two sets. What concerns one is in set_storage.cpp.
#include "keys.hpp"
#include "support/catch.hpp"

#include <slotwise/slots/value_array.hpp>

using namespace test;

template <class Set>
concept can_merge = requires(Set& a, Set& b) { a.merge(b); };

TEST_CASE("sets are equal when they have the same keys, in whatever slots", "[set_storage]") {
    SetOf<std::string> a{"x", "y", "z"}, b{"z", "y", "x"};
    REQUIRE(a == b);
    b.insert("w");
    REQUIRE(a != b);
    a.insert("v");
    REQUIRE_FALSE(a == b);
    a.erase("v"), b.erase("w");
    REQUIRE(a == b);
    REQUIRE(SetOf<std::string>() == SetOf<std::string>());
}

TEST_CASE("includes compares sets of other options, hashes and columns", "[set_storage]") {
    const SetStorage<int> big{1, 2, 3, 4};
    const SetStorage<int, HashBy<std::hash<int>>, Options<KeySetOptions{.reuse = Reuse::fifo}>, IndexBy<PortableHashIndex>,
                     Column<int>>
        small{2, 4}, other{4, 5}, none;
    REQUIRE(big.includes(small));
    REQUIRE_FALSE(small.includes(big));
    REQUIRE_FALSE(big.includes(other));
    REQUIRE(big.includes(none));
    REQUIRE(none.includes(none));
    REQUIRE(big.includes(big));
}

TEST_CASE("merge takes what is not here, leaves the rest, and lets handles go stale", "[set_storage]") {
    NothingLeaks objects;
    SetOf<MoveOnly, small_pages> a, b;
    for (int i = 0; i != 100; ++i) a.insert(MoveOnly(i));
    for (int i = 50; i != 200; ++i) b.insert(MoveOnly(i));
    const auto kept = b.handle_of(60), taken = b.handle_of(150);
    const auto mine = a.handle_of(60);
    a.merge(b);
    REQUIRE(sorted_numbers(a) == up_to(200));
    REQUIRE(sorted_numbers(b) == up_to(50, 50));
    REQUIRE(a.contains(mine));
    REQUIRE(b.contains(kept));
    REQUIRE_FALSE(b.contains(taken));
    REQUIRE(a.check_invariants());
    REQUIRE(b.check_invariants());
    a.merge(a);
    REQUIRE(a.size() == 200);
    SetOf<MoveOnly, small_pages> c;
    c.merge(std::move(a));
    REQUIRE(c.size() == 200);
    REQUIRE(a.empty()); // NOLINT(bugprone-use-after-move)
    c.merge(a);
    REQUIRE(c.size() == 200);
}

TEST_CASE("merge in deferred mode copies, so that the removed keys stay readable where they were", "[set_storage]") {
    using Set = SetOf<std::string, KeySetOptions{.deferred_erase = true}>;
    Set a{"a"}, b{"a", "b", "c"};
    a.merge(b);
    REQUIRE(a == Set{"a", "b", "c"});
    REQUIRE(b == Set{"a"});
    REQUIRE(b.pending() == 2);
    REQUIRE(b.key(b.slot_of_any("b")) == "b");
    REQUIRE(a.check_invariants());
    REQUIRE(b.check_invariants());
    REQUIRE(b.insert("c").kind == InsertKind::resurrected);
    // Keys that can only be moved cannot stay readable there: refused.
    using MoveOnlySet = SetOf<MoveOnly, KeySetOptions{.deferred_erase = true}>;
    static_assert(!can_merge<MoveOnlySet> && can_merge<Set> && can_merge<SetOf<MoveOnly>>);
}
