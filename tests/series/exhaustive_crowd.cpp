// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The same sequences in a window that has touched others before: so many that an adaptive tracker goes from list to bits within
// them.
#include "exhaustive.hpp"

using namespace test;

namespace {
using Sets = SetWorld<DeltaRepresentation::adaptive>;
using Dicts = DictWorld<DeltaRepresentation::adaptive>;
} // namespace

TEST_CASE("all worlds of four operations on a dictionary while its list of changes becomes bits", "[series][exhaustive]") {
    const int start = GENERATE(as<int>{}, Dicts::one, Dicts::one_of_each, Dicts::both);
    const int crowd = GENERATE(61, 62, 63, 64, 65);
    CAPTURE(crowd);
    const Walk<Dicts> walk(start, Dicts::ops, 4, false, crowd);
    REQUIRE(walk.sequences() == count_of(8, 4));
    REQUIRE(walk.deltas() > 20);
}
TEST_CASE("all worlds of four operations on a set while its list of changes becomes bits", "[series][exhaustive]") {
    const int start = GENERATE(as<int>{}, Sets::one, Sets::both);
    const int crowd = GENERATE(62, 63, 64, 65);
    CAPTURE(crowd);
    const Walk<Sets> walk(start, Sets::ops_of_symmetry, 4, false, crowd);
    REQUIRE(walk.sequences() == count_of(8, 4));
    REQUIRE(walk.deltas() > 4);
}
