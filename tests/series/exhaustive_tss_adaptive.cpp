// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sets that find changes by a list first, and by bits where they are many: every sequence of six operations on two keys in one window, assignments included.
#include "exhaustive.hpp"

using namespace test;

namespace {
using World = SetWorld<DeltaRepresentation::adaptive>;
}

TEST_CASE("all worlds of six operations on a set with an adaptive tracker are what before and after say",
          "[series][exhaustive]") {
    const Walk<World> walk(World::one, World::ops, 6);
    REQUIRE(walk.sequences() == count_of(10, 6));
    REQUIRE(walk.deltas() > 4);
}
TEST_CASE("all worlds of six operations on a new set with an adaptive tracker, keys assigned together",
          "[series][exhaustive]") {
    const Walk<World> walk(World::never_written, World::ops_of_symmetry, 6);
    REQUIRE(walk.sequences() == count_of(8, 6));
    REQUIRE(walk.deltas() > 4);
}
TEST_CASE("all worlds of five operations on a set with an adaptive tracker from further starts", "[series][exhaustive]") {
    const int start = GENERATE(as<int>{}, World::never_written, World::both, World::none_after_both);
    const Walk<World> walk(start, World::ops, 5);
    REQUIRE(walk.sequences() == count_of(10, 5));
    REQUIRE(walk.deltas() > 4);
}
// Short enough for every build, sanitised ones too.
TEST_CASE("every sequence of three operations on a set with an adaptive tracker is sound at each step",
          "[series][exhaustive]") {
    const int start = GENERATE(range(0, 4));
    const Walk<World> walk(start, World::ops, 3, true);
    REQUIRE(walk.sequences() == count_of(10, 3));
    REQUIRE(walk.deltas() > 2);
}
