// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sets over time: every sequence of up to six operations on two keys in one window, assignments included, whatever finds the changes.
#include "exhaustive.hpp"

using namespace test;

TEMPLATE_TEST_CASE("all worlds of four to six operations on a set are what before and after say",
                   "[series][exhaustive][bounds]", ALL_SET_WORLDS) {
    using World = TestType;
    const int length = bound(4, 6);
    const Walk<World> walk(World::one, World::ops, length);
    REQUIRE(walk.sequences() == count_of(10, length));
    REQUIRE(walk.deltas() > 4);
}
TEMPLATE_TEST_CASE("all worlds of four to six operations on a new set, keys assigned together", "[series][exhaustive][bounds]",
                   ALL_SET_WORLDS) {
    using World = TestType;
    const int length = bound(4, 6);
    const Walk<World> walk(World::never_written, World::ops_of_symmetry, length);
    REQUIRE(walk.sequences() == count_of(8, length));
    REQUIRE(walk.deltas() > 4);
}
TEMPLATE_TEST_CASE("all worlds of four or five operations on a set from further starts", "[series][exhaustive][bounds]",
                   ALL_SET_WORLDS) {
    using World = TestType;
    const int start = GENERATE(as<int>{}, World::never_written, World::both, World::none_after_both);
    const int length = bound(4, 5);
    const Walk<World> walk(start, World::ops, length);
    REQUIRE(walk.sequences() == count_of(10, length));
    REQUIRE(walk.deltas() > 4);
}
// Short enough for every build, sanitised ones too.
TEMPLATE_TEST_CASE("every sequence of three operations on a set is sound at each step", "[series][exhaustive]",
                   ALL_SET_WORLDS) {
    using World = TestType;
    const int start = GENERATE(range(0, 4));
    const Walk<World> walk(start, World::ops, 3, true);
    REQUIRE(walk.sequences() == count_of(10, 3));
    REQUIRE(walk.deltas() > 2);
}
