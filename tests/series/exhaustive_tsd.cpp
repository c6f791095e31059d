// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Dictionaries over time: every sequence of up to six operations on two keys in one window, whatever finds the changes.
#include "exhaustive.hpp"

using namespace test;

TEMPLATE_TEST_CASE("all worlds of four to six operations on a dictionary are what before and after say",
                   "[series][exhaustive][bounds]", ALL_DICT_WORLDS) {
    using World = TestType;
    const int start = GENERATE(as<int>{}, World::never_written, World::one, World::one_without_value, World::both);
    const int length = bound(4, 6);
    const Walk<World> walk(start, World::ops, length);
    REQUIRE(walk.sequences() == count_of(8, length));
    REQUIRE(walk.deltas() > bound(40u, 50u));
}
TEMPLATE_TEST_CASE("all worlds of four or five operations on a dictionary from further starts", "[series][exhaustive][bounds]",
                   ALL_DICT_WORLDS) {
    using World = TestType;
    const int start = GENERATE(as<int>{}, World::one_of_each, World::none_after_both);
    const int length = bound(4, 5);
    const Walk<World> walk(start, World::ops, length);
    REQUIRE(walk.sequences() == count_of(8, length));
    REQUIRE(walk.deltas() > bound(40u, 50u));
}
// Short enough for every build, sanitised ones too.
TEMPLATE_TEST_CASE("every sequence of three operations on a dictionary is sound at each step", "[series][exhaustive]",
                   ALL_DICT_WORLDS) {
    using World = TestType;
    const int start = GENERATE(range(0, 6));
    const Walk<World> walk(start, World::ops, 3, true);
    REQUIRE(walk.sequences() == count_of(8, 3));
    REQUIRE(walk.deltas() > 20);
}
